//! `watch`: players whose games are wanted within minutes of their end.

use std::io::Write;
use std::time::Duration;

use clap::{Args, Subcommand};
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::PlayerType;

use super::CommandError;
use crate::clock::now;
use crate::config::{StoreSettings, resolve_store};
use crate::exit_code::Exit;
use crate::printable::printable;
use crate::progress::duration_text;
use crate::store::{Store, Watch};

/// Arguments of `watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Watch a player: `serve` looks at his history so often and fetches what is new at once.
    ///
    /// Each look is one request of the hourly budget: every 2 minutes costs 30 of 600.
    Add {
        /// The site's user id.
        #[arg(allow_negative_numbers = true)]
        player: UserId,
        /// The time between two looks, such as 2m; at least 30s.
        #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = interval)]
        every: Duration,
        #[command(flatten)]
        settings: StoreSettings,
    },
    /// Who is watched, and what came of it.
    List {
        /// Print JSON for scripts.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: StoreSettings,
    },
    /// Watch a player no longer.
    Remove {
        /// The site's user id.
        #[arg(allow_negative_numbers = true)]
        player: UserId,
        #[command(flatten)]
        settings: StoreSettings,
    },
}

/// Looks more often than this would only spend the budget.
const SHORTEST: Duration = Duration::from_secs(30);

/// Changes or shows the watch list. A running `serve` follows within seconds.
///
/// # Errors
/// The database failed, or the player is not watched.
pub fn run(args: &WatchArgs) -> Result<Exit, CommandError> {
    let mut out = std::io::stdout().lock();
    match &args.action {
        Action::Add { player, every, settings } => {
            refuse_who_is_not_asked_for(*player, PlayerType::classify(*player, None))?;
            let store = super::open_or_begin(&resolve_store(settings)?.0, &mut out)?;
            if let Some(kind) = store.player_type(*player)? {
                refuse_who_is_not_asked_for(*player, kind)?;
            }
            store.add_watch(*player, *every, now())?;
            let every = humantime::format_duration(*every);
            writeln!(out, "Player {player} is watched every {every} while `serve` runs.")?;
        }
        Action::List { json, settings } => {
            let watches = open(settings)?.watches()?;
            if *json {
                let text = serde_json::to_string(&watches).map_err(std::io::Error::from)?;
                writeln!(out, "{text}")?;
            } else if watches.is_empty() {
                writeln!(out, "Nobody is watched: `dicechess-sync watch add ID --every 2m`")?;
            }
            for watch in watches.iter().filter(|_| !json) {
                writeln!(out, "{}", describe(watch))?;
            }
        }
        Action::Remove { player, settings } => {
            if !open(settings)?.remove_watch(*player)? {
                return Err(CommandError::BadInput(format!("player {player} is not watched")));
            }
            writeln!(out, "Player {player} is watched no longer.")?;
        }
    }
    Ok(Exit::Done)
}

/// Looks at such a player would be made for ever and find nothing.
fn refuse_who_is_not_asked_for(player: UserId, kind: PlayerType) -> Result<(), CommandError> {
    let who = match kind {
        PlayerType::Human => return Ok(()),
        PlayerType::Bot => "a bot of the site",
        PlayerType::Guest => "a guest",
    };
    Err(CommandError::BadInput(format!(
        "player {player} is {who}, whose history is not asked for: watch the humans it plays against"
    )))
}

fn open(settings: &StoreSettings) -> Result<Store, CommandError> {
    Ok(Store::open_existing(&resolve_store(settings)?.0)?)
}

fn interval(text: &str) -> Result<Duration, String> {
    let every = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if every < SHORTEST {
        return Err(format!("less than {} s only spends the budget", SHORTEST.as_secs()));
    }
    Ok(every)
}

fn describe(watch: &Watch) -> String {
    let name = printable(watch.username.as_deref().unwrap_or("unnamed"));
    let last = watch.last_look_at.as_deref().unwrap_or("never");
    let every = duration_text(watch.every_seconds as f64);
    let trouble = match &watch.last_error {
        Some(error) => format!("; the last look failed: {}", printable(error)),
        None => String::new(),
    };
    format!(
        "{} ({name}) every {every}: {} looks, {} games found, last {last}, next {}{trouble}",
        watch.user_id, watch.looks, watch.found_games, watch.next_look_at
    )
}
