//! An operator's "try again now".
//!
//! Decides that failed games lose their timer and keep everything else, their count of failures
//! too: the next failure waits as long as it would have. Leaves the attempt to the crawl.

use dicechess_core::lifecycle::ErrorStage;
use dicechess_core::time::UnixMillis;

use super::columns::iso;
use super::{Store, StoreError};

impl Store {
    /// Makes all games due at once that failed in a stage and wait for their timer. How many.
    ///
    /// # Errors
    /// [`StoreError`]. It commits in batches and can simply be repeated.
    pub fn retry_now(&self, stage: ErrorStage, now: UnixMillis) -> Result<usize, StoreError> {
        const SQL: &str = "UPDATE games SET next_retry_at = ?2, updated_at = ?2
            WHERE rowid IN (SELECT rowid FROM games
                WHERE status = 'error' AND next_retry_at > ?2 AND error_stage = ?1 LIMIT ?3)";
        let mut hurried = 0;
        loop {
            let batch = self.write(|tx| {
                Ok(tx.prepare_cached(SQL)?.execute((stage.as_str(), iso(now), BATCH))?)
            })?;
            hurried += batch;
            if batch == 0 {
                return Ok(hurried);
            }
        }
    }
}

const BATCH: u32 = 5000;
