//! Equity, continuations and dice distribution.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::client::{Server, store};
use crate::document::START;
use crate::games::{ask, encoded, fields, game, id, player, record};

const START_4: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";

fn equity(server: &Server, fen: &str, more: &str) -> Value {
    ask(server, &format!("/api/positions/equity?fen={}{more}", encoded(fen)))
}

fn continuations(server: &Server, fen: &str, dice: &str, more: &str) -> Value {
    let fen = encoded(fen);
    ask(server, &format!("/api/positions/continuations?fen={fen}&dice={dice}{more}"))
}

fn distribution(server: &Server, fen: &str) -> Value {
    ask(server, &format!("/api/positions/dice-distribution?fen={}", encoded(fen)))
}

#[test]
fn equity_is_the_side_to_moves() {
    let server = Server::start();
    for (number, result) in [(1, Some(1)), (2, Some(1)), (3, Some(0)), (4, Some(-1)), (5, None)] {
        game(number).with("result", result).turns(&[(&[1], "e2e4"), (&[5], "")]).post(&server);
    }
    let expected = json!({"fen": START_4, "side_to_move": "w", "games": 5, "wins": 2, "draws": 1,
        "losses": 1, "win_rate": 0.625});
    assert_eq!(equity(&server, START, ""), expected);
    let expected = json!({"fen": AFTER_E4, "side_to_move": "b", "games": 5, "wins": 1, "draws": 1,
        "losses": 2, "win_rate": 0.375});
    assert_eq!(equity(&server, AFTER_E4, ""), expected);
    // The position after the last turn saw no roll.
    let last = AFTER_E4.replace(" b ", " w ");
    assert_eq!(equity(&server, &last, "")["games"], json!(0));
    let unknown = equity(&server, "4k3/8/8/8/8/8/8/4K3 b - - 5 9", "");
    let expected = json!({"fen": "4k3/8/8/8/8/8/8/4K3 b - -", "side_to_move": "b", "games": 0,
        "wins": 0, "draws": 0, "losses": 0, "win_rate": 0.0});
    assert_eq!(unknown, expected);
}

#[test]
fn continuations_are_grouped_by_where_they_lead() {
    let server = Server::start();
    game(1).with("result", 1).turns(&[(&[1, 2], "e2e4 b1c3")]).post(&server);
    game(2).with("result", -1).turns(&[(&[2, 1], "b1c3 e2e4")]).post(&server);
    game(3).with("result", 0).turns(&[(&[1, 2], "g1f3 d2d4")]).post(&server);
    game(4).turns(&[(&[1, 2, 5], "e2e4 b1c3 d1f3")]).post(&server);
    let found = continuations(&server, START, "np", "");
    let expected = json!({"fen": START_4, "dice": "NP", "total_games": 3, "items": [
        {"fen": "rnbqkbnr/pppppppp/8/8/4P3/2N5/PPPP1PPP/R1BQKBNR b KQkq -",
         "moves": ["e2e4", "b1c3"], "games": 2, "wins": 1, "draws": 0, "losses": 1, "win_rate": 0.5},
        {"fen": "rnbqkbnr/pppppppp/8/8/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq -",
         "moves": ["g1f3", "d2d4"], "games": 1, "wins": 0, "draws": 1, "losses": 0, "win_rate": 0.5},
    ]});
    assert_eq!(found, expected);
    let limited = continuations(&server, START, "PN", "&limit=1");
    assert_eq!(limited["items"].as_array().unwrap().len(), 1);
    assert_eq!(limited["total_games"], json!(3));
    assert_eq!(continuations(&server, START, "qnp", "")["total_games"], json!(1));
    let none = continuations(&server, START, "K", "");
    assert_eq!((&none["total_games"], &none["items"]), (&json!(0), &json!([])));
}

