//! A player's stats, breakdowns and histories.

use serde_json::{Value, json};

use crate::client::Server;
use crate::games::{Game, ask, fields, game, player, record, uuid};

/// Player 1 against 2 (human) and -9 (bot).
fn against(number: u128, color: &str, opponent: &str, result: Option<i64>) -> Game {
    let kind = if opponent.starts_with('-') { "bot" } else { "human" };
    let (one, other) = (player("1", "human", Some(1500)), player(opponent, kind, None));
    let (white, black) = if color == "w" { (one, other) } else { (other, one) };
    game(number).between(white, black).with("result", result)
}

fn some_results(server: &Server) -> String {
    against(1, "w", "2", Some(1))
        .with("time_initial_sec", 60)
        .with("time_increment_sec", 1)
        .post(server);
    against(2, "b", "2", Some(-1))
        .with("started_at", "2026-03-01T00:00:00Z")
        .with("initial_stake_amount", 50)
        .post(server);
    against(3, "b", "-9", Some(1)).with("mode", "x2").turns(&[(&[1], "e2e4")]).post(server);
    against(4, "w", "-9", Some(0)).with("started_at", Value::Null).post(server);
    against(5, "w", "2", None).with("started_at", "2026-04-02T00:00:00Z").post(server);
    uuid(server, "name 1")
}

#[test]
fn stats() {
    let server = Server::start();
    let id = some_results(&server);
    let stats = ask(&server, &format!("/api/players/{id}/stats"));
    let expected = json!({
        "id": id, "username": "name 1", "player_type": "human",
        "games": 5, "wins": 2, "draws": 1, "losses": 1, "decided": 4, "win_rate": 0.625,
        "as_white": 3, "as_black": 2,
        "first_game": "2026-03-01T00:00:00.000Z", "last_game": "2026-04-02T00:00:00.000Z",
        "rating_classic": 1500, "rating_x2": 1500,
    });
    assert_eq!(stats, expected);
    let two = uuid(&server, "name 2");
    for (query, expected) in [
        ("mode=x2", [1, 0, 0, 1]),
        ("color=w", [3, 1, 1, 0]),
        ("color=b", [2, 1, 0, 1]),
        ("opponent_type=bot", [2, 0, 1, 1]),
        ("opponent_type=human", [3, 2, 0, 0]),
        (&format!("opponent_id={two}"), [3, 2, 0, 0]),
        ("stake=medium", [1, 1, 0, 0]),
        ("stake=free", [4, 1, 1, 1]),
        ("date_from=2026-03-02", [3, 1, 0, 1]),
        ("date_to=2026-03-01", [1, 1, 0, 0]),
        ("date_from=2026-04-01&date_to=2026-04-02", [1, 0, 0, 0]),
        ("stake=high", [0, 0, 0, 0]),
    ] {
        let stats = ask(&server, &format!("/api/players/{id}/stats?{query}"));
        assert_eq!(record(&stats), expected, "{query}");
        assert_eq!(stats["rating_classic"], json!(1500), "{query}");
    }
    let nothing = ask(&server, &format!("/api/players/{id}/stats?stake=high"));
    assert_eq!((&nothing["win_rate"], &nothing["first_game"]), (&json!(0.0), &Value::Null));
}

#[test]
fn breakdowns() {
    let server = Server::start();
    let id = some_results(&server);
    let found = ask(&server, &format!("/api/players/{id}/breakdowns"));
    let row = |key: &str, [games, wins, draws, losses]: [u64; 4], rate: f64| json!({"key": key, "games": games, "wins": wins, "draws": draws, "losses": losses, "win_rate": rate});
    let expected = json!({
        "by_color": [row("w", [3, 1, 1, 0], 0.75), row("b", [2, 1, 0, 1], 0.5)],
        "by_mode": [row("classic", [4, 2, 1, 0], 2.5 / 3.0), row("x2", [1, 0, 0, 1], 0.0)],
        "by_opponent_type": [row("human", [3, 2, 0, 0], 1.0), row("bot", [2, 0, 1, 1], 0.25)],
        "by_time_control": [row("60:1", [1, 1, 0, 0], 1.0)],
        "avg_turns": 0.2,
        "doubling": {"player_offered": {"accepted": 0, "declined": 0},
                     "opponent_offered": {"accepted": 0, "declined": 0}},
    });
    assert_eq!(found, expected);
    let found = ask(&server, &format!("/api/players/{id}/breakdowns?color=b&mode=x2"));
    assert_eq!(found["by_color"].as_array().unwrap().len(), 1);
    assert_eq!(found["avg_turns"], json!(1.0));
    let found = ask(&server, &format!("/api/players/{id}/breakdowns?stake=high"));
    assert_eq!((&found["by_mode"], &found["avg_turns"]), (&json!([]), &json!(0.0)));
}

