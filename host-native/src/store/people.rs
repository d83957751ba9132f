//! Players as pages list them.
//!
//! Decides which lists there are and their order. Leaves to [`super::players`] how their state
//! changes.

use std::time::Duration;

use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::PlayerStatus;
use dicechess_core::sweep::completeness;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::columns::{count_column, millis_column, time_column, unsigned, user_column};
use super::error::Fault;
use super::gaps::count_known_games;
use super::listings::{Page, page_of, window};
use super::{Store, StoreError};

/// A list of players.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerList {
    /// Those of whom games are missing, the greatest gap first.
    Gaps,
    /// Those on the watch list.
    Watched,
    /// Those of a status, the strongest first.
    Status(PlayerStatus),
    /// Those whose id this is, or whose name contains it.
    Search(String),
}

/// A player in a list, or by himself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerRow {
    /// The player.
    pub user_id: UserId,
    /// His name, if known.
    pub username: Option<String>,
    /// `human`, `bot` or `guest`.
    pub player_type: String,
    /// His ratings.
    pub rating_classic: Option<i64>,
    /// His rating with doubling.
    pub rating_x2: Option<i64>,
    /// The state of his sweep.
    pub sync_status: String,
    /// How many steps from a seed he was found.
    pub depth: i64,
    /// How he was found.
    pub discovered_via: Option<String>,
    /// Games known of him, whoever told of them.
    pub known_games: u64,
    /// Games the site counts.
    pub total_count: Option<u64>,
    /// Games missing after his last sweep.
    pub gap: u64,
    /// Two sweeps from the start did not change it.
    pub gap_accepted: bool,
    /// The last failure.
    pub last_error: Option<String>,
    /// Failures in a row.
    pub attempts: u64,
    /// When he is tried again after a failure.
    pub next_retry_at: Option<UnixMillis>,
    /// When his history was last read to its end.
    pub last_synced_at: Option<UnixMillis>,
    /// When it is asked for again.
    pub next_refresh_at: Option<UnixMillis>,
    /// How often he is looked at, if he is watched.
    pub watched_every: Option<Duration>,
}

impl PlayerRow {
    /// The share of his games that is known; `None` while the site's count is not.
    pub fn share(&self) -> Option<f64> {
        completeness(self.known_games, self.total_count)
    }
}

impl Store {
    /// A page of a list; pages count from 0.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn list_players(
        &self,
        list: &PlayerList,
        page: u32,
        rows: u32,
    ) -> Result<Page<PlayerRow>, StoreError> {
        let (limit, offset) = window(page, rows);
        self.read(|connection| match list {
            PlayerList::Gaps => player_page(connection, GAPS, (limit, offset), rows),
            PlayerList::Watched => player_page(connection, WATCHED, (limit, offset), rows),
            PlayerList::Status(status) => {
                player_page(connection, OF_STATUS, (status.as_str(), limit, offset), rows)
            }
            PlayerList::Search(text) => {
                let (id, pattern) = (text.parse::<i64>().ok(), contains(text));
                player_page(connection, SEARCH, (id, pattern, limit, offset), rows)
            }
        })
    }

    /// One player; `None` if he is not in the frontier.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn player(&self, user: UserId) -> Result<Option<PlayerRow>, StoreError> {
        self.read(|connection| player(connection, user))
    }
}

fn player_page(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    rows: u32,
) -> Result<Page<PlayerRow>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let ids: Vec<i64> =
        statement.query_map(parameters, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let Page { rows: ids, has_more } = page_of(ids, rows);
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(player(connection, UserId(id))?);
    }
    Ok(Page { rows: found, has_more })
}

fn player(connection: &Connection, user: UserId) -> Result<Option<PlayerRow>, Fault> {
    let found = connection.prepare_cached(ROW)?.query_row([user.0], player_row).optional()?;
    let Some(mut found) = found else { return Ok(None) };
    found.known_games = count_known_games(connection, user)?;
    Ok(Some(found))
}

fn player_row(row: &Row<'_>) -> rusqlite::Result<PlayerRow> {
    let total: Option<i64> = row.get("total_count")?;
    let every: Option<i64> = row.get("every_ms")?;
    Ok(PlayerRow {
        user_id: user_column(row, "user_id")?.unwrap_or(UserId(0)),
        username: row.get("username")?,
        player_type: row.get("player_type")?,
        rating_classic: row.get("rating_classic")?,
        rating_x2: row.get("rating_x2")?,
        sync_status: row.get("sync_status")?,
        depth: row.get("depth")?,
        discovered_via: row.get("discovered_via")?,
        known_games: 0,
        total_count: total.and_then(|total| u64::try_from(total).ok()),
        gap: count_column(row, "gap")?,
        gap_accepted: row.get::<_, Option<bool>>("gap_accepted")?.unwrap_or(false),
        last_error: row.get("last_error")?,
        attempts: count_column(row, "attempts")?,
        next_retry_at: time_column(row, "next_retry_at")?,
        last_synced_at: time_column(row, "last_synced_at")?,
        next_refresh_at: millis_column(row, "next_refresh_at_ms")?,
        watched_every: every.map(|millis| Duration::from_millis(unsigned(millis))),
    })
}

/// A pattern for LIKE that finds the text as it is.
fn contains(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

const ROW: &str = "
    SELECT p.*, s.gap, s.gap_accepted, w.every_ms
    FROM players AS p LEFT JOIN player_sweeps AS s USING (user_id)
        LEFT JOIN watches AS w USING (user_id)
    WHERE p.user_id = ?1";

const GAPS: &str = "SELECT user_id FROM player_sweeps WHERE gap > 0
    ORDER BY gap DESC, user_id LIMIT ?1 OFFSET ?2";

const WATCHED: &str = "SELECT user_id FROM watches ORDER BY user_id LIMIT ?1 OFFSET ?2";

const OF_STATUS: &str = "SELECT user_id FROM players WHERE sync_status = ?1
    ORDER BY priority DESC LIMIT ?2 OFFSET ?3";

/// Reads all names; there are far fewer players than games.
const SEARCH: &str = "SELECT user_id FROM players WHERE user_id = ?1
        OR username LIKE ?2 ESCAPE '\\'
    ORDER BY user_id IS NOT ?1, priority DESC, user_id LIMIT ?3 OFFSET ?4";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_signs_as_they_are() {
        assert_eq!(contains("a_b%c\\"), "%a\\_b\\%c\\\\%");
    }
}
