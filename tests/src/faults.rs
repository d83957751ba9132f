//! What the tests of faults share: a small site, settings that make a pass short, and changes to
//! the database between two runs.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use dicechess_sim::{Endpoint, LogEntry, SimOptions, SimServer, TokenCheck, World, WorldSpec};
use serde_json::Value;

use crate::Workspace;

/// Both transports.
pub const TRANSPORTS: [&str; 2] = ["curl", "reqwest"];

/// Where nobody listens: connections are refused at once.
pub const NOBODY: &str = "http://127.0.0.1:1";

/// A small site: humans only, and at most 18 games, all of them finished, with a map and legal.
pub async fn small_site(players: usize, games: usize) -> SimServer {
    assert!(games <= 18, "the games after the first 18 are of other kinds");
    // Only eight players meet in so few games.
    assert!(players <= 8);
    let spec = WorldSpec { players, games, guests: 0, bots: 0, ..WorldSpec::default() };
    // Any token will do, so that one can take the place of another.
    let options = SimOptions { token: TokenCheck::AnyUnexpired, ..SimOptions::default() };
    SimServer::start(World::generate(spec), options).await.unwrap()
}

/// The site's games in the order in which they are fetched.
pub fn newest_first(site: &SimServer) -> Vec<GameId> {
    let world = site.world();
    let mut games: Vec<_> = world.games().collect();
    games.sort_by_key(|game| (-game.started_at.0, game.id.to_string()));
    games.iter().map(|game| game.id).collect()
}

/// All humans of the site, as `SEED_IDS` wants them.
pub fn everybody(site: &SimServer) -> String {
    let ids: Vec<String> = site.world().players().map(|player| player.id.to_string()).collect();
    ids.join(",")
}

/// The requests of a kind that the site has seen.
pub fn requests(site: &SimServer, endpoint: Endpoint) -> Vec<LogEntry> {
    site.log().into_iter().filter(|entry| entry.endpoint == Some(endpoint)).collect()
}

/// Whose history was asked for, in order.
pub fn asked_players(site: &SimServer) -> Vec<UserId> {
    let id = |entry: &LogEntry| entry.params["filters"]["PLAYER_ID"].as_str().unwrap().parse();
    requests(site, Endpoint::History).iter().map(|entry| id(entry).unwrap()).collect()
}

/// The games whose moves were asked for, in order.
pub fn asked_games(site: &SimServer) -> Vec<GameId> {
    let id = |entry: &LogEntry| -> GameId {
        entry.params["query"].as_str().unwrap().rsplit('=').next().unwrap().parse().unwrap()
    };
    requests(site, Endpoint::MoveHistory).iter().map(id).collect()
}

/// The present, as the database spells it.
pub fn now() -> UnixMillis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    UnixMillis::default() + since
}

/// One game as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameRow {
    /// `discovered`, `error/fetch` and so on.
    pub status: String,
    /// Failures in a row.
    pub attempts: i64,
    /// The last failure.
    pub last_error: String,
    /// Minutes until the next try, rounded; `None` without a timer.
    pub retry_in_minutes: Option<i64>,
    /// Why it was rejected.
    pub reject_reason: String,
    /// Whether moves are stored.
    pub has_moves: bool,
    /// Whether it is archived.
    pub is_archived: bool,
}

impl GameRow {
    /// A catalogued game that nothing has happened to.
    pub fn is_untouched(&self) -> bool {
        let texts = self.last_error.is_empty() && self.reject_reason.is_empty();
        self.status == "discovered"
            && self.attempts == 0
            && texts
            && self.retry_in_minutes.is_none()
    }
}

/// One player as the database has him.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerRow {
    /// `pending` and so on.
    pub status: String,
    /// Failures in a row.
    pub attempts: i64,
    /// The last failure.
    pub last_error: String,
    /// Minutes until the next try, rounded; `None` without a timer.
    pub retry_in_minutes: Option<i64>,
    /// Rows seen of the sweep under way.
    pub offset: i64,
}

