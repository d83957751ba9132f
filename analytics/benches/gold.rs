//! How many games a second are taken in, how large the store becomes, and how long questions take.
//!
//! Games come from the simulated site, as a crawl would post them. `GAMES=100000 cargo bench -p
//! dicechess-analytics --bench gold` posts so many; with `STORE=path` the store stays there, can be
//! added to with another `SEED`, and is only asked with `GAMES=0`. Figures belong into
//! `docs/benchmarks.md`.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dicechess_analytics::{Receiver, accept, router};
use dicechess_core::normalise::normalize_line;
use dicechess_sim::{Game, World, WorldSpec};
use rayon::prelude::*;
use rusqlite::Connection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const BATCH: usize = 500;
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn main() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (games, seed) = (number("GAMES").unwrap_or(2000), number("SEED").unwrap_or(1));
    let folder = tempfile::tempdir().expect("a folder for the store");
    let kept = std::env::var_os("STORE").map(std::path::PathBuf::from);
    let path = kept.unwrap_or_else(|| folder.path().join("analytics.db"));
    let receiver = Receiver::open(&path).expect("a store");
    if games > 0 {
        fill(&receiver, games as usize, seed);
    }
    size(&path);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(ask(receiver, &path));
}

/// Posts games in batches; only the posting is timed.
fn fill(receiver: &Receiver, games: usize, seed: u64) {
    let spec = WorldSpec { seed, players: 400, games, days: 365, ..WorldSpec::default() };
    let world = World::generate(spec);
    let rows = rows(&world);
    let (mut posted, mut judging, mut taken) = (0, Duration::ZERO, Duration::ZERO);
    for (number, chunk) in rows.chunks(BATCH).enumerate() {
        let bodies: Vec<String> =
            chunk.par_iter().filter_map(|(game, row)| body(&world, game, row)).collect();
        let bodies: Vec<&[u8]> = bodies.iter().map(String::as_bytes).collect();
        let started = Instant::now();
        let accepted = bodies.par_iter().filter(|body| accept(body).is_ok()).count();
        judging += started.elapsed();
        let started = Instant::now();
        let replies = receiver.post_batch(&bodies);
        taken += started.elapsed();
        let created = replies.iter().filter(|reply| reply.status() == 201).count();
        // The site has games that no replay takes, such as one broken off within a turn.
        assert!(created <= accepted);
        let failed = replies.iter().find(|reply| reply.status() >= 500);
        assert!(failed.is_none(), "{failed:?}");
        posted += created;
        if number % 20 == 19 {
            println!("{posted} games, {:.0} a second", posted as f64 / taken.as_secs_f64());
        }
    }
    let rate = posted as f64 / taken.as_secs_f64();
    println!("{posted} games posted in batches of {BATCH}: {rate:.0} a second");
    println!("the replay alone: {:.0} a second", rows.len() as f64 / judging.as_secs_f64());
}

/// Each game with its row in White's history.
fn rows(world: &World) -> Vec<(Game, String)> {
    let mut rows = Vec::new();
    for player in world.players() {
        let page = world.history_page(player.id, None, 0, usize::MAX);
        for (game, row) in world.games_of(player.id).zip(page.rows) {
            if game.white == player.id {
                rows.push((game.clone(), row));
            }
        }
    }
    rows
}

