//! The gateway of a running `serve`: games that browsers post, whoever else may ask what.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Barrier};

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::ingest::IngestGame;
use dicechess_core::normalise::normalize_line;
use dicechess_sim::{SimServer, World};
use dicechess_tests::faults::{NOBODY, small_site};
use dicechess_tests::{
    AnalyticsService, Answered, Browser, Invocation, Running, Scripted, Workspace,
};
use rustix::process::Signal;
use serde_json::json;

const PAGE: &str = "https://board.example.org";
const TOKEN: &str = "the-token-of-the-tests";

/// A `serve` that asks the site nothing but once for a leaderboard.
fn quiet(workspace: &Workspace, site: &SimServer) -> Invocation {
    workspace
        .serve(site)
        .env("REQUEST_MIN_DELAY_MS", "3600000")
        .env("ALLOWED_ORIGINS", "https://board.example.org https://*.example.com")
        .env("INGEST_TOKEN", TOKEN)
}

/// The document of a game, as an extension makes it.
fn document(world: &World, game: GameId) -> IngestGame {
    let white: UserId = world.game(game).unwrap().white;
    let rows = world.history_page(white, None, 0, 1000).rows;
    let is_of_game = |row: &&String| row.to_lowercase().contains(&game.to_string());
    let row = rows.iter().find(is_of_game).unwrap();
    let moves = world.state_map(game).unwrap();
    let line =
        format!(r#"{{"history_meta":{row},"queried_user_id":{white},"move_history":{moves}}}"#);
    normalize_line(&line).unwrap()
}

fn any_document(site: &SimServer) -> IngestGame {
    let world = site.world();
    let game = world.games().next().unwrap().id;
    document(&world, game)
}

fn stop(run: Running) -> String {
    run.signal(Signal::TERM);
    run.wait().expect(0).stderr
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_let_in_posts_a_game_once() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let nobody = Browser::at(&run.pages());
    let page = nobody.of_origin(PAGE);
    let game = any_document(&site);
    let body = game.to_json();

    nobody.post("/api/games", &body).expect(403);
    for origin in
        ["https://board.example.net", "https://example.com", "null", "http://a.example.com"]
    {
        let refused = nobody.of_origin(origin).post("/api/games", &body).expect(403);
        assert!(refused.detail().contains("ALLOWED_ORIGINS"));
        assert_eq!(refused.header("access-control-allow-origin"), None);
    }
    let first = page.post("/api/games", &body).expect(201);
    assert_eq!(first.json(), json!({ "id": game.id, "created": true }));
    assert_eq!(first.header("access-control-allow-origin"), Some(PAGE));
    assert!(first.header("vary").unwrap().contains("origin"));
    let elsewhere = nobody.of_origin("https://a.example.com");
    let changed = IngestGame { result: None, ..game.clone() }.to_json();
    for repeat in [elsewhere.post("/api/games", &body), page.post("/api/games", changed)] {
        assert_eq!((repeat.status, &repeat.body), (201, &first.body), "the stored answer");
    }
    assert_eq!(workspace.accepted().len(), 1);
    assert_eq!(workspace.accepted()[&game.id]["result"], json!(game.result));
    assert!(!stop(run).contains(TOKEN));

    let mut again = quiet(&workspace, &site).start();
    let repeat = Browser::at(&again.pages()).of_origin(PAGE).post("/api/games", &body);
    assert_eq!((repeat.status, repeat.body), (201, first.body), "after a restart");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_post_is_said() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let page = Browser::at(&run.pages()).of_origin(PAGE);
    let game = any_document(&site);
    let sound = game.to_json();
    for (from, to, named) in [
        ("dicechess.com", "chess.com", "source"),
        ("\"id\":\"", "\"id\":\"x", "id"),
        ("\"turns\":[", "\"turns\":7,\"t\":[", "turns"),
        ("\"mode\":", "\"mood\":", "mode"),
        ("{", "[", "object"),
        ("}", "", "not JSON"),
    ] {
        let refused = page.post("/api/games", sound.replacen(from, to, 1)).expect(400);
        assert!(refused.detail().contains(named), "{}", refused.detail());
    }
    let large = format!("{{\"id\":\"{}\"}}", "x".repeat(3 << 20));
    assert!(page.post("/api/games", large).expect(413).detail().contains("1048576 bytes"));

    let mut illegal = game.clone();
    illegal.turns[0].moves = vec!["a1a1".to_owned()];
    let refused = page.post("/api/games", illegal.to_json()).expect(422);
    assert!(refused.detail().starts_with("Turn 1: "), "{}", refused.detail());
    // A bad body of one does not block the good one of another.
    page.post("/api/games", &sound).expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_posts_too_often_waits() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site)
        .env("GATEWAY_BURST", "2")
        .env("GATEWAY_RATE_PER_MINUTE", "1")
        .start();
    let nobody = Browser::at(&run.pages());
    let page = nobody.of_origin(PAGE);
    for _ in 0..2 {
        page.post("/api/games", "{}").expect(400);
        // Whoever is not let in takes no tokens.
        nobody.post("/api/games", "{}").expect(403);
    }
    let refused = page.post("/api/games", "{}").expect(429);
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert!(refused.header("access-control-expose-headers").unwrap().contains("retry-after"));
    page.get("/api/games").expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_analytics_says_comes_through_or_is_a_bad_gateway() {
    let site = small_site(4, 8).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    let remote = |url: &str| {
        quiet(&workspace, &site)
            .env("ANALYTICS_BASE_URL", url)
            .env("INGEST_TOKEN", AnalyticsService::TOKEN)
    };
    let mut run = remote(analytics.base_url()).start();
    let page = Browser::at(&run.pages()).of_origin(PAGE);
    let body = any_document(&site).to_json();
    for (theirs, ours) in [(401, 502), (403, 502), (404, 502), (413, 502), (500, 502), (503, 502)] {
        analytics.script([Scripted::new(theirs, AnalyticsService::TOKEN)]);
        let refused = page.post("/api/games", &body).expect(ours);
        assert!(!refused.body.contains(AnalyticsService::TOKEN));
    }
    for status in [400, 422] {
        analytics.script([Scripted::new(status, "{\"detail\":\"why\"}")]);
        assert_eq!(page.post("/api/games", &body).expect(status).body, "{\"detail\":\"why\"}");
    }
    page.post("/api/games", &body).expect(201);
    let last = analytics.posts().pop().unwrap();
    assert_eq!(last.body, body, "relayed byte for byte");
    assert_eq!(last.authorization, Some(format!("Bearer {}", AnalyticsService::TOKEN)));
    let asked = analytics.posts().len();
    page.post("/api/games", &body).expect(201);
    assert_eq!(analytics.posts().len(), asked, "the repeat is answered here");
    assert!(!stop(run).contains(AnalyticsService::TOKEN));

    let other = Workspace::new();
    let mut run = quiet(&other, &site).env("ANALYTICS_BASE_URL", NOBODY).start();
    let page = Browser::at(&run.pages()).of_origin(PAGE);
    page.post("/api/games", &body).expect(502);
    page.with_token(TOKEN).post("/api/games", &body).expect(502);
    page.get("/api/games").expect(502);
}

/// Fifty browsers post one game at the same moment.
fn fifty_posts(page: &Browser, body: &str) -> Vec<Answered> {
    let start = Arc::new(Barrier::new(50));
    let posts: Vec<_> = (0..50)
        .map(|_| {
            let (page, body, start) = (page.clone(), body.to_owned(), Arc::clone(&start));
            std::thread::spawn(move || {
                start.wait();
                page.post("/api/games", body)
            })
        })
        .collect();
    posts.into_iter().map(|post| post.join().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_at_once_have_one_effect_and_equal_answers() {
    let site = small_site(4, 8).await;
    let game = any_document(&site);
    let expected = json!({ "id": game.id, "created": true });

    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let page = Browser::at(&run.pages()).of_origin(PAGE);
    for answer in fifty_posts(&page, &game.to_json()) {
        assert_eq!((answer.status, answer.json()), (201, expected.clone()));
    }
    assert_eq!(workspace.accepted().len(), 1);
    drop(run);

    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site)
        .env("ANALYTICS_BASE_URL", analytics.base_url())
        .env("INGEST_TOKEN", AnalyticsService::TOKEN)
        .start();
    let page = Browser::at(&run.pages()).of_origin(PAGE);
    for answer in fifty_posts(&page, &game.to_json()) {
        assert_eq!((answer.status, answer.json()), (201, expected.clone()));
    }
    assert_eq!(analytics.count(), 1);
    assert_eq!(analytics.posts().len(), 1, "one post for all of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_token_the_analytics_api_answers() {
    let site = small_site(4, 8).await;
    let game = any_document(&site);
    let body = game.to_json();
    let path = format!("/api/games/{}", game.id);
    let analytics = AnalyticsService::start().await;
    for base_url in ["embedded", analytics.base_url()] {
        let workspace = Workspace::new();
        let token = if base_url == "embedded" { TOKEN } else { AnalyticsService::TOKEN };
        let mut run = quiet(&workspace, &site)
            .env("ANALYTICS_BASE_URL", base_url)
            .env("INGEST_TOKEN", token)
            .start();
        let script = Browser::at(&run.pages());
        script.with_token("wrong").post("/api/games", &body).expect(401);
        script.with_token("wrong").send("PUT", &path, body.as_bytes()).expect(401);
        script.send("PUT", &path, body.as_bytes()).expect(401);
        script.get(&path).expect(404);
        script.with_token(token).post("/api/games", &body).expect(201);
        script.with_token(token).post("/api/games", &body).expect(200);
        script.with_token(token).send("PUT", &path, body.as_bytes()).expect(200);
        assert_eq!(script.get(&path).expect(200).json()["id"], json!(game.id));
        let listed = script.of_origin(PAGE).get("/api/games?limit=1").expect(200);
        assert_eq!(listed.json()["total"], 1);
        assert_eq!(listed.header("access-control-allow-origin"), Some(PAGE));
        assert_eq!(script.get("/version").expect(200).json()["name"], "dicechess-analytics");
        script.get("/openapi.json").expect(200);
        assert!(script.get("/docs").expect(200).header("content-type").unwrap().contains("html"));
        script.get("/api/no-such-thing").expect(404);
        let refused = script.get("/api/games?limit=0").expect(400);
        assert!(refused.detail().contains("limit"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_told_before_they_ask() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let nobody = Browser::at(&run.pages());
    let extension = "moz-extension://0b5f1c3e-9a77-4c11-8e55-00000000abcd";
    for (origin, path, is_allowed) in [
        (PAGE, "/api/games", true),
        (PAGE, "/api/games/0b5f1c3e-9a77-4c11-8e55-00000000abcd", true),
        (PAGE, "/pair", true),
        (PAGE, "/ingest/raw", true),
        ("https://a.b.example.com", "/api/players", true),
        ("https://evil.example.net", "/api/games", false),
        ("https://evil.example.net", "/pair", false),
        ("https://evil.example.net", "/ingest/raw", false),
        (extension, "/pair", true),
        (extension, "/ingest/raw", true),
        (extension, "/api/games", false),
    ] {
        let answer = nobody.of_origin(origin).preflight(path);
        assert!((200..300).contains(&answer.status), "{answer:?}");
        let allowed = answer.header("access-control-allow-origin");
        assert_eq!(allowed, is_allowed.then_some(origin), "{origin} {path}");
        let methods = answer.header("access-control-allow-methods").unwrap();
        assert!(methods.contains("post") && methods.contains("put"), "{methods}");
        let headers = answer.header("access-control-allow-headers").unwrap();
        assert!(headers.contains("authorization") && headers.contains("content-type"), "{headers}");
        assert_eq!(answer.header("access-control-max-age"), Some("600"));
        assert_eq!(answer.header("access-control-allow-private-network"), Some("true"));
        assert!(answer.header("vary").unwrap().contains("origin"));
    }
}
