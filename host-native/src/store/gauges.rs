//! The state of the whole in a few numbers, for metrics.
//!
//! Decides what each number is and that none costs more than a look into an index, however many
//! games there are: a scrape must be cheap. [`super::Store::status`] tells more and takes longer.

use std::collections::BTreeMap;

use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension};

use super::columns::iso;
use super::error::Fault;
use super::{Store, StoreError, counts, lease, site_memory, status};

/// The numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreGauges {
    /// Players by status, all statuses present.
    pub players: BTreeMap<&'static str, u64>,
    /// Games by status, `error_fetch` and the like for errors, all statuses present.
    pub games: BTreeMap<String, u64>,
    /// What waits for each stage.
    pub queues: Vec<QueueGauge>,
    /// Requests to the site in the last hour.
    pub requests_last_hour: u64,
    /// The site asked for silence until then.
    pub throttled_until: Option<UnixMillis>,
    /// The site refused the credentials, or sent a challenge, then.
    pub blocked_since: Option<UnixMillis>,
    /// When the lease ends unless renewed, whoever holds it.
    pub lease_until: Option<UnixMillis>,
}

/// What waits for a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueGauge {
    /// The stage's name.
    pub stage: &'static str,
    /// How many items can be taken now. Failed ones, which have a timer, are not among them: they
    /// are told by their status, and which of them are due cannot be told without a look at each.
    pub length: u64,
    /// Since when the oldest of them waits.
    pub oldest: Option<UnixMillis>,
}

impl Store {
    /// The numbers of this moment.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn gauges(&self, now: UnixMillis) -> Result<StoreGauges, StoreError> {
        self.read(|connection| {
            let pacing = site_memory::load_pacing(connection, now)?;
            let players = status::players_by_status(connection)?;
            let games = status::games_by_status(connection)?;
            let queue = |stage, length, oldest| -> Result<QueueGauge, Fault> {
                Ok(QueueGauge { stage, length, oldest: oldest_time(connection, oldest)? })
            };
            let pending = players.get("pending").copied().unwrap_or(0);
            let ready = |status: &str| -> Result<u64, Fault> {
                let all = games.get(status).copied().unwrap_or(0);
                Ok(all.saturating_sub(counts::count(connection, NOT_DUE, (status, iso(now)))?))
            };
            let queues = vec![
                queue("enumerate", pending, OLDEST_PLAYER)?,
                queue("fetch", ready("discovered")?, OLDEST_TO_FETCH)?,
                queue("post", ready("fetched")?, OLDEST_TO_POST)?,
                queue("archive", counts::to_archive(connection)?, OLDEST_TO_ARCHIVE)?,
            ];
            Ok(StoreGauges {
                players,
                games,
                queues,
                requests_last_hour: pacing.recent.len() as u64,
                throttled_until: pacing.throttled_until,
                blocked_since: site_memory::load_block(connection)?.map(|block| block.since),
                lease_until: lease::load(connection)?.map(|(_, until)| until),
            })
        })
    }
}

fn oldest_time(connection: &Connection, sql: &str) -> Result<Option<UnixMillis>, Fault> {
    let found = connection
        .prepare_cached(sql)?
        .query_row([], |row| row.get::<_, Option<String>>(0))
        .optional()?;
    Ok(found.flatten().as_deref().and_then(UnixMillis::parse_iso))
}

/// Games that may still be running.
const NOT_DUE: &str = "SELECT count(*) FROM games WHERE status = ?1 AND next_retry_at > ?2";

/// Players are claimed by priority, so the one of the least priority waits longest: since his
/// history was last read to the end, or since he was found. Of very many, a thousand are looked at.
const OLDEST_PLAYER: &str = "
    SELECT min(since) FROM (SELECT coalesce(last_synced_at, created_at) AS since
        FROM players INDEXED BY ix_players_frontier
        WHERE sync_status = 'pending' ORDER BY priority LIMIT 1000)";

/// Rows of one status and without a timer lie in the index in the order in which they were
/// inserted, so the first one entered the catalogue first.
const OLDEST_TO_FETCH: &str = "
    SELECT created_at FROM games INDEXED BY ix_games_status
    WHERE status = 'discovered' AND next_retry_at IS NULL ORDER BY rowid LIMIT 1";

/// Since its moves were stored, or it was put back by a replay. A queue of more than a thousand
/// games is not looked through; those that entered the catalogue first are.
const OLDEST_TO_POST: &str = "
    SELECT min(updated_at) FROM (SELECT updated_at FROM games INDEXED BY ix_games_status
        WHERE status = 'fetched' AND next_retry_at IS NULL ORDER BY rowid LIMIT 1000)";

const OLDEST_TO_ARCHIVE: &str = "
    SELECT min(move_history_fetched_at) FROM raw_game_data INDEXED BY ix_raw_archive_age
    WHERE archived_at IS NULL AND move_history_json IS NOT NULL";

#[cfg(test)]
mod tests {
    use dicechess_core::ids::UserId;

    use super::*;

    const NOW: UnixMillis = UnixMillis(1_790_000_000_000);

    #[test]
    fn an_empty_database_waits_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("sync.db")).unwrap();
        let gauges = store.gauges(NOW).unwrap();
        assert!(gauges.games.values().chain(gauges.players.values()).all(|count| *count == 0));
        let waiting: Vec<_> =
            gauges.queues.iter().map(|queue| (queue.stage, queue.length, queue.oldest)).collect();
        let nothing = ["enumerate", "fetch", "post", "archive"].map(|stage| (stage, 0, None));
        assert_eq!(waiting, nothing);
        assert_eq!(
            (gauges.lease_until, gauges.blocked_since, gauges.throttled_until),
            (None, None, None)
        );
    }

    #[test]
    fn each_queue_tells_since_when_its_oldest_item_waits() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("sync.db")).unwrap();
        let minute = |minutes: u64| NOW + std::time::Duration::from_secs(60 * minutes);
        store.seed_players(&[UserId(1)], minute(5)).unwrap();
        store.seed_players(&[UserId(2)], minute(3)).unwrap();
        let insert = |id: u32, status: &str, created: u64, updated: u64| {
            let id = format!("00000000-0000-4000-8000-{id:012}");
            let (created, updated) = (minute(created).to_string(), minute(updated).to_string());
            let connection = &store.lock().connection;
            connection
                .execute(
                    "INSERT INTO games (game_id, status, created_at, updated_at) VALUES (?1, ?2, ?3, ?4)",
                    (&id, status, created, &updated),
                )
                .unwrap();
            if status != "discovered" {
                connection
                    .execute(
                        "INSERT INTO raw_game_data (game_id, move_history_json, move_history_fetched_at)
                         VALUES (?1, '{}', ?2)",
                        (&id, updated),
                    )
                    .unwrap();
            }
        };
        for (id, status, created, updated) in [
            (9, "discovered", 1, 1),
            (1, "discovered", 2, 2),
            (8, "fetched", 1, 7),
            (2, "fetched", 2, 6),
            (3, "posted", 2, 4),
        ] {
            insert(id, status, created, updated);
        }
        let queues = store.gauges(minute(10)).unwrap().queues;
        let expected = [("enumerate", 2, 3), ("fetch", 2, 1), ("post", 2, 6), ("archive", 3, 4)];
        let found: Vec<_> =
            queues.iter().map(|queue| (queue.stage, queue.length, queue.oldest.unwrap())).collect();
        assert_eq!(found, expected.map(|(stage, length, since)| (stage, length, minute(since))));
    }
}
