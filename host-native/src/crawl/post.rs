//! The stage post: games with raw moves are normalised and sent to analytics, newest first.

use dicechess_core::breaker::{Breaker, Outcome};
use dicechess_core::ingest::{IngestGame, assemble_ingest};
use dicechess_core::lifecycle::{GameEvent, PostResult};
use dicechess_core::normalise::NormalizeError;
use dicechess_core::site::{BrokenEntry, HistoryEntry, UnreadableStateMap};
use thiserror::Error;

use super::{Pass, PassError, Stage, Stop};
use crate::analytics_client::PostAnswer;
use crate::clock::now;
use crate::progress::Line;
use crate::store::PostItem;

/// The stage over a whole pass.
#[derive(Debug, Default)]
pub(super) struct Posting {
    breaker: Breaker,
}

impl Posting {
    /// Posts everything that waits; tells how many games it handled.
    pub(super) async fn run(&mut self, pass: &mut Pass<'_>) -> Result<u64, PassError> {
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
                self.post(pass, item).await?;
            }
            if pass.progress.is_due(Line::Post) {
                let left = pass.store.post_left(now())?;
                let done = pass.report.posted_created + pass.report.posted_exists;
                pass.progress.show(Line::Post, done, Some(left), "");
            }
        }
        Ok(handled)
    }

    async fn post(&mut self, pass: &mut Pass<'_>, item: PostItem) -> Result<(), PassError> {
        let (game_id, replace) = (item.game_id, item.replace);
        let event = match assemble(item) {
            Ok(game) => match pass.analytics.send(game_id, game.to_json(), replace).await {
                PostAnswer::Unauthorized => {
                    // Nothing is wrong with the game, so it keeps its place.
                    pass.stop(Stop::AnalyticsRefusedToken);
                    return Ok(());
                }
                answer => self.outcome(pass, answer),
            },
            Err(error) => {
                if error.is_expected() {
                    tracing::debug!(game = %game_id, "parked: {error}");
                } else {
                    tracing::warn!(game = %game_id, "parked: {error}");
                }
                pass.report.normalize_failed += 1;
                self.breaker.record(Outcome::NormalizeError);
                GameEvent::NormalizeFailed { message: error.to_string() }
            }
        };
        pass.store.apply_game_event(game_id, event, now())?;
        Ok(())
    }

    fn outcome(&mut self, pass: &mut Pass<'_>, answer: PostAnswer) -> GameEvent {
        let (outcome, event) = match answer {
            PostAnswer::Created => {
                pass.report.posted_created += 1;
                (Outcome::Success, GameEvent::PostAccepted(PostResult::Created))
            }
            PostAnswer::Exists => {
                pass.report.posted_exists += 1;
                (Outcome::Success, GameEvent::PostAccepted(PostResult::Exists))
            }
            PostAnswer::Refused { status, reason } => {
                tracing::warn!(status, "analytics refused a game: {reason}");
                pass.report.rejected += 1;
                (Outcome::Refused, GameEvent::PostRefused { reason })
            }
            PostAnswer::Failed { message } => {
                tracing::warn!("post failed: {message}");
                pass.report.post_failed += 1;
                (Outcome::Failure, GameEvent::PostFailed { message })
            }
            PostAnswer::Unauthorized => unreachable!("handled before"),
        };
        self.breaker.record(outcome);
        if self.breaker.is_open()
            && let GameEvent::PostFailed { message } = &event
        {
            pass.stop(Stop::Breaker { stage: Stage::Post, cause: message.clone() });
        }
        event
    }
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
