//! What the tests of the store share.

use std::path::PathBuf;
use std::time::Duration;

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::lifecycle::GameEvent;
use dicechess_core::site::HistoryPage;
use dicechess_core::sweep::{SweepProgress, SweepResult};
use dicechess_core::time::UnixMillis;
use dicechess_sync::store::{PageAcceptance, PageAccepted, Store, StoreError};
use rusqlite::Connection;
use rusqlite::types::FromSql;
use tempfile::TempDir;

pub(crate) const NOW: UnixMillis = UnixMillis(1_774_901_324_793);
pub(crate) const MINUTE: Duration = Duration::from_mins(1);
pub(crate) const HOUR: Duration = Duration::from_hours(1);
pub(crate) const ANN: UserId = UserId(5);
pub(crate) const BOB: UserId = UserId(77);

/// A store in a folder that goes when the test ends, and a second connection to look into it.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) sql: Connection,
    _folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("sync.db")).unwrap();
        let sql = Connection::open(store.path()).unwrap();
        sql.busy_timeout(Duration::from_secs(5)).unwrap();
        Self { store, sql, _folder: folder }
    }

    /// With these players claimed one after the other.
    pub(crate) fn with_claimed(ids: &[UserId]) -> Self {
        let fixture = Self::new();
        for id in ids {
            fixture.store.seed_players(&[*id], NOW).unwrap();
            assert_eq!(fixture.store.claim_next_player(NOW).unwrap().unwrap().user_id, *id);
        }
        fixture
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.store.path().to_owned()
    }

    pub(crate) fn value<T: FromSql>(&self, sql: &str) -> T {
        self.sql
            .query_row(sql, [], |row| row.get(0))
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    pub(crate) fn text(&self, sql: &str) -> String {
        self.value(sql)
    }

    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.value(sql)
    }

    /// What came of a fetch or a post of the present entry.
    pub(crate) fn apply(&self, number: u128, event: GameEvent) {
        let game = game(number);
        if let GameEvent::FetchFailed { message } = event {
            return self.store.fetch_failed(game, message, NOW).unwrap();
        }
        let entry = self.store.game_details(game).unwrap().unwrap().history_meta_json;
        self.store.record_post(game, event, entry.as_deref(), NOW).unwrap();
    }

    /// Accepts a page of these entries that does not end the sweep.
    pub(crate) fn page(&self, user: UserId, entries: &[String], now: UnixMillis) -> PageAccepted {
        self.try_page(user, entries, None, now).unwrap()
    }

    /// Accepts the last page of a sweep.
    pub(crate) fn last_page(
        &self,
        user: UserId,
        entries: &[String],
        total: u64,
        now: UnixMillis,
    ) -> PageAccepted {
        let result = SweepResult {
            cursor: Some(NOW - HOUR),
            total_count: Some(total),
            least_total_count: Some(total),
        };
        self.try_page(user, entries, Some(result), now).unwrap()
    }

    pub(crate) fn try_page(
        &self,
        user: UserId,
        entries: &[String],
        finished: Option<SweepResult>,
        now: UnixMillis,
    ) -> Result<PageAccepted, StoreError> {
        let total_count = finished.as_ref().and_then(|result| result.total_count);
        let body = format!(r#"{{"gameHistoryList":[{}]}}"#, entries.join(","));
        let page = HistoryPage::parse(&body).unwrap();
        let offset = if finished.is_some() { 0 } else { entries.len() as u64 };
        let acceptance = PageAcceptance {
            user_id: user,
            depth: 0,
            rows: &page.rows,
            total_count,
            progress: SweepProgress { offset, memory: None },
            finished,
        };
        self.store.accept_history_page(&acceptance, now)
    }

    /// Catalogues the games of Ann against Bob with these numbers, the greater the newer.
    pub(crate) fn catalogue(&self, numbers: &[u128]) {
        let entries: Vec<_> = numbers.iter().map(|number| Entry::new(*number).json()).collect();
        self.store.seed_players(&[ANN], NOW).unwrap();
        self.page(ANN, &entries, NOW);
    }
}

pub(crate) fn game(number: u128) -> GameId {
    GameId::from_bits(number)
}

/// A history entry of Ann's, to be changed where a test needs it.
pub(crate) struct Entry {
    pub(crate) number: u128,
    pub(crate) color: &'static str,
    pub(crate) result: &'static str,
    pub(crate) start: Option<UnixMillis>,
    pub(crate) cancelled: bool,
    pub(crate) opponent: i64,
    pub(crate) name: &'static str,
    pub(crate) rating: i64,
}

impl Entry {
    pub(crate) fn new(number: u128) -> Self {
        let age = Duration::from_hours(10_000).saturating_sub(HOUR * number as u32);
        Self {
            number,
            color: "WHITE",
            result: "1",
            start: Some(NOW - age),
            cancelled: false,
            opponent: BOB.0,
            name: "Bob",
            rating: 1500,
        }
    }

    /// As Bob's history tells of the same game.
    pub(crate) fn of_bob(number: u128) -> Self {
        let (color, result) = ("BLACK", "-1");
        Self { color, result, opponent: ANN.0, name: "Ann", ..Self::new(number) }
    }

    pub(crate) fn json(&self) -> String {
        let start = self.start.map_or("null".to_owned(), |start| format!("\"{start}\""));
        format!(
            r#"{{"gameId":"{}", "color":"{}","result":{},"startTime":{start},"timeLimit":3,
            "timeBonus":2,"isCancelled":{},"startRatingWhite":{rating},"startRatingBlack":{rating},
            "historyOpponent":{{"opponentId":{},"opponentName":"{}"}}}}"#,
            game(self.number),
            self.color,
            self.result,
            self.cancelled,
            self.opponent,
            self.name,
            rating = self.rating,
        )
    }
}
