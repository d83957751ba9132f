//! Each fault as a client sees it.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use dicechess_core::ids::GameId;
use dicechess_sim::{
    BrokenEntry, Endpoint, Fault, FaultRule, MissingMap, RetryAfter, SimServer, When,
};
use serde_json::Value;

use crate::client::{Reply, get, history};
use crate::site;

/// The first reply to a history request under a fault.
async fn struck(fault: Fault) -> Reply {
    let server = site().await;
    server.set_fault(FaultRule::new(fault));
    history(&server, 1000, 0, 50).await
}

async fn map_under(fault: Fault) -> Reply {
    let server = site().await;
    // A game with a promotion and an ordinary beginning is any with a few turns.
    let id = game_with_turns(&server);
    server.set_fault(FaultRule::new(fault).game(id));
    get(&server, &format!("/api/game-move-history?gameId={id}")).await
}

fn game_with_turns(server: &SimServer) -> GameId {
    let world = server.world();
    let has_turns = |id: &GameId| world.truth(*id).is_some_and(|truth| truth.turns.len() > 5);
    world.games().map(|game| game.id).find(has_turns).unwrap()
}

#[tokio::test]
async fn refusals() {
    assert_eq!(struck(Fault::Unauthorized).await.status, 401);
    assert_eq!(struck(Fault::NotFound).await.status, 404);
    assert_eq!(struck(Fault::Status { status: 500 }).await.status, 500);
    for status in [403, 503] {
        let reply = struck(Fault::Challenge { status }).await;
        assert_eq!((reply.status, reply.header("cf-mitigated")), (status, "challenge"));
        assert!(reply.text().starts_with("<!DOCTYPE html>"));
    }
    let html = struck(Fault::Html).await;
    assert_eq!(html.status, 200);
    assert!(html.header("content-type").starts_with("text/html"));
    assert_eq!(html.header("cf-mitigated"), "");
}

#[tokio::test]
async fn try_again_later() {
    let plain = struck(Fault::TooManyRequests { retry_after: RetryAfter::Absent }).await;
    assert_eq!((plain.status, plain.headers.contains_key("retry-after")), (429, false));
    let seconds = struck(Fault::TooManyRequests { retry_after: RetryAfter::Seconds(7) }).await;
    assert_eq!((seconds.status, seconds.header("retry-after")), (429, "7"));
    let date = struck(Fault::Unavailable { retry_after: RetryAfter::DateIn(60) }).await;
    assert_eq!(date.status, 503);
    assert!(date.header("retry-after").ends_with(" GMT"));
}

#[tokio::test]
async fn broken_connections() {
    let reset = struck(Fault::Reset).await;
    assert_eq!((reset.status, reset.failure), (0, Some(ErrorKind::ConnectionReset)));
    let cut = struck(Fault::CutBody).await;
    let announced: usize = cut.header("content-length").parse().unwrap();
    assert_eq!(cut.status, 200);
    assert!(!cut.body.is_empty() && cut.body.len() < announced);
}

#[tokio::test]
async fn bodies_that_are_no_answer() {
    let truncated = struck(Fault::TruncatedJson).await;
    assert_eq!(truncated.header("content-length"), truncated.body.len().to_string());
    assert!(serde_json::from_slice::<Value>(&truncated.body).is_err());
    let text = struck(Fault::NotJson).await;
    assert_eq!(text.header("content-type"), "application/json");
    assert!(serde_json::from_slice::<Value>(&text.body).is_err());
    let oversized = struck(Fault::Oversized).await;
    assert_eq!(oversized.status, 200);
    assert!(oversized.body.len() > 32 << 20);
}

