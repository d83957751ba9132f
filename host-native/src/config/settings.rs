//! The table of settings: their names, defaults and help.
//!
//! A setting is a flag (`--db-path`), an environment variable (`DB_PATH`) or a key of the TOML file
//! (`DB_PATH` or `db_path`), in that order of strength. Secrets have no flag of their own, since
//! argument lists are visible to everybody on a machine: they come from the environment, the TOML
//! file, or a file that `…_FILE` names.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, error};

/// One setting.
pub(crate) struct Setting {
    /// Its name as an environment variable.
    pub(crate) name: &'static str,
    /// What holds when nothing is set; empty for nothing.
    pub(crate) default: &'static str,
    help: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Needed by every command that opens the database.
    Store,
    /// Needed by the commands that move games.
    Crawl,
    /// As `Crawl`, and never to be shown.
    Secret,
}

const fn store(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, default, help, kind: Kind::Store }
}

const fn crawl(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, default, help, kind: Kind::Crawl }
}

const fn secret(name: &'static str, help: &'static str) -> Setting {
    Setting { name, default: "", help, kind: Kind::Secret }
}

/// All settings, in the order in which help shows them.
pub(crate) const SETTINGS: &[Setting] = &[
    store("DB_PATH", "./data/sync.db", "The database: catalogue, frontier and raw answers"),
    crawl("SEED_IDS", "", "User ids to start from, separated by commas"),
    crawl("SITE_BASE_URL", "https://dicechess.com", "The site to ask"),
    secret("DICECHESS_JWT", "The site's token (README: where to find it)"),
    crawl("DICECHESS_JWT_FILE", "", "A file that holds the token"),
    secret("DICECHESS_COOKIE", "Cookies to send to the site, such as cf_clearance"),
    crawl("DICECHESS_COOKIE_FILE", "", "A file that holds the cookies"),
    crawl("USER_AGENT", "", "Who asks; name a contact [default: dicechess-sync/VERSION]"),
    crawl("TRANSPORT", "curl", "How the site is asked: curl or reqwest"),
    crawl("CURL_BIN", "curl", "The curl program"),
    crawl("ENUMERATE_PAGE_SIZE", "500", "Rows of history in a page"),
    crawl("ENUMERATE_PAGE_SIZE_MAX", "1000", "The same for players with more games than that"),
    crawl("REQUEST_MIN_DELAY_MS", "3000", "The least pause between two requests to the site"),
    crawl("REQUEST_JITTER_MS", "1000", "Up to this much is added to each pause at random"),
    crawl("REQUEST_MAX_RETRIES", "5", "Repeats of a throttled request"),
    crawl(
        "REQUEST_BACKOFF_BASE_MS",
        "60000",
        "The first wait after a throttled request; it doubles",
    ),
    crawl("REQUEST_HOURLY_BUDGET", "600", "Requests to the site in any hour; 0 for no limit"),
    crawl("REQUEST_TIMEOUT_MS", "30000", "How long the site may take to answer"),
    crawl("ANALYTICS_BASE_URL", "embedded", "Where games are posted: a URL, or embedded"),
    store("ANALYTICS_DB", "", "The embedded analytics [default: analytics.db beside DB_PATH]"),
    secret("INGEST_TOKEN", "The analytics service's token"),
    crawl("INGEST_TOKEN_FILE", "", "A file that holds the analytics service's token"),
    crawl("ARCHIVE_URL", "./data/archive", "Where raw bundles go: a directory, a URL, or none"),
    crawl("POST_BATCH", "50", "Games taken at once from the queue for posting"),
    crawl("ARCHIVE_BATCH", "500", "Games taken at once from the queue for the archive"),
    crawl("REFRESH_AFTER", "24h", "When a player's history is asked again"),
    crawl("CRAWL_INTERVAL", "15m", "The pause between two cycles of `serve`"),
    crawl("ALLOWED_ORIGINS", "", "Web sites and extensions that may read and post, with commas"),
    crawl("LISTEN", "127.0.0.1:8787", "Where `serve` and `analytics` listen"),
    secret("ADMIN_TOKEN", "Lets a person change things in the dashboard; none: read-only"),
    crawl("ADMIN_TOKEN_FILE", "", "A file that holds the dashboard's token"),
    crawl("GATEWAY_RATE_PER_MINUTE", "120", "Posts that a browser may make in a minute"),
    crawl("GATEWAY_BURST", "100", "Posts that a browser may make at once"),
    store("LOG_FORMAT", "text", "Log lines on standard error: text or json"),
    store("CONFIG_FILE", "./dicechess-sync.toml", "Settings in TOML; read if it exists"),
];

