//! The frontier: who is known.
//!
//! Decides how a new sighting enriches a player. Leaves claims and sweeps to [`super::sweeps`].

use dicechess_core::catalogue::Opponent;
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::{PlayerState, PlayerStatus, PlayerType};
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::columns::{iso, iso_opt, time_column, unreadable};
use super::error::Fault;
use super::{Store, StoreError};

/// How a player became known: the column `players.discovered_via`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscoveredVia {
    /// The classic leaderboard.
    Leaderboard,
    /// The x2 leaderboard.
    X2Leaderboard,
    /// A game against a player whose history was read.
    Opponent,
    /// A tournament.
    Tournament,
    /// The operator named him.
    Manual,
}

/// A player seen somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerSighting {
    /// The player.
    pub user_id: UserId,
    /// His name, if it was told.
    pub username: Option<String>,
    /// His classic rating.
    pub rating_classic: Option<i64>,
    /// His x2 rating.
    pub rating_x2: Option<i64>,
    /// His rating in a game.
    pub discovered_rating: Option<i64>,
    /// Where he was seen; kept only if he is new.
    pub via: DiscoveredVia,
    /// The distance from a seed; kept only if he is new.
    pub depth: u32,
}

impl Store {
    /// Adds a player or enriches him: name and ratings by the newest known, `discovered_rating` and
    /// `priority` by the greatest. Status, kind and depth of a known player stay. Whether he is new.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn upsert_player(
        &self,
        sighting: &PlayerSighting,
        now: UnixMillis,
    ) -> Result<bool, StoreError> {
        self.write(|tx| upsert(tx, sighting, now))
    }

    /// Adds the players the operator named. How many of them are new.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn seed_players(&self, ids: &[UserId], now: UnixMillis) -> Result<usize, StoreError> {
        self.write(|tx| {
            let mut new = 0;
            for id in ids {
                new += usize::from(upsert(tx, &PlayerSighting::seed(*id), now)?);
            }
            Ok(new)
        })
    }

    /// What kind of player he is; `None` if he is not known.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn player_type(&self, user: UserId) -> Result<Option<PlayerType>, StoreError> {
        const SQL: &str = "SELECT player_type FROM players WHERE user_id = ?1";
        self.read(|connection| {
            let mut statement = connection.prepare_cached(SQL)?;
            let text: Option<String> =
                statement.query_row([user.0], |row| row.get(0)).optional()?;
            let parse = |text: String| {
                PlayerType::parse(&text).ok_or_else(|| unreadable("players.player_type", &text))
            };
            text.map(parse).transpose()
        })
    }

    /// A player's state; `None` if he is not known.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn player_state(&self, user: UserId) -> Result<Option<PlayerState>, StoreError> {
        self.read(|connection| load_state(connection, user))
    }
}

impl PlayerSighting {
    /// A player whom the operator named.
    #[must_use]
    pub fn seed(user_id: UserId) -> Self {
        Self {
            user_id,
            username: None,
            rating_classic: None,
            rating_x2: None,
            discovered_rating: None,
            via: DiscoveredVia::Manual,
            depth: 0,
        }
    }

    /// The other player of a history entry.
    #[must_use]
    pub fn opponent(opponent: Opponent) -> Self {
        Self {
            user_id: opponent.user_id,
            username: opponent.username,
            rating_classic: None,
            rating_x2: None,
            discovered_rating: opponent.discovered_rating,
            via: DiscoveredVia::Opponent,
            depth: opponent.depth,
        }
    }

    fn priority(&self) -> i64 {
        let ratings = [self.rating_classic, self.rating_x2, self.discovered_rating];
        ratings.into_iter().flatten().fold(0, i64::max)
    }
}

impl DiscoveredVia {
    /// The column's text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Leaderboard => "leaderboard",
            Self::X2Leaderboard => "x2_leaderboard",
            Self::Opponent => "opponent",
            Self::Tournament => "tournament",
            Self::Manual => "manual",
        }
    }
}