#[tokio::test]
async fn late_answers() {
    for fault in [Fault::Stall { millis: 300 }, Fault::StallBody { millis: 300 }] {
        let begun = Instant::now();
        let reply = struck(fault).await;
        assert_eq!(reply.status, 200);
        assert!(begun.elapsed() >= Duration::from_millis(300));
    }
    // Shutting down does not wait for a stalled answer.
    let server = site().await;
    server.set_fault(FaultRule::new(Fault::Stall { millis: 60_000 }));
    let begun = Instant::now();
    tokio::join!(history(&server, 1000, 0, 5), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        server.stop();
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn broken_pages() {
    let page = struck(Fault::NoList).await.json();
    assert!(page.get("gameHistoryList").is_none() && page["totalCount"].is_u64());
    let page = struck(Fault::BrokenEntry { entry: BrokenEntry::WrongType }).await.json();
    assert_eq!(page["gameHistoryList"][1]["gameId"], 42);
    let page = struck(Fault::BrokenEntry { entry: BrokenEntry::NotAnObject }).await.json();
    assert!(page["gameHistoryList"][1].is_string());
    let page = struck(Fault::BrokenEntry { entry: BrokenEntry::NoOpponent }).await.json();
    assert!(page["gameHistoryList"][1]["historyOpponent"].is_null());
    let surrogate = struck(Fault::BrokenEntry { entry: BrokenEntry::LoneSurrogate }).await;
    assert_eq!(surrogate.text().matches("\\ud800").count(), 1);
    assert!(serde_json::from_slice::<Value>(&surrogate.body).is_err());
    let page = struck(Fault::PageCap { rows: 2 }).await.json();
    assert_eq!(page["gameHistoryList"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn shifts_between_pages() {
    for (fault, change) in
        [(Fault::VanishAfter { games: 1 }, -1), (Fault::AppearAfter { games: 2 }, 2)]
    {
        let server = site().await;
        server.set_fault(FaultRule::new(fault).next(1));
        let count = |page: Value| page["totalCount"].as_i64().unwrap();
        let before = count(history(&server, 1000, 0, 5).await.json());
        let after = count(history(&server, 1000, 5, 5).await.json());
        assert_eq!(after - before, change);
    }
}

#[tokio::test]
async fn spoiled_maps() {
    let die = map_under(Fault::UnknownDie).await;
    assert!(states(&die).any(|state| state["dices"][0]["value"] == "X"));
    let played = |reply: &Reply| -> Vec<Value> {
        states(reply).map(|state| state["gameMoveHistoryMove"].clone()).collect()
    };
    let promotion = map_under(Fault::UnknownPromotion).await;
    assert!(played(&promotion).iter().any(|played| played["promotion"] == "WHITE_JOKER"));
    let square = map_under(Fault::UnknownSquare).await;
    assert!(played(&square).iter().any(|played| played["to"] == "J9"));
    let illegal = map_under(Fault::IllegalMove).await;
    assert!(played(&illegal).iter().any(|played| played["to"] == "H7"));
    let none = map_under(Fault::NoMap { how: MissingMap::EmptyAnswer }).await;
    assert_eq!(none.text(), "{}");
    let null = map_under(Fault::NoMap { how: MissingMap::Null }).await;
    assert!(null.json()["gameMoveHistoryStateMap"].is_null());
}

fn states(reply: &Reply) -> impl Iterator<Item = Value> {
    let map = reply.json()["gameMoveHistoryStateMap"].as_object().unwrap().clone();
    map.into_iter().map(|(_, state)| state)
}

#[tokio::test]
async fn faults_strike_where_they_are_meant_to() {
    let server = site().await;
    server.set_fault(FaultRule::new(Fault::NotFound).on(Endpoint::History).when(When::EveryNth(2)));
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(history(&server, 1000, 0, 1).await.status);
    }
    assert_eq!(statuses, [200, 404, 200, 404]);
    assert_eq!(get(&server, "/api/leaderboard").await.status, 200);
    assert_eq!(server.log()[1].fault, Some(Fault::NotFound));
    server.clear_faults();
    assert_eq!(history(&server, 1000, 0, 1).await.status, 200);
}