#[test]
fn dice_have_the_case_of_the_side_to_move() {
    let server = Server::start();
    game(1).turns(&[(&[1], "e2e4"), (&[1, 2, 3], "e7e5 g8f6 f8c5")]).post(&server);
    let found = ask(&server, &format!("/api/games/{}", id(1)));
    assert_eq!(found["turns"][1]["dice_sorted"], json!("bnp"));
    for dice in ["BNP", "bnp", "pNb", "NPB"] {
        let found = continuations(&server, AFTER_E4, dice, "");
        assert_eq!((&found["dice"], &found["total_games"]), (&json!("bnp"), &json!(1)), "{dice}");
    }
    // The same letters for the other side are another question.
    let white = AFTER_E4.replace(" b ", " w ");
    assert_eq!(continuations(&server, &white, "bnp", "")["dice"], json!("BNP"));
    assert_eq!(distribution(&server, AFTER_E4)["items"][0]["dice"], json!("BNP"));
}

#[test]
fn rolls_are_counted_the_most_frequent_first() {
    let server = Server::start();
    for (number, turn) in
        (1..).zip([(&[1][..], "e2e4"), (&[2], "b1c3"), (&[2], "g1f3"), (&[5], "")])
    {
        game(number).with("result", 1).turns(&[turn]).post(&server);
    }
    let found = distribution(&server, START);
    assert_eq!((&found["total_games"], &found["side_to_move"]), (&json!(4), &json!("w")));
    assert_eq!(fields(&found), ["fen", "items", "side_to_move", "total_games"]);
    let items = found["items"].as_array().unwrap();
    let dice: Vec<&Value> = items.iter().map(|item| &item["dice"]).collect();
    assert_eq!(dice, ["N", "P", "Q"]);
    assert_eq!((record(&items[0]), &items[0]["win_rate"]), ([2, 2, 0, 0], &json!(1.0)));
}

#[test]
fn filters_of_position_statistics() {
    let server = Server::start();
    let rated = |number: u128, white: Option<i64>, black: Option<i64>| {
        let (white, black) = (player("1", "human", white), player("2", "human", black));
        game(number).between(white, black).turns(&[(&[1], "e2e4")])
    };
    rated(1, Some(1500), Some(1700)).post(&server);
    rated(2, Some(1800), Some(1600)).with("mode", "x2").post(&server);
    rated(3, Some(2000), None).with("source", "else where").post(&server);
    for (query, games) in [
        ("", 3),
        ("&mode=classic", 2),
        ("&mode=x2", 1),
        ("&source=dicechess.com", 2),
        ("&source=else%20where", 1),
        ("&source=else+where&mode=x2", 0),
        ("&source=", 0),
        ("&min_rating=1500", 2),
        ("&min_rating=1501", 1),
        ("&min_rating=1600&mode=x2", 1),
        ("&min_rating=1601", 0),
        ("&min_rating=-5", 2),
    ] {
        assert_eq!(equity(&server, START, query)["games"], json!(games), "{query}");
        let found = continuations(&server, START, "P", query);
        assert_eq!(found["total_games"], json!(games), "{query}");
        let fen = encoded(START);
        let found = ask(&server, &format!("/api/positions/dice-distribution?fen={fen}{query}"));
        assert_eq!(found["total_games"], json!(games), "{query}");
    }
}

#[test]
fn an_en_passant_square_nobody_can_use_splits_no_position() {
    let server = Server::start();
    game(1).turns(&[(&[1], "e2e4"), (&[5], "")]).post(&server);
    game(2).turns(&[(&[1, 1], "e2e3 e3e4"), (&[5], "")]).post(&server);
    for fen in [AFTER_E4, &AFTER_E4.replace(" -", " e3"), &format!("{AFTER_E4} 0 1")] {
        assert_eq!(equity(&server, fen, "")["games"], json!(2), "{fen}");
    }
    // One that can be used does.
    let before = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1";
    let usable = |number| game(number).with("initial_fen", before);
    usable(3).turns(&[(&[1], "e2e4"), (&[5], "")]).post(&server);
    usable(4).turns(&[(&[1, 1], "e2e3 e3e4"), (&[5], "")]).post(&server);
    for en_passant in ["-", "e3"] {
        let fen = format!("4k3/8/8/8/3pP3/8/8/4K3 b - {en_passant}");
        assert_eq!(equity(&server, &fen, "")["games"], json!(1), "{fen}");
    }
}

