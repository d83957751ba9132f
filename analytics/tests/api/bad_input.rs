//! Parameters that cannot be read: 400, and the detail names them.

use crate::client::Server;
use crate::games::{encoded, game, uuid};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn refused(server: &Server, path: &str, field: &str) {
    let answer = server.get(path);
    assert_eq!(answer.status, 400, "{path}: {answer:?}");
    assert!(answer.detail().contains(field), "{path}: {}", answer.detail());
}

#[test]
fn of_lists_and_players() {
    let server = Server::start();
    game(1).post(&server);
    let player = format!("/api/players/{}", uuid(&server, "name 1"));
    let filters = [
        ("mode", &["classic2", "X2", "", "null"][..]),
        ("color", &["white", "W", ""]),
        ("opponent_type", &["guest", ""]),
        ("opponent_id", &["7", "", "00000000-0000-0000-0000-00000000000g"]),
        ("stake", &["10", "huge", ""]),
        ("date_from", &["yesterday", "2026-02-29", "2026-3-1", "1774901324793", ""]),
        ("date_to", &["2026-13-01", "2026-03-30T00:00:00Z", "%20"]),
    ];
    for (field, values) in filters {
        for value in values {
            for call in
                ["/api/games".to_owned(), format!("{player}/stats"), format!("{player}/breakdowns")]
            {
                refused(&server, &format!("{call}?{field}={value}"), field);
            }
        }
        refused(&server, &format!("/api/games?{field}=%FF"), field);
    }
    for (field, values) in [
        ("player_id", &["1", "", "{00000000-0000-0000-0000-000000000000}"][..]),
        ("min_turns", &["-1", "x", "1.5", "", "99999999999999999999"]),
        ("max_turns", &["-1", "1e3", "0x10"]),
        ("result", &["2", "win", "", "-2", "1.0"]),
        ("sort", &["id", "started_at;drop", ""]),
        ("order", &["up", "DESC", ""]),
        ("limit", &["0", "201", "-1", "x", "", "99999999999999999999999", "9223372036854775807"]),
        ("offset", &["-1", "x", "9223372036854775808"]),
    ] {
        for value in values {
            refused(&server, &format!("/api/games?{field}={value}"), field);
        }
    }
    for (path, field) in [
        ("/api/games?mode=x2&mode=x2", "mode"),
        ("/api/games?color=w", "color"),
        ("/api/players?limit=101", "limit"),
        ("/api/players?limit=0", "limit"),
        ("/api/players?limit=many", "limit"),
        ("/api/players?username=%FF", "username"),
        ("/api/players?username=%C3%28", "username"),
        ("/api/players?username=a&username=b", "username"),
        ("/api/games/x", "path"),
    ] {
        refused(&server, path, field);
    }
    for path in ["rating-history?mode=x3", "rating-history?date_from=x", "profit-history?date_to=x"]
    {
        let field = path.split(['?', '=']).nth(1).unwrap();
        refused(&server, &format!("{player}/{path}"), field);
    }
}

#[test]
fn of_positions() {
    let server = Server::start();
    let calls = ["equity?", "dice-distribution?", "continuations?dice=PNB&"];
    let fens = [
        "",
        "x",
        "8/8",
        "8/8/8/8/8/8/8/8 w - - 0 1 PNB 7",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ?kq -",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - a b",
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "%FF",
        "%00",
        "%F0%9F%8E%B2",
    ];
    for call in calls {
        for fen in fens {
            refused(&server, &format!("/api/positions/{call}fen={}", encoded(fen)), "fen");
        }
        refused(&server, &format!("/api/positions/{}", call.trim_end_matches(['&', '?'])), "fen");
        let sound = format!("/api/positions/{call}fen={}", encoded(START));
        for (field, value) in [
            ("mode", "x3"),
            ("min_rating", "x"),
            ("min_rating", "1500.5"),
            ("min_rating", "9223372036854775808"),
            ("source", "%FF"),
        ] {
            refused(&server, &format!("{sound}&{field}={value}"), field);
        }
        assert_eq!(server.get(&sound).status, 200);
    }
    let call = format!("/api/positions/continuations?fen={}", encoded(START));
    for dice in ["", "PNBR", "X", "123", "P%20N", "PN%FF", "%E2%99%9E", "PPPPPPPPPPPPPPPPPPPPPPPP"]
    {
        refused(&server, &format!("{call}&dice={dice}"), "dice");
    }
    refused(&server, &call, "dice");
    for limit in ["0", "201", "x", "-3"] {
        refused(&server, &format!("{call}&dice=P&limit={limit}"), "limit");
    }
}

#[test]
fn a_query_that_is_no_list_of_parameters_is_harmless() {
    let server = Server::start();
    let long = format!("/api/games?x={}", "y".repeat(8000));
    for path in [
        "/api/games?",
        "/api/games?&&&",
        "/api/games?=",
        "/api/games?=x",
        "/api/games?%zz=1",
        &long,
    ] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}
