//! The native host: it acts on what the core decides.
//!
//! | module | does |
//! |---|---|
//! | [`cli`], [`commands`], [`exit_code`] | what the program is told and how it answers |
//! | [`config`] | what the operator configured |
//! | [`crawl`] | a pass: enumerate, fetch, post, archive |
//! | [`daemon`] | one cycle after the other, for months |
//! | [`web`] | what the daemon serves: dashboard, gateway, analytics API, probes, metrics |
//! | [`telemetry`] | what is counted for metrics |
//! | [`store`] | keeps catalogue, frontier, raw answers and the site's memory in SQLite |
//! | [`site`] | asks the site, through one limiter |
//! | [`analytics`], [`analytics_client`] | posts games, in process or over HTTP |
//! | [`archive`] | mirrors raw bundles |
//! | [`document`] | the ingest document of a stored game, for whoever shows it |
//! | [`progress`], [`logging`], [`printable`] | what a person sees meanwhile |
//! | [`clock`], [`shutdown`] | time and signals |

pub mod analytics;
pub mod analytics_client;
pub mod archive;
pub mod cli;
pub mod clock;
pub mod commands;
pub mod config;
pub mod crawl;
pub mod daemon;
pub mod document;
pub mod exit_code;
mod http_client;
pub mod logging;
pub mod printable;
pub mod progress;
pub mod shutdown;
pub mod site;
pub mod store;
pub mod telemetry;
pub mod web;

use cli::{Cli, Command};
use commands::CommandError;
use exit_code::Exit;

/// Runs a command and says how the program ends.
pub fn run(cli: Cli) -> Exit {
    match dispatch(cli.command) {
        Ok(exit) => exit,
        Err(error) if error.is_closed_pipe() => Exit::Done,
        Err(error) => {
            logging::tell_error(&error);
            error.exit()
        }
    }
}

fn dispatch(command: Command) -> Result<Exit, CommandError> {
    match command {
        Command::Demo(args) => commands::demo::run(&args),
        Command::Crawl(args) => commands::crawl::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Watch(args) => commands::watch::run(&args),
        Command::Status { json, settings } => commands::status::run(json, &settings),
        Command::Seed { ids, settings } => commands::seed::run(&ids, &settings),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Pair(args) => commands::pair::run(&args),
        Command::Refetch { game, settings } => commands::replay::refetch(game, &settings),
        Command::Show { game, json, settings } => commands::show::run(game, json, &settings),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Normalize(args) => commands::normalize::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Analytics { settings } => commands::analytics::run(&settings),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Backup(args) => commands::backup::run(&args),
        Command::Restore(args) => commands::restore::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Sim(args) => commands::sim::run(&args),
    }
}
