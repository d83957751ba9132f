//! The numbers of the whole database (contract, section 14, `status --json`).
//!
//! Decides what is counted. The keys of the contract come first, further ones follow.

use std::collections::BTreeMap;

use dicechess_core::lifecycle::{GameStatus, PlayerStatus};
use dicechess_core::sweep::completeness;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, Row};
use serde::Serialize;

use super::columns::{count_column, iso, iso_opt, unsigned};
use super::error::Fault;
use super::{Store, StoreError, counts, lease, site_memory};

/// What `status` reports. Serialises to the contract's JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StatusReport {
    /// Players by status, all statuses present.
    pub players: BTreeMap<&'static str, u64>,
    /// Games by status, `error_fetch` and the like for errors, all statuses present.
    pub games: BTreeMap<String, u64>,
    /// Games fetched and not archived yet.
    pub archive_pending: u64,
    /// Requests ever made, by endpoint.
    pub site_requests: BTreeMap<String, u64>,
    /// What can be worked on now.
    pub queues: Queues,
    /// Catalogued games that may still be running.
    pub running_games: u64,
    /// How much of what the site counts is known.
    pub completeness: Completeness,
    /// Players of whom games are missing, the greatest gaps first.
    pub gaps: Vec<PlayerGap>,
    /// Games whose moves a browser brought; the site was not asked for them.
    pub from_browsers: u64,
    /// Entries that could not be read.
    pub broken_entries: u64,
    /// The most frequent reasons why games are parked or were refused.
    pub reasons: Vec<Reason>,
    /// Players whose last sweep failed, those tried next first.
    pub failed_players: Vec<FailedPlayer>,
    /// When the oldest game that waits for its moves or its post entered the catalogue.
    pub oldest_pending_at: Option<String>,
    /// What is remembered of the site.
    pub site: SiteMemory,
    /// Which process crawls.
    pub lease: Option<LeaseReport>,
}

/// What can be worked on now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Queues {
    /// Games to fetch.
    pub fetch: u64,
    /// Games to post.
    pub post: u64,
}

/// The sum over the players whose sweep has finished.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Completeness {
    /// Players with a finished sweep and a count.
    pub players: u64,
    /// Of these, players of whom no game is missing.
    pub complete_players: u64,
    /// The games known of them; a game of two such players counts twice, here and below.
    pub known_games: u64,
    /// The games the site counts of them.
    pub total_count: u64,
    /// The share that is known; `None` before the first finished sweep.
    pub share: Option<f64>,
    /// Players with a gap that is not accepted.
    pub players_with_gap: u64,
    /// Players whose gap two sweeps from the start did not change.
    pub players_with_accepted_gap: u64,
}

/// A player of whom games are missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerGap {
    /// The player.
    pub user_id: i64,
    /// His name, if known.
    pub username: Option<String>,
    /// Games known.
    pub known_games: u64,
    /// Games the site counts.
    pub total_count: u64,
    /// Games missing.
    pub gap: u64,
    /// Two sweeps from the start did not change it.
    pub accepted: bool,
}

/// A reason and how many games it holds back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// `rejected`, or the stage as in `error_normalize`.
    pub status: String,
    /// The message.
    pub reason: String,
    /// How many games.
    pub games: u64,
}

/// A player whose last sweep failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedPlayer {
    /// The player.
    pub user_id: i64,
    /// His name, if known.
    pub username: Option<String>,
    /// Why.
    pub reason: String,
    /// When he is asked for again.
    pub next_retry_at: Option<String>,
}

/// What is remembered of the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteMemory {
    /// Requests of the last hour.
    pub requests_last_hour: u64,
    /// The site asked for silence until then.
    pub throttled_until: Option<String>,
    /// The site refused then.
    pub blocked_since: Option<String>,
    /// Why.
    pub block_reason: Option<String>,
}

/// Which process crawls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeaseReport {
    /// The machine.
    pub host: String,
    /// The process.
    pub pid: i32,
    /// When the lease ends unless renewed.
    pub expires_at: String,
}

