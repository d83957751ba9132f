//! The acceptance of one page of a player's history.
//!
//! Decides that all a page brings is saved in one transaction: its games, its opponents, its
//! broken entries, the counts, the sweep's progress and, after the last page, the sweep's end.
//! Leaves the rows to [`super::page_rows`] and the end to [`super::sweeps`].

use dicechess_core::ids::UserId;
use dicechess_core::site::HistoryRow;
use dicechess_core::sweep::{GapDecision, SweepProgress, SweepResult};
use dicechess_core::time::UnixMillis;
use rusqlite::{Transaction, named_params};

use super::columns::{iso, signed};
use super::error::Fault;
use super::page_rows::{RowOutcome, accept_row};
use super::{Store, StoreError, sweeps};

/// A page to accept.
#[derive(Debug)]
pub struct PageAcceptance<'a> {
    /// Whose history it is.
    pub user_id: UserId,
    /// His distance from a seed.
    pub depth: u32,
    /// The rows to take, [`dicechess_core::sweep::PageOutcome::take`] from the first on.
    pub rows: &'a [HistoryRow<'a>],
    /// The page's `totalCount`.
    pub total_count: Option<u64>,
    /// Where the sweep stands after this page.
    pub progress: SweepProgress,
    /// The sweep's result, after its last page.
    pub finished: Option<SweepResult>,
}

/// What a page brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageAccepted {
    /// Games that were not in the catalogue.
    pub new_games: usize,
    /// Players who were not in the frontier.
    pub new_players: usize,
    /// Entries that could not be read, known ones included.
    pub broken: usize,
    /// After the last page: what follows from the gap, and the games known of the player.
    pub finished: Option<(GapDecision, u64)>,
}

impl Store {
    /// Saves all that a page brings, or nothing.
    ///
    /// A finished sweep makes the player `synced`, or `pending` at once if his gap asks for a sweep
    /// from the start. `games_discovered` grows by the games that were not seen in this player's
    /// own history before, so that rows repeated by overlapping pages count once.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn accept_history_page(
        &self,
        page: &PageAcceptance<'_>,
        now: UnixMillis,
    ) -> Result<PageAccepted, StoreError> {
        self.write(|tx| {
            let mut accepted = PageAccepted::default();
            let mut seen_first = 0;
            for row in page.rows {
                let outcome = accept_row(tx, row, page.user_id, page.depth, now)?;
                seen_first += u64::from(outcome.is_first_sight());
                accepted.count(outcome);
            }
            save_counts(tx, page, seen_first, now)?;
            sweeps::save_progress(tx, page.user_id, &page.progress, now)?;
            if let Some(result) = &page.finished {
                accepted.finished = Some(sweeps::finish(tx, page.user_id, result, now)?);
            }
            Ok(accepted)
        })
    }
}

impl PageAccepted {
    pub(super) fn count(&mut self, outcome: RowOutcome) {
        match outcome {
            RowOutcome::Broken => self.broken += 1,
            RowOutcome::Game { is_new, is_new_opponent, .. } => {
                self.new_games += usize::from(is_new);
                self.new_players += usize::from(is_new_opponent);
            }
        }
    }
}

fn save_counts(
    tx: &Transaction<'_>,
    page: &PageAcceptance<'_>,
    seen_first: u64,
    now: UnixMillis,
) -> Result<(), Fault> {
    const SQL: &str = "UPDATE players SET total_count = coalesce(:total, total_count),
            games_discovered = games_discovered + :seen, updated_at = :now
        WHERE user_id = :user_id";
    let changed = tx.prepare_cached(SQL)?.execute(named_params! {
        ":total": page.total_count.map(signed),
        ":seen": signed(seen_first),
        ":now": iso(now),
        ":user_id": page.user_id.0,
    })?;
    if changed == 0 { Err(Fault::UnknownPlayer(page.user_id)) } else { Ok(()) }
}