fn body(world: &World, game: &Game, row: &str) -> Option<String> {
    let (white, map) = (game.white, world.state_map(game.id)?);
    let line =
        format!(r#"{{"history_meta":{row},"queried_user_id":{white},"move_history":{map}}}"#);
    normalize_line(&line).ok().map(|game| game.to_json())
}

fn size(path: &Path) {
    let connection = Connection::open(path).expect("the store");
    let number =
        |sql: &str| -> i64 { connection.query_row(sql, [], |row| row.get(0)).expect("a number") };
    number("PRAGMA wal_checkpoint(TRUNCATE)");
    let bytes = number("PRAGMA page_count") * number("PRAGMA page_size");
    let games = number("SELECT count(*) FROM games");
    let bodies = number("SELECT sum(length(body)) FROM accepted_games");
    println!(
        "{games} games, {} turns, {} positions: {} MB, {} bytes a game, {} of them its body",
        number("SELECT count(*) FROM turns"),
        number("SELECT count(*) FROM positions"),
        bytes / 1_000_000,
        bytes / games,
        bodies / games
    );
}

/// Questions over HTTP on one connection, the way a front end asks them.
async fn ask(receiver: Receiver, path: &Path) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let app = router(Arc::new(receiver), None);
    tokio::spawn(async move { axum::serve(listener, app).await });
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    for (name, paths) in questions(path) {
        let mut times = Vec::new();
        for path in &paths {
            let started = Instant::now();
            get(&mut stream, path).await;
            times.push(started.elapsed());
        }
        times.sort_unstable();
        let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
        println!("{name}: median {median:.2?}, worst of {} {worst:.2?}", times.len());
    }
}

async fn get(stream: &mut TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            assert!(head.starts_with("HTTP/1.1 200"), "{path}: {text}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if length
                .and_then(|length| length.parse().ok())
                .is_some_and(|all: usize| body.len() >= all)
            {
                return body.to_owned();
            }
        }
        stream.read_buf(&mut answer).await.expect("an answer");
    }
}

/// Positions as they occur in games, the start, and the player with the most games.
fn questions(path: &Path) -> Vec<(&'static str, Vec<String>)> {
    let connection = Connection::open(path).expect("the store");
    let texts = |sql: &str| -> Vec<(String, String)> {
        let mut select = connection.prepare(sql).expect("a query");
        let rows = select.query_map([], |row| row.try_into()).expect("rows");
        rows.collect::<Result<_, _>>().expect("texts")
    };
    let count: i64 = connection
        .query_row("SELECT count(*) FROM turns", [], |row| row.get(0))
        .expect("a number of turns");
    let step = (count / 400).max(1);
    // Spread over all games; an index would give the turns of the most frequent position first.
    let occurring = |condition: &str| {
        texts(&format!(
            "SELECT p.normalized_fen, t.dice_sorted FROM turns t NOT INDEXED JOIN positions p \
             ON p.id = t.position_id WHERE {condition} AND t.id % {step} = 0"
        ))
    };
    let (any, early) = (occurring("1"), occurring("t.turn_number <= 3"));
    let start = vec![(START.to_owned(), "BNP".to_owned()); 50];
    let whale =
        texts("SELECT white_player_id, '' FROM games GROUP BY 1 ORDER BY count(*) DESC LIMIT 1");
    let position = |call: &str, asked: &[(String, String)], more: &str| -> Vec<String> {
        let path = |(fen, dice): &(String, String)| {
            let fen: String = form_urlencoded::byte_serialize(fen.as_bytes()).collect();
            format!("/api/positions/{call}?fen={fen}&dice={dice}{more}")
        };
        asked.iter().map(path).collect()
    };
    let player = |call: &str| vec![format!("/api/players/{}/{call}", whale[0].0); 20];
    let list = |filter: &str| vec![format!("/api/games?{filter}"); 20];
    vec![
        ("equity, any position", position("equity", &any, "")),
        ("equity, first turns", position("equity", &early, "")),
        ("equity, start", position("equity", &start, "")),
        ("equity, start, min_rating", position("equity", &start, "&min_rating=1500")),
        ("continuations, any position", position("continuations", &any, "")),
        ("continuations, first turns", position("continuations", &early, "")),
        ("continuations, start", position("continuations", &start, "")),
        ("continuations, start, x2", position("continuations", &start, "&mode=x2")),
        ("dice-distribution, start", position("dice-distribution", &start, "")),
        ("stats of the busiest player", player("stats")),
        ("breakdowns of the busiest player", player("breakdowns")),
        ("rating history of the busiest player", player("rating-history")),
        ("games", list("")),
        ("games, page 100", list("offset=5000")),
        ("games of the busiest player", list(&format!("player_id={}", whale[0].0))),
        ("games by turns", list("sort=total_turns&min_turns=10")),
    ]
}
