//! Games as pages list them.
//!
//! Decides which lists there are, their order, and that each is walked along an index, so that a
//! page costs the same whether there are a thousand games or a million. A list is first found as
//! row numbers; the rows are then read one by one, which keeps the order.

use dicechess_core::ids::UserId;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::columns::{millis_column, time_column, user_column};
use super::error::Fault;
use super::{Reason, Store, StoreError};

/// A list of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameList {
    /// All, those found last first.
    All,
    /// Those whose moves are wanted, in the order of the queue.
    ToFetch,
    /// Those that analytics has yet to get, in the order of the queue.
    ToPost,
    /// Those that analytics has, those found last first.
    Posted,
    /// Those that failed and wait for their timer, the next one first.
    Waiting,
    /// Those that analytics refused.
    Rejected,
    /// Those that could not be normalised.
    Parked,
    /// Of these, those whose moves the site keeps: something in them is unknown.
    ParkedWithMoves,
    /// Those that the site cancelled.
    Skipped,
}

/// A game in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRow {
    /// The game.
    pub game_id: String,
    /// Its status.
    pub status: String,
    /// The stage that failed, in the status `error`.
    pub error_stage: Option<String>,
    /// White.
    pub white: Option<UserId>,
    /// White's name, if known.
    pub white_name: Option<String>,
    /// Black.
    pub black: Option<UserId>,
    /// Black's name, if known.
    pub black_name: Option<String>,
    /// When it started.
    pub started_at: Option<UnixMillis>,
    /// White's result.
    pub result: Option<i64>,
    /// Whether the stake could be doubled.
    pub allow_doubling: bool,
    /// Thinking time in seconds.
    pub time_initial_sec: Option<i64>,
    /// Increment in seconds.
    pub time_increment_sec: Option<i64>,
    /// Why it was refused, or its last failure.
    pub reason: Option<String>,
    /// When it is tried again.
    pub next_retry_at: Option<UnixMillis>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// Its rows.
    pub rows: Vec<T>,
    /// Whether more follow.
    pub has_more: bool,
}

/// A request of the last hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRequestSeen {
    /// When it went out.
    pub at: UnixMillis,
    /// `history`, `move_history` or `leaderboard`.
    pub endpoint: String,
}