impl Setting {
    /// Whether its value must never be shown.
    pub(crate) fn is_secret(&self) -> bool {
        self.kind == Kind::Secret
    }

    fn flag(&self) -> String {
        self.name.to_ascii_lowercase().replace('_', "-")
    }

    fn arg(&self) -> Arg {
        let help = match self.default {
            "" => self.help.to_owned(),
            default => format!("{} [default: {default}]", self.help),
        };
        Arg::new(self.name)
            .long(self.flag())
            .env(self.name)
            .hide_env_values(true)
            .value_name(value_name(self.name))
            .help_heading("Settings")
            .help(help)
    }
}

fn value_name(name: &str) -> &'static str {
    match name {
        name if name.ends_with("_FILE") || name.ends_with("_DB") || name == "DB_PATH" => "FILE",
        name if name.ends_with("_URL") => "URL",
        name if name.ends_with("_MS") => "MS",
        "SEED_IDS" => "ID,…",
        "CURL_BIN" => "PROGRAM",
        _ => "VALUE",
    }
}

/// What flags and environment say of the settings a command knows, unread.
#[derive(Debug, Clone, Default)]
pub struct GivenSettings<const CRAWL: bool> {
    pub(crate) values: BTreeMap<&'static str, String>,
}

/// The settings of a command that only opens the database.
pub type StoreSettings = GivenSettings<false>;
/// The settings of a command that moves games.
pub type CrawlSettings = GivenSettings<true>;

impl<const CRAWL: bool> GivenSettings<CRAWL> {
    fn known() -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(|setting| CRAWL || setting.kind == Kind::Store)
    }
}

impl<const CRAWL: bool> Args for GivenSettings<CRAWL> {
    fn augment_args(command: Command) -> Command {
        Self::known()
            .filter(|setting| setting.kind != Kind::Secret)
            .fold(command, |command, setting| command.arg(setting.arg()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const CRAWL: bool> FromArgMatches for GivenSettings<CRAWL> {
    fn from_arg_matches(matches: &ArgMatches) -> error::Result<Self> {
        let value = |setting: &'static Setting| {
            let given = match setting.kind {
                Kind::Secret => std::env::var(setting.name).ok(),
                Kind::Store | Kind::Crawl => matches.get_one::<String>(setting.name).cloned(),
            };
            given.filter(|value| !value.is_empty()).map(|value| (setting.name, value))
        };
        Ok(Self { values: Self::known().filter_map(value).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> error::Result<()> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The text that explains the secrets in `--help`.
pub const SECRETS_HELP: &str = "\
Secrets have no flag, since argument lists are visible to everybody on the machine. Set them in \
the environment (DICECHESS_JWT, DICECHESS_COOKIE, INGEST_TOKEN), in the TOML file, or name a file \
(DICECHESS_JWT_FILE, DICECHESS_COOKIE_FILE, INGEST_TOKEN_FILE).

Exit codes: 0 done; 2 usage; 3 stopped early (circuit breaker, archive down, analytics refused the \
token); 4 site access refused; 5 another process holds the lease; 65 bad input data; 70 bug; \
74 storage; 78 configuration.";
