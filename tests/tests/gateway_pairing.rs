//! Paired extensions: how they are let in, what they bring, and that the site is not asked for it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use dicechess_core::bundle::{BundleParts, bundle_json};
use dicechess_core::ids::GameId;
use dicechess_core::normalise::normalize_line;
use dicechess_sim::{Endpoint, SimServer, World};
use dicechess_tests::evidence::{requests_to, told, truth};
use dicechess_tests::faults::{everybody, small_site};
use dicechess_tests::{Browser, Invocation, Running, Workspace};
use rustix::process::Signal;
use serde_json::{Value, json};

const EXTENSION: &str = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";

/// A `serve` that asks the site nothing but once for a leaderboard.
fn quiet(workspace: &Workspace, site: &SimServer) -> Invocation {
    workspace.serve(site).env("REQUEST_MIN_DELAY_MS", "3600000")
}

fn pair(workspace: &Workspace, browser: &Browser) -> (i64, String) {
    let code = workspace.command(["pair", "--json"]).run().expect(0).json();
    let asked = json!({ "code": code["code"], "label": "the tests" }).to_string();
    let paired = browser.post("/pair", asked).expect(201).json();
    (paired["pairing_id"].as_i64().unwrap(), paired["secret"].as_str().unwrap().to_owned())
}

/// White's history entry of a game.
fn entry(world: &World, game: GameId) -> String {
    let white = world.game(game).unwrap().white;
    let rows = world.history_page(white, None, 0, 1000).rows;
    rows.into_iter().find(|row| row.to_lowercase().contains(&game.to_string())).unwrap()
}

/// What an extension sends of a game of which it saw this entry.
fn bundle_with(world: &World, game: GameId, entry: &str) -> String {
    let known = world.game(game).unwrap();
    bundle_json(&BundleParts {
        game_id: game,
        white_user_id: Some(known.white),
        black_user_id: Some(known.black),
        started_at: None,
        fetched_at: Some("2026-04-02T10:00:00.000Z"),
        meta_fetched_at: Some("2026-04-02T09:00:00.000Z"),
        history_meta: Some(entry),
        move_history: &world.state_map(game).unwrap(),
    })
    .unwrap()
}

fn games(site: &SimServer) -> Vec<GameId> {
    site.world().games().map(|game| game.id).collect()
}

