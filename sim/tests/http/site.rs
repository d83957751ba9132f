//! What the site answers when nothing is wrong.

use std::collections::BTreeSet;

use dicechess_core::ids::{GameId, UserId};
use dicechess_sim::{SimOptions, TokenCheck, unsigned_jwt};
use serde_json::Value;

use crate::client::{ask, get, history, post};
use crate::{site, site_with};

#[tokio::test]
async fn pages_of_a_history_add_up() {
    let server = site().await;
    let player = server.world().seed_ids()[0];
    let total = server.world().games_of(player).count();
    let mut ids: BTreeSet<GameId> = BTreeSet::new();
    for first in (0..total).step_by(7) {
        let page = history(&server, player.0, first, 7).await.json();
        assert_eq!(page["totalCount"], total);
        assert_eq!(page["filteredCount"], total);
        let rows = page["gameHistoryList"].as_array().unwrap();
        assert_eq!(rows.len(), 7.min(total - first));
        ids.extend(
            rows.iter().map(|row| row["gameId"].as_str().unwrap().parse::<GameId>().unwrap()),
        );
    }
    assert_eq!(ids.len(), total);
    let beyond = history(&server, player.0, total, 7).await.json();
    assert!(beyond["gameHistoryList"].as_array().unwrap().is_empty());
    let unknown = history(&server, 5, 0, 7).await.json();
    assert_eq!(unknown["totalCount"], 0);
}

#[tokio::test]
async fn the_start_date_is_inclusive() {
    let server = site().await;
    let (player, since, total) = {
        let world = server.world();
        let player = world.seed_ids()[0];
        let third = world.games_of(player).nth(2).unwrap().started_at;
        (player, third, world.games_of(player).count())
    };
    let body = format!(
        r#"{{"filters":{{"PLAYER_ID":"{player}","START_DATE":"{}"}},"pageSize":500,"first":0}}"#,
        since.0
    );
    let page = post(&server, "/api/player/history", &body).await.json();
    assert_eq!(page["gameHistoryList"].as_array().unwrap().len(), 3);
    assert_eq!(page["filteredCount"], 3);
    assert_eq!(page["totalCount"], total);
}

#[tokio::test]
async fn maps_are_found_in_any_spelling_of_the_id() {
    let server = site().await;
    let id = server.world().games().find(|game| game.has_map).unwrap().id;
    let upper = id.to_string().to_uppercase();
    let reply = get(&server, &format!("/api/game-move-history?gameId={upper}")).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.text(), server.world().state_map(id).unwrap());
    let unknown = "/api/game-move-history?gameId=00000000-0000-4000-8000-000000000000";
    assert_eq!(get(&server, unknown).await.status, 404);
    assert_eq!(get(&server, "/api/other").await.status, 404);
}

#[tokio::test]
async fn leaderboards_have_two_shapes_and_validators() {
    let server = site().await;
    let classic = get(&server, "/api/leaderboard").await;
    assert!(classic.json()[0]["userId"].is_i64() && classic.json()[0]["rating"].is_i64());
    let x2 = get(&server, "/api/x2Leaderboard").await;
    let arrays = x2.json().as_object().unwrap().values().filter(|value| value.is_array()).count();
    assert_eq!(arrays, 1);
    let etag = classic.header("etag").to_owned();
    let headers = format!("authorization: Bearer {}\r\nif-none-match: {etag}\r\n", server.jwt());
    let again = ask(&server, "GET", "/api/leaderboard", &headers, "").await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert!(server.log().last().unwrap().is_conditional);
}

#[tokio::test]
async fn only_the_right_token_is_let_in() {
    let server = site().await;
    assert_eq!(ask(&server, "GET", "/api/leaderboard", "", "").await.status, 401);
    let other = format!("authorization: Bearer {}\r\n", unsigned_jwt(4_102_444_801));
    assert_eq!(ask(&server, "GET", "/api/leaderboard", &other, "").await.status, 401);
    let options = SimOptions { token: TokenCheck::AnyUnexpired, ..SimOptions::default() };
    let tolerant = site_with(options).await;
    assert_eq!(ask(&tolerant, "GET", "/api/leaderboard", &other, "").await.status, 200);
    let expired = format!("authorization: Bearer {}\r\n", unsigned_jwt(1));
    assert_eq!(ask(&tolerant, "GET", "/api/leaderboard", &expired, "").await.status, 401);
}

#[tokio::test]
async fn the_log_keeps_what_was_asked_but_no_token() {
    let server = site().await;
    history(&server, 1000, 40, 20).await;
    get(&server, "/sim/world").await;
    let log = server.log();
    assert_eq!(log.len(), 1);
    assert_eq!((log[0].path.as_str(), log[0].status), ("/api/player/history", 200));
    assert_eq!(log[0].params["first"], 40);
    assert_eq!(log[0].in_flight, 1);
    let shown = get(&server, "/sim/log").await;
    assert!(!shown.text().contains(server.jwt()));
    assert_eq!(shown.json()[0]["endpoint"], "history");
}

#[tokio::test]
async fn the_page_size_can_be_capped() {
    let server = site_with(SimOptions { page_size_cap: Some(3), ..SimOptions::default() }).await;
    let page = history(&server, 1000, 0, 500).await.json();
    assert_eq!(page["gameHistoryList"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn an_operator_is_told_what_to_export() {
    let server = site().await;
    let lines = server.export_lines();
    assert!(lines.contains(&format!("export SITE_BASE_URL={}\n", server.base_url())));
    assert!(lines.contains("export SEED_IDS=1000,1037\n"), "{lines}");
    let base_url = server.base_url().to_owned();
    server.shutdown().await;
    let address = base_url.strip_prefix("http://").unwrap();
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn it_listens_on_loopback_only() {
    let options = SimOptions { listen: "0.0.0.0:0".parse().unwrap(), ..SimOptions::default() };
    let world = dicechess_sim::World::generate(dicechess_sim::WorldSpec::default());
    assert!(dicechess_sim::SimServer::start(world, options).await.is_err());
}

#[tokio::test]
async fn a_crawl_by_hand_finds_what_is_said_to_be_reachable() {
    let server = site().await;
    let seeds = server.world().seed_ids();
    let (mut queue, mut asked) = (seeds.clone(), BTreeSet::new());
    let mut found = BTreeSet::new();
    while let Some(player) = queue.pop() {
        if player.is_bot() || !asked.insert(player) {
            continue;
        }
        let page = history(&server, player.0, 0, 500).await.json();
        for row in page["gameHistoryList"].as_array().unwrap() {
            found.insert(row["gameId"].as_str().unwrap().parse::<GameId>().unwrap());
            let opponent = &row["historyOpponent"];
            let is_guest =
                opponent["opponentName"].as_str().is_some_and(|name| name.starts_with("Guest"));
            let id: Value = opponent["opponentId"].clone();
            if !is_guest {
                queue.push(serde_json::from_value::<UserId>(id).unwrap());
            }
        }
    }
    let world = server.world();
    assert_eq!(found, world.reachable_games(&seeds));
    assert_eq!(found.len(), world.games().count());
    assert_eq!(asked.len(), world.least_requests(&seeds, 500).history);
}
