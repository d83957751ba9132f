//! Claims of players, sweeps under way and what finished ones missed.
//!
//! Decides the claim order and what is saved of a sweep. Leaves the states to
//! [`PlayerState`], the pages to [`dicechess_core::sweep`] and the gap's decision to [`GapHistory`].

use std::cmp::Reverse;

use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::{PlayerEvent, PlayerState, PlayerStatus, refresh_interval};
use dicechess_core::sweep::{GapDecision, GapHistory, SweepMemory, SweepProgress, SweepResult};
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql, Transaction};

use super::columns::{count_column, iso, millis_column, signed, unsigned};
use super::error::Fault;
use super::gaps::{count_known_games, load_gap, save_gap};
use super::players::{load_state, save_state};
use super::{Store, StoreError, refresh};

/// A player whose sweep begins or goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedPlayer {
    /// The player.
    pub user_id: UserId,
    /// His name, if known.
    pub username: Option<String>,
    /// His distance from a seed.
    pub depth: u32,
    /// His priority: the greatest known rating.
    pub priority: i64,
    /// The cursor of the sweep; `None` sweeps the whole list, also when a gap is looked for.
    pub cursor: Option<UnixMillis>,
    /// Rows seen so far.
    pub offset: u64,
    /// What the sweep remembers besides.
    pub memory: Option<SweepMemory>,
    /// The site's count of his games, if known.
    pub total_count: Option<u64>,
    /// What is known of his gap.
    pub gap: GapHistory,
}

impl Store {
    /// Takes back players whose sweep an earlier run left unfinished. How many there were.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn reset_in_progress(&self, now: UnixMillis) -> Result<usize, StoreError> {
        self.write(|tx| {
            let users = users_in_progress(tx)?;
            for user in &users {
                transition(tx, *user, PlayerEvent::Reset, now)?;
            }
            Ok(users.len())
        })
    }

    /// Claims the next player: the greatest priority first, then the smallest id, among the pending
    /// ones and those whose timer is due. `None` when nobody waits.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn claim_next_player(&self, now: UnixMillis) -> Result<Option<ClaimedPlayer>, StoreError> {
        self.write(|tx| {
            let Some(user) = next_claimable(tx, now)? else { return Ok(None) };
            transition(tx, user, PlayerEvent::Claimed, now)?;
            tx.prepare_cached("UPDATE players SET last_attempt_at = ?2 WHERE user_id = ?1")?
                .execute((user.0, iso(now)))?;
            load_claimed(tx, user).map(Some)
        })
    }

    /// Records that a sweep could not go on. What was saved of it stays.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn fail_player(
        &self,
        user: UserId,
        message: &str,
        now: UnixMillis,
    ) -> Result<PlayerState, StoreError> {
        self.write(|tx| {
            transition(tx, user, PlayerEvent::SweepFailed { message: message.to_owned() }, now)
        })
    }

    /// Puts a claimed player back as he was, for a sweep that was interrupted through no fault of
    /// his: the next run goes on with it.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn release_player(&self, user: UserId, now: UnixMillis) -> Result<(), StoreError> {
        self.write(|tx| transition(tx, user, PlayerEvent::Reset, now).map(|_| ()))
    }

    /// Makes players pending whose last sweep finished at or before `synced_before`. How many.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn requeue_stale(
        &self,
        synced_before: UnixMillis,
        now: UnixMillis,
    ) -> Result<usize, StoreError> {
        const SQL: &str = "SELECT user_id FROM players
            WHERE sync_status = 'synced' AND (last_synced_at IS NULL OR last_synced_at <= ?1)";
        self.write(|tx| {
            let users = user_ids(tx, SQL, iso(synced_before))?;
            for user in &users {
                transition(tx, *user, PlayerEvent::Stale, now)?;
            }
            Ok(users.len())
        })
    }

    /// Has a player swept from the start, without his cursor. A synced player becomes pending.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn mark_for_full_resweep(&self, user: UserId, now: UnixMillis) -> Result<(), StoreError> {
        self.write(|tx| {
            let state = load_state(tx, user)?.ok_or(Fault::UnknownPlayer(user))?;
            if state.status == PlayerStatus::Synced {
                transition(tx, user, PlayerEvent::Stale, now)?;
            }
            save_progress(tx, user, &SweepProgress::default(), now)?;
            let gap = load_gap(tx, user)?;
            save_gap(
                tx,
                user,
                GapHistory { is_resweeping: true, last_resweep_at: Some(now), ..gap },
                false,
            )
        })
    }
}

/// Applies an event to a player and saves the new state.
pub(super) fn transition(
    tx: &Transaction<'_>,
    user: UserId,
    event: PlayerEvent,
    now: UnixMillis,
) -> Result<PlayerState, Fault> {
    let state = load_state(tx, user)?.ok_or(Fault::UnknownPlayer(user))?.apply(event, now)?;
    save_state(tx, user, &state, now)?;
    Ok(state)
}

/// Saves where a sweep stands.
pub(super) fn save_progress(
    tx: &Transaction<'_>,
    user: UserId,
    progress: &SweepProgress,
    now: UnixMillis,
) -> Result<(), Fault> {
    const OFFSET: &str =
        "UPDATE players SET enumerate_offset = ?2, updated_at = ?3 WHERE user_id = ?1";
    const MEMORY: &str = "INSERT INTO player_sweeps (user_id, memory) VALUES (?1, ?2)
        ON CONFLICT (user_id) DO UPDATE SET memory = excluded.memory";
    tx.prepare_cached(OFFSET)?.execute((user.0, signed(progress.offset), iso(now)))?;
    let memory = progress.memory.as_ref().map(|memory| {
        serde_json::to_string(memory).expect("a memory has only string keys and whole numbers")
    });
    tx.prepare_cached(MEMORY)?.execute((user.0, memory))?;
    Ok(())
}

