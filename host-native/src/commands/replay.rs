//! `replay` and `refetch`: games through the pipeline once more.

use std::io::Write;

use clap::{Args, ValueEnum};
use dicechess_core::ids::GameId;

use super::CommandError;
use crate::clock::now;
use crate::config::{StoreSettings, resolve_store};
use crate::exit_code::Exit;
use crate::printable::counted;
use crate::store::{ReplayKind, Store, StoreError};

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "The games are normalised anew from the raw copy and sent by the next \
`crawl`; the site is not asked. `replay posted` replaces what analytics has.")]
pub struct ReplayArgs {
    /// Which games.
    #[arg(value_enum)]
    kind: Kind,
    /// Only this game.
    game: Option<GameId>,
    /// Settings.
    #[command(flatten)]
    settings: StoreSettings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Those that analytics refused.
    Rejected,
    /// Those that could not be normalised.
    Normalize,
    /// Those that were posted.
    Posted,
}

/// Puts games back into the queue for posting.
///
/// # Errors
/// The database failed, or a named game cannot be replayed.
pub fn run(args: &ReplayArgs) -> Result<Exit, CommandError> {
    let (db_path, _) = resolve_store(&args.settings)?;
    let store = Store::open_existing(&db_path)?;
    let kind = match args.kind {
        Kind::Rejected => ReplayKind::Rejected,
        Kind::Normalize => ReplayKind::Normalize,
        Kind::Posted => ReplayKind::Posted,
    };
    let replayed = store.replay(kind, args.game, now())?;
    if let (0, Some(game)) = (replayed, args.game) {
        return Err(CommandError::BadInput(match store.game_state(game)? {
            Some(state) => format!("game {game} is {}: there is nothing to replay", state.status),
            None => format!("game {game} is not in the catalogue"),
        }));
    }
    writeln!(
        std::io::stdout(),
        "{} queued for posting; `crawl` sends them.",
        counted(replayed as u64, "game is", "games are")
    )?;
    Ok(Exit::Done)
}

/// Has the site asked for a game once more.
///
/// # Errors
/// The database failed, or the game has no raw copy yet.
pub fn refetch(game: GameId, settings: &StoreSettings) -> Result<Exit, CommandError> {
    let (db_path, _) = resolve_store(settings)?;
    let store = Store::open_existing(&db_path)?;
    match store.refetch(game, now()) {
        Err(StoreError::Illegal(illegal)) => {
            let message = format!("game {game} has no moves yet to be fetched again: {illegal}");
            return Err(CommandError::BadInput(message));
        }
        outcome => outcome?,
    };
    writeln!(
        std::io::stdout(),
        "Game {game} is queued for fetching; its raw copy stays. If the answer differs,\n\
         `replay posted {game}` \
         replaces what analytics has."
    )?;
    Ok(Exit::Done)
}
