//! The stage post: games with raw moves are normalised and sent to analytics, newest first.

use dicechess_core::breaker::Outcome;
use dicechess_core::delivery::{NO_ANSWER, PostAnswer};
use dicechess_core::ids::GameId;
use dicechess_core::ingest::{IngestGame, assemble_ingest};
use dicechess_core::lifecycle::GameEvent;
use dicechess_core::normalise::NormalizeError;
use dicechess_core::site::{BrokenEntry, HistoryEntry, UnreadableStateMap};
use thiserror::Error;

use super::{Pass, PassError, Stage, Stop};
use crate::clock::now;
use crate::progress::Line;
use crate::store::PostItem;
use crate::telemetry::Delivery;

/// Posts everything that waits; tells how many games it handled.
pub(super) async fn run(pass: &mut Pass<'_>) -> Result<u64, PassError> {
    let mut handled = 0;
    while pass.may_go_on(Stage::Post) {
        let batch = pass.store.next_to_post(now(), pass.settings.post_batch)?;
        if batch.is_empty() {
            break;
        }
        for item in batch {
            if !pass.may_go_on(Stage::Post) {
                break;
            }
            handled += 1;
            post(pass, item).await?;
        }
        if pass.tools.progress.is_due(Line::Post) {
            let left = pass.store.post_left(now())?;
            let done = pass.report.posted_created + pass.report.posted_exists;
            pass.tools.progress.show(Line::Post, done, Some(left), "");
        }
    }
    Ok(handled)
}

async fn post(pass: &mut Pass<'_>, item: PostItem) -> Result<(), PassError> {
    let (game, replace) = (item.game_id, item.replace);
    let entry = item.history_meta_json.clone();
    let event = match assemble(item) {
        Ok(document) => {
            let answer = send(pass, game, document.to_json(), replace).await?;
            note(pass, game, &answer);
            answer.into_event()
        }
        Err(error) => {
            if error.is_expected() {
                tracing::debug!(%game, "parked: {error}");
            } else {
                tracing::warn!(%game, "parked: {error}");
            }
            pass.report.normalize_failed += 1;
            pass.tools.telemetry.delivered(Delivery::Parked);
            pass.record(Stage::Post, Outcome::NormalizeError, None);
            Some(GameEvent::NormalizeFailed { message: error.to_string() })
        }
    };
    // Without an event nothing is wrong with the game, so it keeps its place.
    if let Some(event) = event {
        pass.store.record_post(game, event, entry.as_deref(), now())?;
    }
    Ok(())
}

/// Sends a game. What analytics has already may be what a browser posted, which anybody can forge
/// who is let in without a token: ours takes its place.
async fn send(
    pass: &Pass<'_>,
    game: GameId,
    body: String,
    replace: bool,
) -> Result<PostAnswer, PassError> {
    let analytics = &pass.tools.parties.analytics;
    let answer = analytics.send(game, body.clone(), replace).await;
    let may_be_a_browsers = !replace && matches!(answer, PostAnswer::Exists { .. });
    if may_be_a_browsers && pass.store.was_posted_by_browser(game)? {
        tracing::debug!(%game, "in the place of what a browser posted");
        return Ok(analytics.send(game, body, true).await);
    }
    Ok(answer)
}

/// Counts and tells what analytics answered.
fn note(pass: &mut Pass<'_>, game: GameId, answer: &PostAnswer) {
    let (delivery, outcome) = match answer {
        PostAnswer::Created { .. } => {
            tracing::debug!(%game, "posted, new to analytics");
            pass.report.posted_created += 1;
            (Delivery::Created, Outcome::Success)
        }
        PostAnswer::Exists { .. } => {
            tracing::debug!(%game, "posted, known to analytics");
            pass.report.posted_exists += 1;
            (Delivery::Exists, Outcome::Success)
        }
        PostAnswer::Refused { status, reason } => {
            tracing::warn!(%game, status, "analytics refused a game: {reason}");
            pass.report.rejected += 1;
            (Delivery::Refused, Outcome::Refused)
        }
        PostAnswer::TimedOut => return note_failure(pass, game, NO_ANSWER),
        PostAnswer::Failed { message } => return note_failure(pass, game, message),
        PostAnswer::Unauthorized => return pass.stop(Stop::AnalyticsRefusedToken),
    };
    pass.tools.telemetry.delivered(delivery);
    pass.record(Stage::Post, outcome, None);
}

fn note_failure(pass: &mut Pass<'_>, game: GameId, message: &str) {
    tracing::warn!(%game, "post failed: {message}");
    pass.report.post_failed += 1;
    pass.tools.telemetry.delivered(Delivery::Failed);
    pass.record(Stage::Post, Outcome::Failure, Some(message));
}

/// Why no ingest document can be made of a stored game.
#[derive(Debug, Error)]
enum AssembleError {
    #[error("no history entry is stored for this game")]
    NoEntry,
    #[error("it is not known whose history told of this game")]
    NoSource,
    #[error(transparent)]
    Entry(#[from] BrokenEntry),
    #[error(transparent)]
    Normalize(#[from] NormalizeError),
}

impl AssembleError {
    /// Some bots' games have no moves on the site; thousands of warnings would hide real ones.
    fn is_expected(&self) -> bool {
        matches!(self, Self::Normalize(NormalizeError::Map(UnreadableStateMap::NoStateMap)))
    }
}

/// Makes the ingest document of a game from what is stored.
fn assemble(item: PostItem) -> Result<IngestGame, AssembleError> {
    let meta = item.history_meta_json.ok_or(AssembleError::NoEntry)?;
    let queried = item.meta_source_user_id.ok_or(AssembleError::NoSource)?;
    let entry = HistoryEntry::parse(&meta)?;
    let game = entry.normalize(queried, &item.move_history_json)?;
    Ok(assemble_ingest(&entry, queried, game, [item.white, item.black]))
}