/// Saves the outcome of a finished sweep, and what follows from the gap it left.
pub(super) fn finish(
    tx: &Transaction<'_>,
    user: UserId,
    result: &SweepResult,
    now: UnixMillis,
) -> Result<(GapDecision, u64), Fault> {
    const PLAYER: &str = "UPDATE players SET synced_through_ms = ?2, enumerate_complete = 1,
        last_synced_at = ?3, next_refresh_at_ms = ?4 WHERE user_id = ?1";
    const OUTCOME: &str = "UPDATE player_sweeps
        SET known_games = ?2, counted_games = ?3, finished_at = ?4 WHERE user_id = ?1";
    transition(tx, user, PlayerEvent::SweepFinished, now)?;
    let refresh_at = now + refresh_interval(refresh::activity(tx, user, now)?, now);
    let cursor = result.cursor.map(|at| at.0);
    tx.prepare_cached(PLAYER)?.execute((user.0, cursor, iso(now), refresh_at.0))?;

    let known = count_known_games(tx, user)?;
    let counted = result.least_total_count;
    let (decision, gap) = load_gap(tx, user)?.after_sweep(known, counted, now);
    save_gap(tx, user, gap, decision == GapDecision::Accepted)?;
    let counted = counted.map(signed);
    tx.prepare_cached(OUTCOME)?.execute((user.0, signed(known), counted, iso(now)))?;
    if decision == GapDecision::Resweep {
        transition(tx, user, PlayerEvent::Stale, now)?;
    }
    Ok((decision, known))
}

fn users_in_progress(tx: &Transaction<'_>) -> rusqlite::Result<Vec<UserId>> {
    user_ids(tx, "SELECT user_id FROM players WHERE sync_status = ?1", "in_progress")
}

pub(super) fn user_ids(
    connection: &Connection,
    sql: &str,
    parameter: impl ToSql,
) -> rusqlite::Result<Vec<UserId>> {
    connection.prepare_cached(sql)?.query_map([parameter], |row| row.get(0).map(UserId))?.collect()
}

/// The better of the heads of the two queues, both of which the frontier's index gives in order.
fn next_claimable(connection: &Connection, now: UnixMillis) -> Result<Option<UserId>, Fault> {
    let heads = [head(connection, PENDING, ())?, head(connection, RETRY, (iso(now),))?];
    let best =
        heads.into_iter().flatten().max_by_key(|(priority, user)| (*priority, Reverse(*user)));
    Ok(best.map(|(_, user)| user))
}

fn head(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
) -> rusqlite::Result<Option<(i64, UserId)>> {
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1).map(UserId)?));
    connection.prepare_cached(sql)?.query_row(parameters, row).optional()
}

fn load_claimed(connection: &Connection, user: UserId) -> Result<ClaimedPlayer, Fault> {
    const SQL: &str = "SELECT username, depth, priority, synced_through_ms, enumerate_offset,
            total_count, memory
        FROM players LEFT JOIN player_sweeps USING (user_id) WHERE user_id = ?1";
    let gap = load_gap(connection, user)?;
    let mut claimed = connection
        .prepare_cached(SQL)?
        .query_row([user.0], |row| claimed_player(row, user, gap))?;
    claimed.cursor = match claimed.cursor {
        Some(_) if gap.is_resweeping => None,
        Some(cursor) => Some(oldest_running(connection, user)?.map_or(cursor, |at| at.min(cursor))),
        None => None,
    };
    Ok(claimed)
}

/// When the oldest game started that this player told of and that had no result yet. It lies behind
/// his cursor, and only his own entry can bring the result.
pub(super) fn oldest_running(
    connection: &Connection,
    user: UserId,
) -> Result<Option<UnixMillis>, Fault> {
    const SQL: &str = "SELECT min(started_at_ms) AS started FROM games
        WHERE discovered_from = ?1 AND status = 'discovered' AND result IS NULL";
    let read = |row: &Row<'_>| millis_column(row, "started");
    Ok(connection.prepare_cached(SQL)?.query_row([user.0], read)?)
}

fn claimed_player(
    row: &Row<'_>,
    user_id: UserId,
    gap: GapHistory,
) -> rusqlite::Result<ClaimedPlayer> {
    let memory: Option<String> = row.get("memory")?;
    let read = memory.as_deref().map(serde_json::from_str::<SweepMemory>);
    // What cannot be read back was written by another version: the sweep has to begin anew.
    let offset = if let Some(Err(_)) = read { 0 } else { count_column(row, "enumerate_offset")? };
    Ok(ClaimedPlayer {
        user_id,
        username: row.get("username")?,
        depth: row.get("depth")?,
        priority: row.get("priority")?,
        cursor: millis_column(row, "synced_through_ms")?,
        offset,
        memory: read.and_then(Result::ok),
        total_count: row.get::<_, Option<i64>>("total_count")?.map(unsigned),
        gap,
    })
}

pub(super) const PENDING: &str = "SELECT priority, user_id FROM players
    WHERE sync_status = 'pending'
    ORDER BY priority DESC, user_id LIMIT 1";
pub(super) const RETRY: &str = "SELECT priority, user_id FROM players
    WHERE sync_status = 'error' AND (next_retry_at IS NULL OR next_retry_at <= ?1)
    ORDER BY priority DESC, user_id LIMIT 1";
