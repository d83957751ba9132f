//! The control API under `/sim`.

use crate::client::{ask, get, history, post};
use crate::site;

#[tokio::test]
async fn games_appear_and_vanish() {
    let server = site().await;
    let before = history(&server, 1000, 0, 500).await.json()["totalCount"].as_u64().unwrap();
    let added = post(&server, "/sim/games", r#"{"count":3,"players":[1000]}"#).await.json();
    let added = added["added"].as_array().unwrap().clone();
    assert_eq!(added.len(), 3);
    let page = history(&server, 1000, 0, 3).await.json();
    assert_eq!(page["totalCount"], before + 3);
    let newest = page["gameHistoryList"][0]["gameId"].as_str().unwrap().to_lowercase();
    assert_eq!(newest, added[2].as_str().unwrap());

    let gone = post(&server, "/sim/vanish", r#"{"player":1000,"newest":2}"#).await.json();
    assert_eq!(gone["removed"].as_array().unwrap().len(), 2);
    let body = format!(r#"{{"games":[{}]}}"#, added[0]);
    post(&server, "/sim/vanish", &body).await;
    let page = history(&server, 1000, 0, 3).await.json();
    assert_eq!(page["totalCount"], before);
}

#[tokio::test]
async fn running_games_end_when_told_to() {
    let server = site().await;
    post(&server, "/sim/games", r#"{"count":4,"players":[1000,1037],"running":true}"#).await;
    let page = history(&server, 1000, 0, 4).await.json();
    let results = |page: &serde_json::Value| {
        let rows = page["gameHistoryList"].as_array().unwrap().clone();
        rows.iter().filter(|row| !row["result"].is_null()).count()
    };
    assert_eq!(results(&page), 0);
    assert_eq!(get(&server, "/sim/world").await.json()["running"], 4);
    post(&server, "/sim/finish", "").await;
    assert!(results(&history(&server, 1000, 0, 4).await.json()) > 0);
    assert_eq!(get(&server, "/sim/world").await.json()["running"], 0);
}

#[tokio::test]
async fn faults_are_set_and_cleared() {
    let server = site().await;
    let rules = r#"[{"fault":{"kind":"not_found"},"endpoint":"leaderboard"},
        {"fault":{"kind":"status","status":502},"when":{"after":{"skip":1,"count":1}}}]"#;
    let shown = post(&server, "/sim/faults", rules).await.json();
    assert_eq!(shown.as_array().unwrap().len(), 2);
    assert_eq!(get(&server, "/api/leaderboard").await.status, 404);
    assert_eq!(get(&server, "/api/x2Leaderboard").await.status, 502);
    assert_eq!(get(&server, "/api/x2Leaderboard").await.status, 200);
    let left = post(&server, "/sim/faults", r#"{"clear":true}"#).await.json();
    assert_eq!(left.as_array().unwrap().len(), 0);
    assert_eq!(get(&server, "/api/leaderboard").await.status, 200);
}

#[tokio::test]
async fn the_summary_counts_the_world() {
    let server = site().await;
    let summary = ask(&server, "GET", "/sim/world?pageSize=10", "", "").await.json();
    let least = server.world().least_requests(&server.world().seed_ids(), 10);
    assert_eq!(summary["games"], 120);
    assert_eq!(summary["reachable_games"], 120);
    assert_eq!(summary["least_requests"]["total"], least.total());
    assert!(least.history > server.world().least_requests(&[], 10).history);
    ask(&server, "DELETE", "/sim/log", "", "").await;
    assert!(server.log().is_empty());
}