#[test]
fn passes_count() {
    let server = Server::start();
    game(1).turns(&[(&[5, 6], ""), (&[1], "e7e5")]).post(&server);
    let found = continuations(&server, START, "KQ", "");
    let expected = json!([{"fen": START_4.replace(" w ", " b "), "moves": [], "games": 1,
        "wins": 0, "draws": 0, "losses": 0, "win_rate": 0.0}]);
    assert_eq!((&found["items"], &found["total_games"]), (&expected, &json!(1)));
    assert_eq!(distribution(&server, START)["items"][0]["dice"], json!("KQ"));
}

#[test]
fn a_roll_that_was_never_played_does_not_count() {
    let server = Server::start();
    game(1).turns(&[(&[1], "e2e4")]).post(&server);
    let other = Connection::open(store(server.folder.path())).unwrap();
    other
        .execute(
            "INSERT INTO turns (game_id, turn_number, active_color, position_id, dice_sorted, \
             played_moves, position_after_id) SELECT game_id, 2, 'b', position_after_id, 'nn', \
             '[]', position_after_id FROM turns",
            [],
        )
        .unwrap();
    let found = ask(&server, &format!("/api/games/{}", id(1)));
    assert_eq!(found["turns"][1]["position_after_fen"], json!(AFTER_E4));
    assert_eq!(equity(&server, AFTER_E4, "")["games"], json!(0));
    assert_eq!(continuations(&server, AFTER_E4, "nn", "")["total_games"], json!(0));
    assert_eq!(distribution(&server, AFTER_E4)["total_games"], json!(0));
}

#[test]
fn a_partial_last_turn_does_not_count() {
    let server = Server::start();
    game(1).turns(&[(&[1], "e2e4"), (&[1, 1, 2], "e7e5")]).post(&server);
    assert_eq!(equity(&server, START, "")["games"], json!(1));
    assert_eq!(equity(&server, AFTER_E4, "")["games"], json!(0));
    assert_eq!(continuations(&server, AFTER_E4, "npp", "")["items"], json!([]));
    assert_eq!(distribution(&server, AFTER_E4)["items"], json!([]));
    // With a king gone it does.
    let kingless = "8/pppppppp/8/8/8/8/8/4K3 b - - 0 1";
    game(2).with("initial_fen", kingless).turns(&[(&[1, 1], "e7e5")]).post(&server);
    assert_eq!(equity(&server, kingless, "")["games"], json!(1));
}

#[test]
fn a_king_capture_counts_and_leads_to_the_other_side() {
    let server = Server::start();
    let before = "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1";
    game(1)
        .with("initial_fen", before)
        .with("termination", "king_captured")
        .with("result", 1)
        .turns(&[(&[2, 4, 5], "e2e8")])
        .post(&server);
    let found = continuations(&server, before, "nrq", "");
    assert_eq!(found["items"][0]["fen"], json!("4R3/8/8/8/8/8/8/4K3 b - -"));
    assert_eq!(record(&found["items"][0]), [1, 1, 0, 0]);
}

#[test]
fn a_game_counts_once_however_often_it_repeats_a_position() {
    let server = Server::start();
    let knights: [(&[u8], &str); 4] =
        [(&[2], "b1c3"), (&[2], "b8c6"), (&[2], "c3b1"), (&[2], "c6b8")];
    let turns = [&knights[..], &knights, &[(&[2], "g1f3"), (&[1], "e7e5")]].concat();
    game(1).with("result", 1).turns(&turns).post(&server);
    assert_eq!(record(&equity(&server, START, "")), [1, 1, 0, 0]);
    let found = continuations(&server, START, "N", "");
    assert_eq!(found["total_games"], json!(1));
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.iter().map(record).collect::<Vec<_>>(), [[1, 1, 0, 0]; 2]);
    let found = distribution(&server, START);
    assert_eq!((&found["total_games"], record(&found["items"][0])), (&json!(1), [1, 1, 0, 0]));
}