#[test]
fn doubles_are_resolved_by_the_next_answer() {
    let server = Server::start();
    let doubled = |number: u128, color: &str, events: &[(&str, &str)]| {
        against(number, color, "2", None).with("mode", "x2").events(events).post(&server);
    };
    let (offer, accept, decline) = ("DOUBLE_OFFER", "DOUBLE_ACCEPT", "DOUBLE_DECLINE");
    doubled(1, "w", &[(offer, "w"), (accept, "b"), (offer, "b"), (decline, "w")]);
    doubled(2, "b", &[(offer, "w"), ("DRAW_OFFER", "b"), (accept, "b"), (offer, "b")]);
    // The first offer was never answered.
    doubled(3, "w", &[(offer, "w"), (offer, "b"), (accept, "w")]);
    doubled(4, "b", &[(offer, "b"), (decline, "w")]);
    let id = uuid(&server, "name 1");
    let found = ask(&server, &format!("/api/players/{id}/breakdowns"));
    let expected = json!({
        "player_offered": {"accepted": 1, "declined": 1},
        "opponent_offered": {"accepted": 2, "declined": 1},
    });
    assert_eq!(found["doubling"], expected);
    let as_black = ask(&server, &format!("/api/players/{id}/breakdowns?color=b"));
    let expected = json!({
        "player_offered": {"accepted": 0, "declined": 1},
        "opponent_offered": {"accepted": 1, "declined": 0},
    });
    assert_eq!(as_black["doubling"], expected);
}

#[test]
fn ratings_over_time() {
    let server = Server::start();
    let rated = |number: u128, start: &str, mode: &str, rating: Option<i64>| {
        let one = player("1", "human", rating);
        let (white, black) =
            if number.is_multiple_of(2) { (one, Value::Null) } else { (Value::Null, one) };
        game(number)
            .between(white, black)
            .with("started_at", start)
            .with("mode", mode)
            .post(&server);
    };
    rated(1, "2026-03-01T23:00:00Z", "classic", Some(1510));
    rated(2, "2026-03-01T01:00:00Z", "classic", Some(1500));
    rated(3, "2026-03-01T23:30:00Z", "classic", None);
    rated(4, "2026-03-03T00:00:00Z", "classic", Some(1490));
    rated(5, "2026-03-02T00:00:00Z", "x2", Some(1600));
    let id = uuid(&server, "name 1");
    let history = |query: &str| ask(&server, &format!("/api/players/{id}/rating-history?{query}"));
    let point = |date: &str, rating: i64| json!({"date": date, "rating": rating});
    let classic = [point("2026-03-01", 1510), point("2026-03-03", 1490)];
    let x2 = [point("2026-03-02", 1600)];
    assert_eq!(history(""), json!({"classic": classic, "x2": x2}));
    assert_eq!(history("mode=classic"), json!({"classic": classic, "x2": []}));
    assert_eq!(history("mode=x2"), json!({"classic": [], "x2": x2}));
    assert_eq!(history("date_from=2026-03-02")["classic"], json!([classic[1]]));
    assert_eq!(history("date_to=2026-03-01"), json!({"classic": [classic[0]], "x2": []}));
}

#[test]
fn profit_over_time() {
    let server = Server::start();
    let paid = |number: u128, start: &str, white: bool, stake: Value, delta: Value| {
        let color = if white { "w" } else { "b" };
        let field = if white { "white_money_delta" } else { "black_money_delta" };
        against(number, color, "2", None)
            .with("started_at", start)
            .with("initial_stake_amount", stake)
            .with(field, delta)
            .post(&server);
    };
    paid(1, "2026-03-01T10:00:00Z", true, json!(10), json!(9.5));
    paid(2, "2026-03-01T11:00:00Z", false, json!(10), json!(-10));
    paid(3, "2026-03-02T00:00:00Z", true, json!(0), json!(0));
    paid(4, "2026-03-04T00:00:00Z", true, json!(10), json!(0));
    paid(5, "2026-03-05T00:00:00Z", true, json!(10), Value::Null);
    paid(6, "2026-03-06T00:00:00Z", false, Value::Null, json!(19));
    let id = uuid(&server, "name 1");
    let history = |query: &str| ask(&server, &format!("/api/players/{id}/profit-history?{query}"));
    let point = |date: &str, delta: f64, cumulative: f64| json!({"date": date, "delta": delta, "cumulative": cumulative});
    let points = [
        point("2026-03-01", -0.5, -0.5),
        point("2026-03-04", 0.0, -0.5),
        point("2026-03-06", 19.0, 18.5),
    ];
    assert_eq!(history(""), json!({"points": points}));
    let window = history("date_from=2026-03-02&date_to=2026-03-06");
    let points = [point("2026-03-04", 0.0, 0.0), point("2026-03-06", 19.0, 19.0)];
    assert_eq!(window, json!({"points": points}));
    assert_eq!(fields(&window["points"][0]), ["cumulative", "date", "delta"]);
}