impl Store {
    /// Requests to the site ever, by endpoint.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn site_requests(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        self.read(site_requests)
    }

    /// The numbers of the whole.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn status(&self, now: UnixMillis) -> Result<StatusReport, StoreError> {
        self.read(|connection| {
            Ok(StatusReport {
                players: players_by_status(connection)?,
                games: games_by_status(connection)?,
                archive_pending: counts::to_archive(connection)?,
                site_requests: site_requests(connection)?,
                queues: Queues {
                    fetch: counts::to_fetch(connection, now)?,
                    post: counts::to_post(connection, now)?,
                },
                running_games: counts::count(connection, RUNNING, [iso(now)])?,
                completeness: completeness_of_all(connection)?,
                gaps: list(connection, GAPS, player_gap)?,
                from_browsers: counts::count(connection, FROM_BROWSERS, ())?,
                broken_entries: counts::count(connection, BROKEN, ())?,
                reasons: list(connection, REASONS, reason)?,
                failed_players: list(connection, FAILED_PLAYERS, failed_player)?,
                oldest_pending_at: connection.query_row(OLDEST, [], |row| row.get(0))?,
                site: site(connection, now)?,
                lease: lease::load(connection)?.map(|(holder, until)| LeaseReport {
                    host: holder.host,
                    pid: holder.pid,
                    expires_at: until.to_string(),
                }),
            })
        })
    }
}

pub(super) fn players_by_status(
    connection: &Connection,
) -> Result<BTreeMap<&'static str, u64>, Fault> {
    const SQL: &str = "SELECT sync_status, players FROM player_counts";
    let mut counts: BTreeMap<_, _> = PlayerStatus::ALL.map(|status| (status.as_str(), 0)).into();
    for (status, count) in list(connection, SQL, pair)? {
        if let Some(status) = PlayerStatus::parse(&status) {
            counts.insert(status.as_str(), count);
        }
    }
    Ok(counts)
}

pub(super) fn games_by_status(connection: &Connection) -> Result<BTreeMap<String, u64>, Fault> {
    const SQL: &str = "SELECT status || iif(error_stage = '', '', '_' || error_stage), games
        FROM game_counts";
    let key = |status: GameStatus| status.to_string().replace('/', "_");
    let mut counts: BTreeMap<_, _> = GameStatus::ALL.map(|status| (key(status), 0)).into();
    for (status, count) in list(connection, SQL, pair)? {
        if let Some(known) = counts.get_mut(&status) {
            *known = count;
        }
    }
    Ok(counts)
}

fn site_requests(connection: &Connection) -> Result<BTreeMap<String, u64>, Fault> {
    const SQL: &str = "SELECT endpoint, count FROM site_request_totals";
    let zero = ["history", "move_history", "leaderboard"].map(|name| (name.to_owned(), 0));
    let mut counts = BTreeMap::from(zero);
    counts.extend(list(connection, SQL, pair)?);
    Ok(counts)
}

fn completeness_of_all(connection: &Connection) -> Result<Completeness, Fault> {
    let read = |row: &Row<'_>| {
        let (known_games, total_count) =
            (count_column(row, "known_games")?, count_column(row, "total_count")?);
        let players = count_column(row, "players")?;
        Ok(Completeness {
            players,
            complete_players: count_column(row, "complete")?,
            known_games,
            total_count,
            share: completeness(known_games, (players > 0).then_some(total_count)),
            players_with_gap: count_column(row, "with_gap")?,
            players_with_accepted_gap: count_column(row, "with_accepted_gap")?,
        })
    };
    Ok(connection.query_row(COMPLETENESS, [], read)?)
}

fn site(connection: &Connection, now: UnixMillis) -> Result<SiteMemory, Fault> {
    let pacing = site_memory::load_pacing(connection, now)?;
    let block = site_memory::load_block(connection)?;
    Ok(SiteMemory {
        requests_last_hour: pacing.recent.len() as u64,
        throttled_until: iso_opt(pacing.throttled_until),
        blocked_since: block.as_ref().map(|block| block.since.to_string()),
        block_reason: block.map(|block| block.reason),
    })
}

fn player_gap(row: &Row<'_>) -> rusqlite::Result<PlayerGap> {
    Ok(PlayerGap {
        user_id: row.get("user_id")?,
        username: row.get("username")?,
        known_games: count_column(row, "known_games")?,
        total_count: count_column(row, "counted_games")?,
        gap: count_column(row, "gap")?,
        accepted: row.get("gap_accepted")?,
    })
}