impl Workspace {
    /// Changes the database between two runs; tells how many rows.
    #[track_caller]
    pub fn change(&self, sql: &str) -> usize {
        let connection = rusqlite::Connection::open(self.db_path()).unwrap();
        connection.execute(sql, []).unwrap()
    }

    /// Makes all timers due.
    #[track_caller]
    pub fn make_due(&self) {
        const PAST: &str = "next_retry_at = '2020-01-01T00:00:00.000Z' WHERE status = 'error'
            AND next_retry_at IS NOT NULL";
        self.change(&format!("UPDATE games SET {PAST}"));
        self.change(&format!("UPDATE players SET {}", PAST.replace("status", "sync_status")));
    }

    /// One game.
    #[track_caller]
    pub fn game(&self, game: GameId) -> GameRow {
        let rows = self.database().rows(&format!(
            "SELECT status || coalesce('/' || error_stage, ''), attempts, last_error,
                round((julianday(next_retry_at) - julianday('now')) * 1440), reject_reason,
                move_history_json IS NOT NULL, archived_at IS NOT NULL
             FROM games LEFT JOIN raw_game_data USING (game_id) WHERE game_id = '{game}'"
        ));
        let row = rows.first().unwrap_or_else(|| panic!("{game} is not in the catalogue"));
        GameRow {
            status: text(&row[0]),
            attempts: row[1].as_i64().unwrap(),
            last_error: text(&row[2]),
            retry_in_minutes: row[3].as_f64().map(|minutes| minutes as i64),
            reject_reason: text(&row[4]),
            has_moves: row[5] == 1,
            is_archived: row[6] == 1,
        }
    }

    /// One player.
    #[track_caller]
    pub fn player(&self, player: UserId) -> PlayerRow {
        let rows = self.database().rows(&format!(
            "SELECT sync_status, attempts, last_error,
                round((julianday(next_retry_at) - julianday('now')) * 1440), enumerate_offset
             FROM players WHERE user_id = {player}"
        ));
        let row = rows.first().unwrap_or_else(|| panic!("{player} is not in the frontier"));
        PlayerRow {
            status: text(&row[0]),
            attempts: row[1].as_i64().unwrap(),
            last_error: text(&row[2]),
            retry_in_minutes: row[3].as_f64().map(|minutes| minutes as i64),
            offset: row[4].as_i64().unwrap(),
        }
    }

    /// How many games have a status such as `posted` or `error/fetch`.
    #[track_caller]
    pub fn games_that_are(&self, status: &str) -> i64 {
        self.database().number(&format!(
            "SELECT count(*) FROM games
             WHERE status || coalesce('/' || error_stage, '') = '{status}'"
        ))
    }

    /// How many players have a status.
    #[track_caller]
    pub fn players_that_are(&self, status: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM players WHERE sync_status = '{status}'");
        self.database().number(&sql)
    }

    /// The bytes of all files: database, write-ahead log, archive and whatever else there is.
    pub fn all_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for file in self.files() {
            bytes.extend(std::fs::read(file).unwrap());
        }
        bytes
    }
}

/// Whether bytes contain a text.
pub fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// The different values of a list.
pub fn distinct<T: Ord + Clone>(values: &[T]) -> BTreeSet<T> {
    values.iter().cloned().collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Sends one request of its own and returns the body of the answer. `head` is the request line and
/// further headers, a line each.
pub fn ask(base_url: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(base_url.trim_start_matches("http://")).unwrap();
    let head = head.replace('\n', "\r\n");
    let length = body.len();
    write!(
        stream,
        "{head}\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// An HTTP service that reads every request to its end and hangs up without an answer.
#[derive(Debug)]
pub struct SilentService {
    base_url: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl SilentService {
    /// Starts on a free loopback port; it ends with the process.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&bodies);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let body = read_request(stream);
                kept.lock().unwrap().extend(body);
            }
        });
        Self { base_url, bodies }
    }

    /// Where it is.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The bodies received.
    pub fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

/// Reads one request with a `content-length` and hangs up.
fn read_request(mut stream: TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                let _ = stream.flush();
                return Some(body.to_owned());
            }
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return None,
        }
    }
}
