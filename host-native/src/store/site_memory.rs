//! What must be remembered about the site across restarts.
//!
//! Decides how requests are counted and which are forgotten. Leaves to [`dicechess_core::pacing`]
//! what follows from them.

use std::time::Duration;

use dicechess_core::pacing::{PacingState, SiteBlock};
use dicechess_core::site::Endpoint;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, Row};

use super::columns::millis_column;
use super::error::Fault;
use super::{Store, StoreError};

impl Store {
    /// The requests of the last hour and the silence the site asked for.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn pacing_state(&self, now: UnixMillis) -> Result<PacingState, StoreError> {
        self.read(|connection| load_pacing(connection, now))
    }

    /// Counts a request that goes out now.
    ///
    /// # Errors
    /// [`StoreError`]; the request must not go out then, as nothing would remember it.
    pub fn record_site_request(
        &self,
        endpoint: Endpoint,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        const INSERT: &str = "INSERT INTO site_requests (at_ms, endpoint) VALUES (?1, ?2)";
        const COUNT: &str = "INSERT INTO site_request_totals (endpoint, count) VALUES (?1, 1)
            ON CONFLICT (endpoint) DO UPDATE SET count = count + 1";
        self.write(|tx| {
            tx.prepare_cached(INSERT)?.execute((now.0, endpoint.name()))?;
            tx.prepare_cached(COUNT)?.execute([endpoint.name()])?;
            // Times in the future were written before the clock went back.
            tx.prepare_cached("UPDATE site_requests SET at_ms = ?1 WHERE at_ms > ?1")?
                .execute([now.0])?;
            tx.prepare_cached("DELETE FROM site_requests WHERE at_ms <= ?1")?
                .execute([(now - HOUR).0])?;
            Ok(())
        })
    }

    /// Remembers until when the site asked for silence; `None` forgets it.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn set_throttled_until(&self, until: Option<UnixMillis>) -> Result<(), StoreError> {
        const SQL: &str = "UPDATE site_memory SET throttled_until_ms = ?1";
        self.write(|tx| {
            tx.prepare_cached(SQL)?.execute([until.map(|until| until.0)])?;
            Ok(())
        })
    }

    /// The last refusal of the site, if it still counts.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn site_block(&self) -> Result<Option<SiteBlock>, StoreError> {
        self.read(load_block)
    }

    /// Remembers a refusal.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn set_site_block(&self, block: &SiteBlock) -> Result<(), StoreError> {
        const SQL: &str = "UPDATE site_memory
            SET block_since_ms = ?1, block_fingerprint = ?2, block_reason = ?3";
        self.write(|tx| {
            let SiteBlock { since, fingerprint, reason } = block;
            tx.prepare_cached(SQL)?.execute((since.0, fingerprint, reason))?;
            Ok(())
        })
    }

    /// Forgets a refusal, once the site has answered.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn clear_site_block(&self) -> Result<(), StoreError> {
        const SQL: &str = "UPDATE site_memory
            SET block_since_ms = NULL, block_fingerprint = NULL, block_reason = NULL
            WHERE block_since_ms IS NOT NULL";
        self.write(|tx| {
            tx.prepare_cached(SQL)?.execute([])?;
            Ok(())
        })
    }
}

/// See [`Store::pacing_state`].
pub(super) fn load_pacing(connection: &Connection, now: UnixMillis) -> Result<PacingState, Fault> {
    const REQUESTS: &str = "SELECT at_ms FROM site_requests ORDER BY at_ms";
    const THROTTLE: &str = "SELECT throttled_until_ms FROM site_memory";
    let mut statement = connection.prepare_cached(REQUESTS)?;
    let recent: Vec<UnixMillis> = statement
        .query_map([], |row| row.get(0).map(UnixMillis))?
        .collect::<rusqlite::Result<_>>()?;
    let throttled_until = connection
        .prepare_cached(THROTTLE)?
        .query_row([], |row| millis_column(row, "throttled_until_ms"))?;
    let mut state =
        PacingState { last_request_at: recent.last().copied(), recent, throttled_until };
    state.mend(now);
    Ok(state)
}

/// See [`Store::site_block`].
pub(super) fn load_block(connection: &Connection) -> Result<Option<SiteBlock>, Fault> {
    const SQL: &str = "SELECT block_since_ms, block_fingerprint, block_reason FROM site_memory";
    let read = |row: &Row<'_>| {
        let Some(since) = millis_column(row, "block_since_ms")? else { return Ok(None) };
        let fingerprint: Option<String> = row.get("block_fingerprint")?;
        let reason: Option<String> = row.get("block_reason")?;
        Ok(Some(SiteBlock {
            since,
            fingerprint: fingerprint.unwrap_or_default(),
            reason: reason.unwrap_or_default(),
        }))
    };
    Ok(connection.prepare_cached(SQL)?.query_row([], read)?)
}

const HOUR: Duration = Duration::from_hours(1);
