//! `demo`: the whole of it against a simulated site, with a summary a newcomer understands.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dicechess_core::ids::GameId;
use dicechess_sim::{LeastRequests, SimOptions, SimServer, World};

use super::CommandError;
use super::crawl::CrawlArgs;
use super::sim::WorldArgs;
use super::status::{print_pass, print_report};
use crate::clock::now;
use crate::config::{Config, CrawlSettings};
use crate::crawl::{PassReport, Stage};
use crate::exit_code::Exit;
use crate::progress::{Progress, duration_text, tell};
use crate::shutdown::Shutdown;
use crate::store::{LeaseKeeper, Store};

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the demo keeps its data. Run again, it goes on from there.
    #[arg(long, default_value = "./data/demo", value_name = "DIR")]
    dir: PathBuf,
    /// What the simulated world contains.
    #[command(flatten)]
    world: WorldArgs,
}

/// What the simulated site is known to hold, and what it takes to get it.
struct Expected {
    reachable: std::collections::BTreeSet<GameId>,
    without_map: usize,
    least: LeastRequests,
}

/// Backfills a simulated site.
///
/// # Errors
/// The data cannot be written, or no port can be listened on.
pub fn run(args: &DemoArgs) -> Result<Exit, CommandError> {
    let progress = Progress::on_stderr(true);
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let shutdown = Shutdown::on_signals()?;
        tell("Starting a simulated site and backfilling it; no real site is asked.");
        let server = SimServer::start(args.world.generate(), SimOptions::default()).await?;
        let config = configure(&args.dir, &server)?;
        crate::logging::start(config.log_format, &progress);
        let exit = backfill(args, &config, &server, &progress, shutdown).await;
        server.shutdown().await;
        exit
    })
}

async fn backfill(
    args: &DemoArgs,
    config: &Config,
    server: &SimServer,
    progress: &Progress,
    shutdown: Shutdown,
) -> Result<Exit, CommandError> {
    let began = std::time::Instant::now();
    let expected = expected(&server.world(), config);
    let store = Arc::new(Store::open(&config.db_path)?);
    let lease = LeaseKeeper::take(&store, shutdown.clone())?;
    let Some(lease) = lease.or_say_who_holds_it(&store) else { return Ok(Exit::LeaseHeld) };
    let crawl = CrawlArgs {
        stages: Stage::ALL.to_vec(),
        max_players: None,
        max_games: None,
        no_wait: false,
        ignore_block: true,
        settings: CrawlSettings::default(),
    };
    let report = super::crawl::run_pass(&crawl, config, &store, progress, shutdown).await;
    lease.release().await?;
    let report = report?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "Done in {}.\n", duration_text(began.elapsed().as_secs_f64()))?;
    print_pass(&mut out, &report)?;
    print_report(&mut out, &store.status(now())?)?;
    print_expected(&mut out, &expected, &store, &report)?;
    print_next(&mut out, &args.dir, &store)?;
    Ok(report.exit())
}

/// The settings of a crawl of the simulated site, whatever the environment says.
fn configure(dir: &Path, server: &SimServer) -> Result<Config, CommandError> {
    let seeds: Vec<String> = server.world().seed_ids().iter().map(ToString::to_string).collect();
    let path = |name: &str| dir.join(name).display().to_string();
    let settings = CrawlSettings {
        values: BTreeMap::from([
            ("DB_PATH", path("sync.db")),
            ("ANALYTICS_DB", path("analytics.db")),
            ("ARCHIVE_URL", path("archive")),
            ("ANALYTICS_BASE_URL", "embedded".to_owned()),
            ("SEED_IDS", seeds.join(",")),
            ("SITE_BASE_URL", server.base_url().to_owned()),
            ("DICECHESS_JWT", server.jwt().to_owned()),
            ("TRANSPORT", "reqwest".to_owned()),
            ("REQUEST_MIN_DELAY_MS", "0".to_owned()),
            ("REQUEST_JITTER_MS", "0".to_owned()),
            ("REQUEST_HOURLY_BUDGET", "0".to_owned()),
        ]),
    };
    Ok(Config::resolve(&settings)?)
}

fn expected(world: &World, config: &Config) -> Expected {
    let reachable = world.reachable_games(&config.seed_ids);
    let without_map =
        |id: &&GameId| world.game(**id).is_some_and(|game| !game.has_map && !game.is_cancelled);
    Expected {
        without_map: reachable.iter().filter(without_map).count(),
        least: world.least_requests(&config.seed_ids, config.site.page_size as usize),
        reachable,
    }
}

fn print_expected(
    out: &mut impl Write,
    expected: &Expected,
    store: &Store,
    report: &PassReport,
) -> Result<(), CommandError> {
    let status = store.status(now())?;
    let cancelled = status.games.get("skipped").copied().unwrap_or(0);
    let parked = status.games.get("error_normalize").copied().unwrap_or(0);
    writeln!(
        out,
        "\nThe simulated site holds {} games that can be reached.",
        expected.reachable.len()
    )?;
    writeln!(
        out,
        "{cancelled} were cancelled and are skipped; {} (some bots' games) have no moves on the \
         site, and {parked} are parked for that.",
        expected.without_map
    )?;
    let used: u64 = status.site_requests.values().sum();
    writeln!(
        out,
        "Requests so far: {used}. The least that finds and fetches everything is {}: {} pages, {} \
         games, {} leaderboards.",
        expected.least.total(),
        expected.least.history,
        expected.least.move_history,
        expected.least.leaderboard
    )?;
    if report.pages > 0 && used > expected.least.total() as u64 {
        writeln!(
            out,
            "The rest are overlap pages: each page begins one row before the rows not seen yet, so \
             that no game is missed when the list shifts."
        )?;
    }
    Ok(())
}

fn print_next(out: &mut impl Write, dir: &Path, store: &Store) -> Result<(), CommandError> {
    let db = store.path().display();
    // The name under which this very program can be called again.
    let program = std::env::args().next().unwrap_or_else(|| "dicechess-sync".to_owned());
    writeln!(out, "\nWhere the data lies:")?;
    let places = [
        (store.path().to_owned(), "catalogue, frontier and every raw answer"),
        (dir.join("analytics.db"), "the games that analytics accepted"),
        (dir.join("archive"), "raw bundles, one file a game"),
    ];
    for (path, holds) in places {
        writeln!(out, "  {:28}  {holds}", path.display().to_string())?;
    }
    writeln!(out, "\nWhat to try next:")?;
    for (command, does) in [
        ("show", "a game, with dice, moves and board"),
        ("status", "the numbers again"),
        ("verify", "replay every raw game by the rules"),
        ("report dice", "are the dice fair?"),
        ("report openings", "what was played first, and how it went"),
    ] {
        writeln!(out, "  {program} {command} --db-path {db}\n      {does}")?;
    }
    Ok(())
}