fn reason(row: &Row<'_>) -> rusqlite::Result<Reason> {
    Ok(Reason { status: row.get(0)?, reason: row.get(1)?, games: row.get(2).map(unsigned)? })
}

fn failed_player(row: &Row<'_>) -> rusqlite::Result<FailedPlayer> {
    Ok(FailedPlayer {
        user_id: row.get("user_id")?,
        username: row.get("username")?,
        reason: row.get("reason")?,
        next_retry_at: row.get("next_retry_at")?,
    })
}

fn pair(row: &Row<'_>) -> rusqlite::Result<(String, u64)> {
    Ok((row.get(0)?, row.get(1).map(unsigned)?))
}

fn list<T>(
    connection: &Connection,
    sql: &str,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Fault> {
    let mut statement = connection.prepare(sql)?;
    Ok(statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?)
}

const RUNNING: &str =
    "SELECT count(*) FROM games WHERE status = 'discovered' AND next_retry_at > ?1";

/// The index holds them only.
const FROM_BROWSERS: &str = "SELECT count(*) FROM raw_game_data INDEXED BY ix_raw_from_browser
    WHERE moves_origin = 'browser'";

/// Entries are never deleted.
const BROKEN: &str = "SELECT max(id) FROM broken_entries";

/// Swept players with what is known of them. A game that a sweep missed may have been found since
/// through its other player, so those with a gap are counted anew.
macro_rules! swept {
    ($rest:literal) => {
        concat!(
            "WITH swept AS (
                SELECT user_id, counted_games, gap_accepted,
                    CASE gap WHEN 0 THEN min(known_games, counted_games)
                    ELSE min(counted_games,
                        (SELECT count(*) FROM games WHERE white_user_id = s.user_id)
                        + (SELECT count(*) FROM games WHERE black_user_id = s.user_id)) END AS known
                FROM player_sweeps AS s
                WHERE finished_at IS NOT NULL AND counted_games IS NOT NULL)",
            $rest
        )
    };
}

const COMPLETENESS: &str = swept!(
    "
    SELECT count(*) AS players, sum(known >= counted_games) AS complete,
        sum(known) AS known_games, sum(counted_games) AS total_count,
        sum(known < counted_games AND NOT gap_accepted) AS with_gap,
        sum(known < counted_games AND gap_accepted) AS with_accepted_gap
    FROM swept"
);

const GAPS: &str = swept!(
    "
    SELECT s.user_id, p.username, s.known AS known_games, s.counted_games,
        s.counted_games - s.known AS gap, s.gap_accepted
    FROM swept AS s JOIN players AS p USING (user_id)
    WHERE s.known < s.counted_games ORDER BY gap DESC, s.user_id LIMIT 20"
);

/// The index holds all that is asked for.
const REASONS: &str = "
    SELECT CASE status WHEN 'error' THEN 'error_' || error_stage ELSE status END AS held,
        coalesce(CASE status WHEN 'error' THEN last_error ELSE reject_reason END, 'unknown')
            AS reason,
        count(*) AS games
    FROM games INDEXED BY ix_games_troubles
    WHERE status IN ('rejected', 'error') GROUP BY held, reason
    ORDER BY games DESC, held, reason LIMIT 20";

const FAILED_PLAYERS: &str = "
    SELECT user_id, username, coalesce(last_error, 'unknown') AS reason, next_retry_at
    FROM players WHERE sync_status = 'error' ORDER BY next_retry_at, user_id LIMIT 20";

/// Rows are never moved, so the first row of a status is the one that entered the catalogue first.
const OLDEST: &str = "
    SELECT min(created_at) FROM (
        SELECT * FROM (SELECT created_at FROM games
            WHERE status = 'discovered' AND next_retry_at IS NULL ORDER BY rowid LIMIT 1)
        UNION ALL
        SELECT * FROM (SELECT created_at FROM games
            WHERE status = 'fetched' AND next_retry_at IS NULL ORDER BY rowid LIMIT 1))";
