//! `report openings`.

use dicechess_analytics::report::{OpeningsQuery, OpeningsReport, ReportError, openings};
use dicechess_core::ingest::Mode;

use crate::store::{Game, START, Store, Turn, assert_fits, assert_picture, roll};

const A: &str = "rnbqkbnr/pppppppp/8/8/4P3/2N2Q2/PPPP1PPP/R1B1KBNR b KQkq -";
const B: &str = "rnbqkbnr/pppppppp/8/8/3P4/2N5/PPP1PPPP/R1BQKBNR b KQkq -";
const PASSED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq -";
const PARTLY: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
const NO_KING: &str = "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ -";
const AFTER_BLACK: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/2N2Q2/PPPP1PPP/R1B1KBNR w KQkq -";

fn turn(dice: &'static str, moves: &'static [&'static str], after: &'static str) -> Turn {
    Turn { dice, moves, after, ..roll("w", "") }
}

/// From the start with NPQ: A three times (won, won, drawn; one other order of moves), B once
/// (lost); a pass with KKK (won), a no-op, a partial turn, a partial one that took the king (won).
fn store() -> Store {
    let mut store = Store::new();
    let order: &[&str] = &["b1c3", "e2e4", "d1f3"];
    let other: &[&str] = &["e2e4", "d1f3", "b1c3"];
    for (moves, result) in [(order, Some(1)), (other, Some(1)), (order, Some(0))] {
        let reply = Turn { before: A, after: AFTER_BLACK, moves: &["e7e5"], ..roll("b", "kpp") };
        store.add(&Game { result, turns: vec![turn("NPQ", moves, A), reply], ..Game::default() });
    }
    let b = turn("NPQ", &["b1c3", "d2d4"], B);
    store.add(&Game { result: Some(-1), mode: "x2", turns: vec![b], ..Game::default() });
    store.add(&Game { turns: vec![turn("KKK", &[], PASSED)], ..Game::default() });
    store.add(&Game { turns: vec![turn("NPQ", &[], START)], ..Game::default() });
    let partly = Turn { is_partial: true, ..turn("NPQ", &["e2e4"], PARTLY) };
    store.add(&Game { turns: vec![partly], ..Game::default() });
    let captured = Turn { is_partial: true, ..turn("NNN", &["b1c3"], NO_KING) };
    store.add(&Game { turns: vec![captured], ..Game::default() });
    store
}

fn ask(query: &OpeningsQuery) -> OpeningsReport {
    openings(&store().connection, query).unwrap()
}

/// Roll, position, games, wins, draws, losses.
fn items(report: &OpeningsReport) -> Vec<(&str, &str, [u64; 4])> {
    let one = |item: &'_ dicechess_analytics::report::Continuation| {
        let tally = item.record.tally;
        [tally.games, tally.wins, tally.draws, tally.losses]
    };
    report.items.iter().map(|item| (&*item.dice, &*item.fen, one(item))).collect()
}

#[test]
fn from_the_start_with_every_roll() {
    let report = ask(&OpeningsQuery::default());
    assert_eq!((report.fen.as_str(), report.side_to_move), (START, 'w'));
    assert_eq!(
        items(&report),
        [
            ("NPQ", A, [3, 2, 1, 0]),
            ("KKK", PASSED, [1, 1, 0, 0]),
            ("NNN", NO_KING, [1, 1, 0, 0]),
            ("NPQ", B, [1, 0, 0, 1]),
        ]
    );
    assert_eq!(report.items[0].moves, ["b1c3", "e2e4", "d1f3"], "the more frequent order");
    assert!(report.items[1].moves.is_empty());
    assert_eq!((report.total.tally.games, report.continuations), (6, 4));
    assert_eq!(report.items[0].record.win_rate, 2.5 / 3.0);
}

#[test]
fn dice_in_any_order_and_case_and_the_least_number_of_games() {
    for dice in ["QPN", "pnq"] {
        let query = OpeningsQuery { dice: Some(dice.to_owned()), ..OpeningsQuery::default() };
        let report = ask(&query);
        assert_eq!(report.dice.as_deref(), Some("NPQ"));
        assert_eq!((report.total.tally.games, report.items.len()), (4, 2));
    }
    let report = ask(&OpeningsQuery { min_games: 2, ..OpeningsQuery::default() });
    assert_eq!((report.items.len(), report.below_min_games, report.continuations), (1, 3, 4));
    let report = ask(&OpeningsQuery { limit: 1, ..OpeningsQuery::default() });
    assert_eq!((report.items.len(), report.total.tally.games), (1, 6));
    let report = ask(&OpeningsQuery { mode: Some(Mode::X2), ..OpeningsQuery::default() });
    assert_eq!(items(&report), [("NPQ", B, [1, 0, 0, 1])]);
}

#[test]
fn black_to_move_is_told_from_blacks_side() {
    // The counters and an en-passant square that nobody can use do not make another position.
    let fen = format!("{} e3 3 7", A.trim_end_matches(" -"));
    let query =
        OpeningsQuery { fen: Some(fen), dice: Some("PPK".to_owned()), ..OpeningsQuery::default() };
    let report = ask(&query);
    assert_eq!((report.fen.as_str(), report.dice.as_deref()), (A, Some("kpp")));
    assert_eq!(items(&report), [("kpp", AFTER_BLACK, [3, 0, 1, 2])]);
}

#[test]
fn a_game_that_repeats_a_continuation_counts_once() {
    let mut store = Store::new();
    let there = turn("NNN", &["b1c3"], B);
    let back = Turn { before: B, after: START, moves: &["g8f6"], ..roll("b", "nnn") };
    store.add(&Game { turns: vec![there.clone(), back, there], ..Game::default() });
    let report = openings(&store.connection, &OpeningsQuery::default()).unwrap();
    assert_eq!(items(&report), [("NNN", B, [1, 1, 0, 0])]);
    assert_eq!(report.total.tally.games, 1);
}

#[test]
fn unreadable_questions() {
    let store = store();
    let ask = |fen: Option<&str>, dice: Option<&str>| {
        let query = OpeningsQuery {
            fen: fen.map(ToOwned::to_owned),
            dice: dice.map(ToOwned::to_owned),
            ..OpeningsQuery::default()
        };
        openings(&store.connection, &query)
    };
    assert!(matches!(ask(Some("nonsense"), None), Err(ReportError::Fen(_))));
    for dice in ["", "PPPP", "PX", "ÄÖÜ"] {
        assert!(matches!(ask(None, Some(dice)), Err(ReportError::Dice(_))), "{dice}");
    }
    let unseen = ask(Some("4k3/8/8/8/8/8/8/4K3 w - - 0 1"), None).unwrap();
    assert_eq!((unseen.total.tally.games, unseen.items.len()), (0, 0));
    assert_fits(&unseen.table());
    assert_picture(&unseen.svg());
}

#[test]
fn table_json_and_picture() {
    let report = ask(&OpeningsQuery::default());
    let table = report.table();
    assert_fits(&table);
    for part in ["b1c3 e2e4 d1f3", "(pass)", "4 of 4 continuations listed"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert_picture(&report.svg());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["items"][0]["games"], 3);
    assert_eq!(json["total"]["games"], 6);
}
