//! `doctor`: everything that could be wrong, looked at, with advice for each finding.
//!
//! Decides the order of the checks and what is asked of whom: the operator's own services always,
//! the site only when told to, since each request costs budget. Changes nothing.
//!
//! | file | looks at |
//! |---|---|
//! | `settings` | configuration, secrets and their files, what is reachable from outside |
//! | `machine` | clock, disk, curl |
//! | `database` | both databases, the lease, what is remembered of the site |
//! | `parties` | analytics, archive, the site |
//! | `finding` | what a check found |

mod database;
mod finding;
mod machine;
mod parties;
mod settings;

use clap::Args;

use super::CommandError;
use crate::config::{Config, CrawlSettings, LogFormat, resolve_analytics_db, resolve_store};
use crate::exit_code::Exit;
use crate::progress::Progress;
use finding::Findings;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each finding is ok, a warning or a problem, with advice. Nothing is changed and no secret is shown. \
Analytics and archive are asked; the site only with --ask-site, through the limiter, as the request \
counts against the budget.

Ends with 0 if there is no problem; else with 78 (settings), 74 (database or disk), 4 (the site \
refuses access) or 3 (another party cannot be reached), the first of these that applies.")]
pub struct DoctorArgs {
    /// Read the whole database, indexes included: minutes for gigabytes.
    #[arg(long)]
    full: bool,
    /// Ask the site for one row of one player's history, to see whether it lets us in.
    #[arg(long)]
    ask_site: bool,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
    /// Settings.
    #[command(flatten)]
    settings: CrawlSettings,
}

/// Looks at everything.
///
/// # Errors
/// The output cannot be written.
pub fn run(args: &DoctorArgs) -> Result<Exit, CommandError> {
    let mut findings = Findings::default();
    let config = settings::look(&args.settings, &mut findings);
    let format = config.as_ref().map_or(LogFormat::Text, |config| config.log_format);
    crate::logging::start(format, &Progress::silent());
    machine::look_at_clock(&mut findings);
    // The database can be looked at although another setting is wrong.
    let paths = resolve_store(&args.settings)
        .map(|(db_path, _)| db_path)
        .and_then(|db| Ok((db, resolve_analytics_db(&args.settings)?)));
    let contents = match paths {
        Ok((db_path, analytics_db)) => {
            machine::look_at_disk(&db_path, &mut findings);
            database::look(&db_path, &analytics_db, args.full, &mut findings)
        }
        // Told by the look at the settings.
        Err(_) => None,
    };
    if let Some(config) = &config {
        machine::look_at_curl(config, &mut findings);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(look_at_parties(args, config, contents.as_ref(), &mut findings));
    }
    let mut out = std::io::stdout().lock();
    findings.print(&mut out, args.json)?;
    Ok(findings.exit())
}

async fn look_at_parties(
    args: &DoctorArgs,
    config: &Config,
    contents: Option<&crate::store::Contents>,
    findings: &mut Findings,
) {
    parties::look_at_analytics(config, findings).await;
    parties::look_at_archive(config, findings).await;
    if args.ask_site {
        parties::ask_site(config, contents, findings).await;
    }
}
