//! The gaps of players: games the site counts and we do not know.
//!
//! Decides how a gap is kept and what counts as a known game. Leaves to [`GapHistory`] what follows.

use dicechess_core::ids::UserId;
use dicechess_core::sweep::GapHistory;
use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::columns::{count_column, millis_column, signed, unsigned};
use super::error::Fault;
use super::{Store, StoreError};

impl Store {
    /// How many games we know of a player, whichever side he played and whoever told of them.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn known_games(&self, user: UserId) -> Result<u64, StoreError> {
        self.read(|connection| count_known_games(connection, user))
    }
}

/// See [`Store::known_games`].
pub(super) fn count_known_games(connection: &Connection, user: UserId) -> Result<u64, Fault> {
    const SQL: &str = "SELECT (SELECT count(*) FROM games WHERE white_user_id = ?1)
        + (SELECT count(*) FROM games WHERE black_user_id = ?1)";
    let count = connection.prepare_cached(SQL)?.query_row([user.0], |row| row.get(0))?;
    Ok(unsigned(count))
}

/// What is known of a player's gap.
pub(super) fn load_gap(connection: &Connection, user: UserId) -> Result<GapHistory, Fault> {
    const SQL: &str = "SELECT gap, gap_unchanged, is_resweeping, last_resweep_at_ms
        FROM player_sweeps WHERE user_id = ?1";
    let gap = connection
        .prepare_cached(SQL)?
        .query_row([user.0], |row| {
            Ok(GapHistory {
                gap: count_column(row, "gap")?,
                unchanged: row.get("gap_unchanged")?,
                is_resweeping: row.get("is_resweeping")?,
                last_resweep_at: millis_column(row, "last_resweep_at_ms")?,
            })
        })
        .optional()?;
    Ok(gap.unwrap_or_default())
}

/// Writes what is known of a player's gap.
pub(super) fn save_gap(
    tx: &Transaction<'_>,
    user: UserId,
    history: GapHistory,
    is_accepted: bool,
) -> Result<(), Fault> {
    const SQL: &str = "INSERT INTO player_sweeps (user_id, gap, gap_unchanged, gap_accepted,
            is_resweeping, last_resweep_at_ms)
        VALUES (:user_id, :gap, :unchanged, :accepted, :resweeping, :last)
        ON CONFLICT (user_id) DO UPDATE SET gap = excluded.gap,
            gap_unchanged = excluded.gap_unchanged, gap_accepted = excluded.gap_accepted,
            is_resweeping = excluded.is_resweeping,
            last_resweep_at_ms = excluded.last_resweep_at_ms";
    tx.prepare_cached(SQL)?.execute(named_params! {
        ":user_id": user.0,
        ":gap": signed(history.gap),
        ":unchanged": history.unchanged,
        ":accepted": is_accepted,
        ":resweeping": history.is_resweeping,
        ":last": history.last_resweep_at.map(|at| at.0),
    })?;
    Ok(())
}