impl Store {
    /// A page of a list; pages count from 0.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn list_games(
        &self,
        list: GameList,
        page: u32,
        rows: u32,
    ) -> Result<Page<GameRow>, StoreError> {
        let (limit, offset) = window(page, rows);
        self.read(|connection| game_page(connection, list.sql(), (limit, offset), rows))
    }

    /// A page of a player's games, the latest start first; pages count from 0.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn list_games_of(
        &self,
        user: UserId,
        page: u32,
        rows: u32,
    ) -> Result<Page<GameRow>, StoreError> {
        let (limit, offset) = window(page, rows);
        self.read(|connection| game_page(connection, OF_PLAYER, (user.0, limit, offset), rows))
    }

    /// The requests of the last hour, oldest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn site_requests_seen(&self) -> Result<Vec<SiteRequestSeen>, StoreError> {
        const SQL: &str = "SELECT at_ms, endpoint FROM site_requests ORDER BY at_ms";
        self.read(|connection| {
            let mut statement = connection.prepare_cached(SQL)?;
            let rows = statement.query_map([], |row| {
                Ok(SiteRequestSeen { at: UnixMillis(row.get(0)?), endpoint: row.get(1)? })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The most frequent reasons why histories of players could not be read.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn player_failures(&self) -> Result<Vec<Reason>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(PLAYER_FAILURES)?;
            let rows = statement.query_map([], |row| {
                let games: i64 = row.get(1)?;
                Ok(Reason {
                    status: "error_enumerate".to_owned(),
                    reason: row.get(0)?,
                    games: super::columns::unsigned(games),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

impl GameList {
    /// The row numbers in the order of the list; `?1` is the limit, `?2` the offset.
    const fn sql(self) -> &'static str {
        match self {
            Self::All => "SELECT rowid FROM games ORDER BY rowid DESC LIMIT ?1 OFFSET ?2",
            Self::ToFetch => {
                "SELECT rowid FROM games INDEXED BY ix_games_to_fetch
                WHERE status = 'discovered' OR (status = 'error' AND error_stage = 'fetch')
                ORDER BY started_at_ms DESC, game_id LIMIT ?1 OFFSET ?2"
            }
            Self::ToPost => {
                "SELECT rowid FROM games INDEXED BY ix_games_to_post
                WHERE status = 'fetched' OR (status = 'error' AND error_stage = 'post')
                ORDER BY started_at_ms DESC, game_id LIMIT ?1 OFFSET ?2"
            }
            // Rows of one status without a timer lie in the order of their numbers in the index.
            Self::Posted => {
                "SELECT rowid FROM games WHERE status = 'posted' AND next_retry_at IS NULL
                ORDER BY rowid DESC LIMIT ?1 OFFSET ?2"
            }
            Self::Waiting => {
                "SELECT rowid FROM games WHERE status = 'error' AND next_retry_at > ''
                ORDER BY next_retry_at LIMIT ?1 OFFSET ?2"
            }
            Self::Rejected => {
                "SELECT rowid FROM games WHERE status = 'rejected' AND next_retry_at IS NULL
                ORDER BY rowid DESC LIMIT ?1 OFFSET ?2"
            }
            Self::Parked => {
                "SELECT rowid FROM games WHERE status = 'error' AND next_retry_at IS NULL
                    AND error_stage = 'normalize'
                ORDER BY rowid DESC LIMIT ?1 OFFSET ?2"
            }
            Self::ParkedWithMoves => {
                "SELECT rowid FROM games WHERE status = 'error' AND next_retry_at IS NULL
                    AND error_stage = 'normalize' AND last_error IS NOT 'the game has no state map'
                ORDER BY rowid DESC LIMIT ?1 OFFSET ?2"
            }
            Self::Skipped => {
                "SELECT rowid FROM games WHERE status = 'skipped' AND next_retry_at IS NULL
                ORDER BY rowid DESC LIMIT ?1 OFFSET ?2"
            }
        }
    }
}

/// Limit and offset of a page; one row more than shown tells whether another page follows.
pub(super) fn window(page: u32, rows: u32) -> (i64, i64) {
    (i64::from(rows) + 1, i64::from(page) * i64::from(rows))
}

/// Cuts off the row that only tells that another page follows.
pub(super) fn page_of<T>(mut rows: Vec<T>, shown: u32) -> Page<T> {
    let shown = shown as usize;
    let has_more = rows.len() > shown;
    rows.truncate(shown);
    Page { rows, has_more }
}

fn game_page(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    rows: u32,
) -> Result<Page<GameRow>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let numbers: Vec<i64> =
        statement.query_map(parameters, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let Page { rows: numbers, has_more } = page_of(numbers, rows);
    let mut one = connection.prepare_cached(ROW)?;
    let found: Vec<Option<GameRow>> = numbers
        .iter()
        .map(|number| one.query_row([number], game_row).optional())
        .collect::<rusqlite::Result<_>>()?;
    Ok(Page { rows: found.into_iter().flatten().collect(), has_more })
}

fn game_row(row: &Row<'_>) -> rusqlite::Result<GameRow> {
    Ok(GameRow {
        game_id: row.get("game_id")?,
        status: row.get("status")?,
        error_stage: row.get("error_stage")?,
        white: user_column(row, "white_user_id")?,
        white_name: row.get("white_name")?,
        black: user_column(row, "black_user_id")?,
        black_name: row.get("black_name")?,
        started_at: millis_column(row, "started_at_ms")?,
        result: row.get("result")?,
        allow_doubling: row.get::<_, Option<bool>>("allow_doubling")?.unwrap_or(false),
        time_initial_sec: row.get("time_initial_sec")?,
        time_increment_sec: row.get("time_increment_sec")?,
        reason: row.get("reason")?,
        next_retry_at: time_column(row, "next_retry_at")?,
    })
}

const ROW: &str = "
    SELECT g.game_id, g.status, g.error_stage, g.white_user_id, g.black_user_id, g.started_at_ms,
        g.result, g.allow_doubling, g.time_initial_sec, g.time_increment_sec, g.next_retry_at,
        coalesce(g.reject_reason, g.last_error) AS reason,
        w.username AS white_name, b.username AS black_name
    FROM games AS g LEFT JOIN players AS w ON w.user_id = g.white_user_id
        LEFT JOIN players AS b ON b.user_id = g.black_user_id
    WHERE g.rowid = ?1";

/// All games of one player are sorted: even of the busiest that is a fraction of a second.
const OF_PLAYER: &str = "
    SELECT rowid FROM (
        SELECT rowid, started_at_ms FROM games WHERE white_user_id = ?1
        UNION SELECT rowid, started_at_ms FROM games WHERE black_user_id = ?1)
    ORDER BY started_at_ms DESC, rowid LIMIT ?2 OFFSET ?3";

const PLAYER_FAILURES: &str = "
    SELECT coalesce(last_error, 'unknown') AS reason, count(*) AS players FROM players
    WHERE sync_status = 'error' GROUP BY reason ORDER BY players DESC, reason LIMIT 20";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_list_is_walked_along_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("sync.db")).unwrap();
        let lists = [
            GameList::All,
            GameList::ToFetch,
            GameList::ToPost,
            GameList::Posted,
            GameList::Waiting,
            GameList::Rejected,
            GameList::Parked,
            GameList::ParkedWithMoves,
            GameList::Skipped,
        ];
        for list in lists {
            let sql = format!("EXPLAIN QUERY PLAN {}", list.sql());
            let plan: Vec<String> = store
                .read(|connection| {
                    let mut statement = connection.prepare(&sql)?;
                    let steps = statement.query_map((10, 0), |row| row.get("detail"))?;
                    Ok(steps.collect::<rusqlite::Result<_>>()?)
                })
                .unwrap();
            let plan = plan.join("; ");
            assert!(!plan.contains("TEMP B-TREE"), "{list:?} sorts: {plan}");
            // The newest row numbers first is a walk along the table itself.
            let walks = list == GameList::All || plan.contains("INDEX");
            assert!(walks, "{list:?} reads everything: {plan}");
        }
    }
}