fn stop(run: Running) -> String {
    run.signal(Signal::TERM);
    run.wait().expect(0).stderr
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extension_is_paired_with_a_code_and_let_in_until_it_is_revoked() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let extension = Browser::at(&run.pages()).of_origin(EXTENSION);
    let game = games(&site)[0];
    let body = bundle_with(&site.world(), game, &entry(&site.world(), game));
    let wrong = json!({ "code": "00000-00000" }).to_string();
    extension.post("/pair", &wrong).expect(401);
    extension.post("/ingest/raw", &body).expect(401);
    extension.with_token("00").post("/ingest/raw", &body).expect(401);
    extension.post("/api/games", "{}").expect(403);
    Browser::at(&run.pages()).post("/pair", &wrong).expect(403);
    Browser::at(&run.pages()).of_origin("https://a.example.org").post("/pair", &wrong).expect(403);

    let printed = workspace.command(["pair", "--label", "My \u{1b}[2J laptop"]).run().expect(0);
    let code = printed.stdout.lines().next().unwrap();
    let asked = json!({ "code": code.to_lowercase().replace('-', " ") }).to_string();
    let paired = extension.post("/pair", &asked).expect(201);
    assert_eq!(paired.header("cache-control"), Some("no-store"));
    assert_eq!(paired.header("access-control-allow-origin"), Some(EXTENSION));
    let secret = paired.json()["secret"].as_str().unwrap().to_owned();
    assert_eq!((paired.json()["pairing_id"].as_i64(), secret.len()), (Some(1), 64));
    extension.post("/pair", &asked).expect(401);

    let paired = extension.with_token(&secret);
    assert_eq!(paired.post("/ingest/raw", &body).expect(201).json()["created"], true);
    extension.post("/api/games", "{}").expect(400);
    let listed = workspace.command(["pair", "list", "--json"]).run().expect(0).json();
    assert_eq!((&listed[0]["origin"], &listed[0]["revoked_at"]), (&json!(EXTENSION), &Value::Null));
    assert!(listed[0]["last_used_at"].is_string());
    let listed = workspace.command(["pair", "list"]).run().expect(0).stdout;
    assert!(listed.contains("My \\u{1b}[2J laptop"), "{listed}");

    workspace.command(["pair", "revoke", "1"]).run().expect(0);
    workspace.command(["pair", "revoke", "1"]).run().expect(65);
    workspace.command(["pair", "revoke", "2"]).run().expect(65);
    let refused = paired.post("/ingest/raw", &body).expect(401);
    assert_eq!(refused.header("www-authenticate"), Some("bearer"));
    extension.post("/api/games", "{}").expect(403);
    // Five codes a minute: a wrong one, the good one, its repeat, and two more.
    extension.post("/pair", &asked).expect(401);
    extension.post("/pair", &asked).expect(401);
    assert!(extension.post("/pair", &asked).expect(429).header("retry-after").is_some());

    let log = stop(run);
    for hidden in [secret.as_str(), code, &code.replace('-', "")] {
        assert!(!log.contains(hidden), "in the log");
        for file in workspace.files() {
            let bytes = std::fs::read(&file).unwrap();
            let found = bytes.windows(hidden.len()).any(|window| window == hidden.as_bytes());
            assert!(!found, "in {}", file.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_from_a_browser_costs_no_request_to_the_site() {
    let site = small_site(6, 18).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let extension = Browser::at(&run.pages()).of_origin(EXTENSION);
    let (_, secret) = pair(&workspace, &extension);
    let paired = extension.with_token(&secret);
    let sent: BTreeMap<GameId, String> = {
        let world = site.world();
        let ids: Vec<GameId> = world.games().map(|game| game.id).collect();
        ids.iter().map(|id| (*id, bundle_with(&world, *id, &entry(&world, *id)))).collect()
    };
    for (game, bundle) in &sent {
        let answer = paired.post("/ingest/raw", bundle).expect(201);
        assert_eq!(answer.json(), json!({ "id": game, "created": true }));
        let again = paired.post("/ingest/raw", bundle).expect(200);
        assert_eq!(again.json(), json!({ "id": game, "created": false }));
    }
    run.until("all are posted and archived while the site is left alone", || {
        workspace.games_that_are("posted") == sent.len() as i64
            && workspace.bundles().len() == sent.len()
    });
    stop(run);
    assert_eq!(workspace.bundles().keys().collect::<Vec<_>>(), sent.keys().collect::<Vec<_>>());
    for (game, body) in workspace.accepted() {
        assert_eq!(told(&body), truth(&site.world(), game));
    }

    let stored = |column: &str| {
        let sql = format!("SELECT game_id, {column} FROM raw_game_data ORDER BY game_id");
        workspace.database().rows(&sql)
    };
    let before = [stored("move_history_json"), stored("move_history_fetched_at")];
    workspace.crawl(&site).env("SEED_IDS", everybody(&site)).run().expect(0);
    assert!(requests_to(&site.log(), Endpoint::History) > 0);
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), 0, "none for its moves");
    assert_eq!([stored("move_history_json"), stored("move_history_fetched_at")], before);
    assert_eq!(workspace.status()["from_browsers"], sent.len());
    assert_eq!(workspace.status()["games"]["posted"], sent.len());
    for row in stored("move_history_json") {
        let game: GameId = row[0].as_str().unwrap().parse().unwrap();
        assert_eq!(row[1], json!(site.world().state_map(game).unwrap()), "byte for byte");
    }
    let shown = workspace.command(["show", &games(&site)[0].to_string()]).run().expect(0).stdout;
    assert!(shown.contains("moves from a browser (pairing 1)"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_believed_is_refused_and_leaves_nothing() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let extension = Browser::at(&run.pages()).of_origin(EXTENSION);
    let paired = extension.with_token(&pair(&workspace, &extension).1);
    let game = games(&site)[0];
    let sound = bundle_with(&site.world(), game, &entry(&site.world(), game));
    let broken = |from: &str, to: &str| {
        assert!(sound.contains(from), "{from}");
        sound.replace(from, to)
    };
    for (body, status, said) in [
        ("{".to_owned(), 400, "EOF"),
        ("[]".to_owned(), 400, "object"),
        (broken("dicechess.com", "chess.com"), 400, "source"),
        (broken("\"whiteUserId\":", "\"whiteUserId\":\"x\",\"w\":"), 400, "user id"),
        (broken("\"move_history\":", "\"moves\":"), 422, "move_history"),
        (broken("\"history_meta\":", "\"meta\":"), 422, "history_meta"),
        (broken("\"WHITE\"", "\"BLACK\""), 422, "opponent"),
        (broken("gameMoveHistoryStateMap", "map"), 422, "cannot be normalised"),
    ] {
        let refused = paired.post("/ingest/raw", body).expect(status);
        assert!(refused.detail().contains(said), "{}", refused.detail());
    }
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(9 << 20));
    paired.post("/ingest/raw", large).expect(413);
    paired.send("GET", "/ingest/raw", b"").expect(405);
    let rows = workspace.database().number("SELECT count(*) FROM games");
    assert_eq!(rows, 0, "garbage never stands in the way of the site's answer");
    paired.post("/ingest/raw", sound).expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn raw_answers_have_a_rate_of_their_own() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site)
        .env("GATEWAY_BURST", "1")
        .env("GATEWAY_RATE_PER_MINUTE", "1")
        .start();
    let extension = Browser::at(&run.pages()).of_origin(EXTENSION);
    let [one, two] = [(); 2].map(|()| extension.with_token(&pair(&workspace, &extension).1));
    one.post("/ingest/raw", "{}").expect(400);
    one.post("/ingest/raw", "{}").expect(429);
    two.post("/ingest/raw", "{}").expect(400);
}

/// The entry with the other result.
fn forged(entry: &str) -> String {
    let result = |text: &str| format!("\"result\":{text},");
    let [win, loss] = [result("1"), result("-1")];
    if entry.contains(&win) { entry.replace(&win, &loss) } else { entry.replace(&loss, &win) }
}

/// A game that both sides may have won as far as its moves tell.
fn given_up(world: &World) -> GameId {
    let is_decided = |id: &GameId| truth(world, *id)["termination"] == "resign";
    world.games().map(|game| game.id).find(is_decided).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_wins_over_a_browser_that_told_otherwise() {
    let site = small_site(8, 18).await;
    let workspace = Workspace::new();
    let mut run = quiet(&workspace, &site).start();
    let extension = Browser::at(&run.pages()).of_origin(EXTENSION);
    let paired = extension.with_token(&pair(&workspace, &extension).1);
    let (game, bundle, result) = {
        let world = site.world();
        let game = given_up(&world);
        let bundle = bundle_with(&world, game, &forged(&entry(&world, game)));
        (game, bundle, truth(&world, game)["result"].as_i64().unwrap())
    };
    paired.post("/ingest/raw", &bundle).expect(201);
    run.until("the lie is posted", || workspace.games_that_are("posted") == 1);
    stop(run);
    assert_eq!(workspace.accepted()[&game]["result"], -result);

    workspace.crawl(&site).env("SEED_IDS", everybody(&site)).run().expect(0);
    assert_eq!(told(&workspace.accepted()[&game]), truth(&site.world(), game));
    let asked: Vec<_> = dicechess_tests::faults::asked_games(&site);
    assert_eq!(asked.iter().filter(|asked| **asked == game).count(), 1, "the site is asked");
    assert_eq!(workspace.status()["from_browsers"], 0);

    // The other way round: the site's word is there first.
    let other = Workspace::new();
    let sweep = other.crawl(&site).arg("--stages").arg("enumerate");
    sweep.env("SEED_IDS", everybody(&site)).run().expect(0);
    let mut run = quiet(&other, &site).start();
    let extension = Browser::at(&run.pages()).of_origin(EXTENSION);
    let paired = extension.with_token(&pair(&other, &extension).1);
    let refused = paired.post("/ingest/raw", &bundle).expect(409);
    assert!(refused.detail().contains("another result"), "{}", refused.detail());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_post_gives_way_to_what_the_site_says() {
    let site = small_site(8, 18).await;
    let workspace = Workspace::new();
    let page = "https://board.example.org";
    let mut run = quiet(&workspace, &site).env("ALLOWED_ORIGINS", page).start();
    let (game, document) = {
        let world = site.world();
        let game = given_up(&world);
        let (row, moves) = (forged(&entry(&world, game)), world.state_map(game).unwrap());
        let white = world.game(game).unwrap().white;
        let line =
            format!(r#"{{"history_meta":{row},"queried_user_id":{white},"move_history":{moves}}}"#);
        (game, normalize_line(&line).unwrap())
    };
    let posted = Browser::at(&run.pages()).of_origin(page).post("/api/games", document.to_json());
    posted.expect(201);
    stop(run);
    assert_eq!(workspace.accepted()[&game]["result"], json!(document.result));

    workspace.crawl(&site).env("SEED_IDS", everybody(&site)).run().expect(0);
    assert_eq!(told(&workspace.accepted()[&game]), truth(&site.world(), game));
}