/// See [`Store::upsert_player`]. A sighting that tells nothing new writes nothing.
pub(super) fn upsert(
    tx: &Transaction<'_>,
    sighting: &PlayerSighting,
    now: UnixMillis,
) -> Result<bool, Fault> {
    let player_type = PlayerType::classify(sighting.user_id, sighting.username.as_deref());
    let is_new = tx.prepare_cached(INSERT)?.execute(named_params! {
        ":user_id": sighting.user_id.0,
        ":username": sighting.username,
        ":player_type": player_type.as_str(),
        ":rating_classic": sighting.rating_classic,
        ":rating_x2": sighting.rating_x2,
        ":discovered_rating": sighting.discovered_rating,
        ":priority": sighting.priority(),
        ":sync_status": player_type.initial_status().as_str(),
        ":discovered_via": sighting.via.as_str(),
        ":depth": sighting.depth,
        ":now": iso(now),
    })? == 1;
    if !is_new {
        tx.prepare_cached(ENRICH)?.execute(named_params! {
            ":user_id": sighting.user_id.0,
            ":username": sighting.username,
            ":rating_classic": sighting.rating_classic,
            ":rating_x2": sighting.rating_x2,
            ":discovered_rating": sighting.discovered_rating,
            ":priority": sighting.priority(),
            ":now": iso(now),
        })?;
    }
    Ok(is_new)
}

/// The state of a player, if he is known.
pub(super) fn load_state(
    connection: &Connection,
    user: UserId,
) -> Result<Option<PlayerState>, Fault> {
    const SQL: &str = "SELECT sync_status, attempts, last_error, next_retry_at
        FROM players WHERE user_id = ?1";
    let found = connection
        .prepare_cached(SQL)?
        .query_row([user.0], |row| {
            let status: String = row.get("sync_status")?;
            let attempts = row.get::<_, Option<u32>>("attempts")?.unwrap_or(0);
            let last_error = row.get("last_error")?;
            Ok((status, attempts, last_error, time_column(row, "next_retry_at")?))
        })
        .optional()?;
    let Some((text, attempts, last_error, next_retry_at)) = found else { return Ok(None) };
    let status =
        PlayerStatus::parse(&text).ok_or_else(|| unreadable("players.sync_status", &text))?;
    Ok(Some(PlayerState { status, attempts, last_error, next_retry_at }))
}

/// Writes the state of a player.
pub(super) fn save_state(
    tx: &Transaction<'_>,
    user: UserId,
    state: &PlayerState,
    now: UnixMillis,
) -> Result<(), Fault> {
    const SQL: &str = "UPDATE players SET sync_status = :status, attempts = :attempts,
            last_error = :error, next_retry_at = :retry, updated_at = :now
        WHERE user_id = :user_id";
    tx.prepare_cached(SQL)?.execute(named_params! {
        ":status": state.status.as_str(),
        ":attempts": state.attempts,
        ":error": state.last_error,
        ":retry": iso_opt(state.next_retry_at),
        ":now": iso(now),
        ":user_id": user.0,
    })?;
    Ok(())
}

const INSERT: &str = "
    INSERT INTO players (user_id, username, player_type, rating_classic, rating_x2,
        discovered_rating, priority, sync_status, discovered_via, depth, created_at, updated_at)
    VALUES (:user_id, :username, :player_type, :rating_classic, :rating_x2,
        :discovered_rating, :priority, :sync_status, :discovered_via, :depth, :now, :now)
    ON CONFLICT (user_id) DO NOTHING";

/// The scalar MAX of SQLite is NULL as soon as one value is.
const ENRICH: &str = "
    UPDATE players SET
        username = coalesce(:username, username),
        rating_classic = coalesce(:rating_classic, rating_classic),
        rating_x2 = coalesce(:rating_x2, rating_x2),
        discovered_rating = max(coalesce(:discovered_rating, discovered_rating),
            coalesce(discovered_rating, :discovered_rating)),
        priority = max(priority, :priority),
        updated_at = :now
    WHERE user_id = :user_id AND (
        coalesce(:username, username) IS NOT username
        OR coalesce(:rating_classic, rating_classic) IS NOT rating_classic
        OR coalesce(:rating_x2, rating_x2) IS NOT rating_x2
        OR coalesce(:discovered_rating > coalesce(discovered_rating, :discovered_rating - 1), 0)
        OR :priority > priority)";
