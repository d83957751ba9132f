//! The directory of one test.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use dicechess_core::ids::GameId;
use dicechess_sim::SimServer;
use serde_json::Value;
use tempfile::TempDir;

use crate::analytics_service::AnalyticsService;
use crate::database::Database;
use crate::program::Invocation;

/// A directory with database, analytics store and archive, removed at the end.
#[derive(Debug)]
pub struct Workspace {
    directory: TempDir,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

impl Workspace {
    /// An empty one.
    pub fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    /// The directory itself; runs start in it.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Where the database is.
    pub fn db_path(&self) -> PathBuf {
        self.path().join("sync.db")
    }

    /// Where the embedded analytics store is.
    pub fn analytics_db(&self) -> PathBuf {
        self.path().join("analytics.db")
    }

    /// Where the archive is.
    pub fn archive(&self) -> PathBuf {
        self.path().join("archive")
    }

    /// A run with `DB_PATH`, `ANALYTICS_DB` and `ARCHIVE_URL` set to this directory's, and nothing
    /// else.
    pub fn command<I: IntoIterator<Item: AsRef<OsStr>>>(&self, args: I) -> Invocation {
        Invocation::new(self.path(), args)
            .env("DB_PATH", self.db_path())
            .env("ANALYTICS_DB", self.analytics_db())
            .env("ARCHIVE_URL", self.archive())
    }

    /// A `crawl` of a simulated site, as fast as it goes, in process.
    pub fn crawl(&self, site: &SimServer) -> Invocation {
        let seeds: Vec<String> = site.world().seed_ids().iter().map(ToString::to_string).collect();
        self.command(["crawl"])
            .env("SITE_BASE_URL", site.base_url())
            .env("DICECHESS_JWT", site.jwt())
            .env("SEED_IDS", seeds.join(","))
            .env("TRANSPORT", "reqwest")
            .env("REQUEST_MIN_DELAY_MS", "0")
            .env("REQUEST_JITTER_MS", "0")
            .env("REQUEST_HOURLY_BUDGET", "0")
            .env("REQUEST_BACKOFF_BASE_MS", "10")
    }

    /// A `serve` that crawls a simulated site, its pages on a free port.
    pub fn serve(&self, site: &SimServer) -> Invocation {
        self.crawl(site).instead(["serve"]).env("LISTEN", "127.0.0.1:0")
    }

    /// The same as [`Self::crawl`], posting to a service.
    pub fn crawl_to(&self, site: &SimServer, analytics: &AnalyticsService) -> Invocation {
        self.crawl(site)
            .env("ANALYTICS_BASE_URL", analytics.base_url())
            .env("INGEST_TOKEN", AnalyticsService::TOKEN)
    }

    /// The database, to be asked.
    pub fn database(&self) -> Database {
        Database::open(&self.db_path())
    }

    /// What `status --json` says.
    pub fn status(&self) -> Value {
        self.command(["status", "--json"]).run().expect(0).json()
    }

    /// The stored raw games as lines for `normalize --jsonl`, byte-exact.
    pub fn raw_lines(&self) -> String {
        let rows = self.database().rows(
            "SELECT history_meta_json, meta_source_user_id, move_history_json FROM raw_game_data
             WHERE move_history_json IS NOT NULL ORDER BY game_id",
        );
        let line = |row: &Vec<Value>| {
            format!(
                "{{\"history_meta\":{},\"queried_user_id\":{},\"move_history\":{}}}\n",
                text(&row[0]),
                row[1],
                text(&row[2])
            )
        };
        rows.iter().map(line).collect()
    }

    /// The bodies that the embedded analytics store keeps.
    pub fn accepted(&self) -> BTreeMap<GameId, Value> {
        let database = Database::open(&self.analytics_db());
        let rows = database.rows("SELECT id, body FROM accepted_games");
        rows.iter()
            .map(|row| {
                (text(&row[0]).parse().unwrap(), serde_json::from_str(text(&row[1])).unwrap())
            })
            .collect()
    }

    /// The archive's bundles, decompressed.
    pub fn bundles(&self) -> BTreeMap<GameId, String> {
        let mut bundles = BTreeMap::new();
        for file in files_below(&self.archive()) {
            let name = file.file_name().unwrap().to_str().unwrap();
            let Some(id) = name.strip_suffix(".json.zst") else { continue };
            let id: GameId = id.parse().unwrap();
            let relative = file.strip_prefix(self.archive()).unwrap();
            let expected = format!("dicechess.com/{}/{name}", &name[..2]);
            assert_eq!(relative, Path::new(&expected));
            let bytes = zstd::decode_all(&*std::fs::read(&file).unwrap()).unwrap();
            bundles.insert(id, String::from_utf8(bytes).unwrap());
        }
        bundles
    }

    /// All files of the directory.
    pub fn files(&self) -> Vec<PathBuf> {
        files_below(self.path())
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(directory) else { return files };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
