//! `report position`.

use dicechess_analytics::report::{
    Advice, Doubling, PositionQuery, PositionReport, ReportError, position,
};
use dicechess_core::ingest::Mode;

use crate::store::{Game, START, Store, Turn, assert_fits, assert_picture, roll};

const AFTER: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";
const LATER: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";

/// 130 games from the start: White wins 78, draws 26, loses 26; and one that was never played on.
fn store() -> Store {
    let mut store = Store::new();
    let turns = vec![
        Turn { after: AFTER, ..roll("w", "PPP") },
        Turn { before: AFTER, after: LATER, moves: &["e7e5"], ..roll("b", "ppp") },
    ];
    for number in 0..130 {
        let result = if number < 78 { 1 } else { i64::from(number < 104) - 1 };
        let mode = if number < 10 { "x2" } else { "classic" };
        let turns = turns.clone();
        store.add(&Game { result: Some(result), mode, turns, ..Game::default() });
    }
    let unplayed = Turn { moves: &[], after: START, ..roll("w", "PPP") };
    store.add(&Game { turns: vec![unplayed], ..Game::default() });
    store.add(&Game { result: None, turns, ..Game::default() });
    store
}

fn ask(fen: &str, mode: Option<Mode>) -> PositionReport {
    position(&store().connection, &PositionQuery { fen: fen.to_owned(), mode }).unwrap()
}

#[test]
fn the_start_is_worth_what_its_games_say() {
    let report = ask(&format!("{START} 0 1"), None);
    let tally = report.record.tally;
    assert_eq!((tally.games, tally.wins, tally.draws, tally.losses), (131, 78, 26, 26));
    // (78 + 13) / 130 = 0.7; the interval by the formula: 0.6164 to 0.7721.
    assert_eq!(report.record.win_rate, 0.7);
    assert!((report.equity.unwrap() - 0.4).abs() < 1e-12);
    let interval = report.record.interval.unwrap();
    assert!((interval.low - 0.6164).abs() < 1e-4 && (interval.high - 0.7721).abs() < 1e-4);
    let close = Advice::Close {
        doubling: Doubling::DoubleTake,
        from: Doubling::DoubleTake,
        to: Doubling::DoublePass,
    };
    assert_eq!(report.advice, close);
}

#[test]
fn the_other_sides_view() {
    let report = ask(AFTER, None);
    assert_eq!((report.side_to_move, report.record.tally.wins), ('b', 26));
    assert_eq!(report.advice, Advice::Clear { doubling: Doubling::NoDouble });
}

#[test]
fn too_few_games_and_none() {
    let report = ask(START, Some(Mode::X2));
    assert_eq!((report.record.tally.games, report.advice), (10, Advice::TooFewGames));
    let report = ask("4k3/8/8/8/8/8/8/4K3 b - - 0 1", None);
    assert_eq!((report.record.tally.games, report.equity), (0, None));
    assert_eq!(report.advice, Advice::TooFewGames);
    assert_fits(&report.table());
    assert_picture(&report.svg());
    let query = PositionQuery { fen: "8/8".to_owned(), mode: None };
    assert!(matches!(position(&store().connection, &query), Err(ReportError::Fen(_))));
}

#[test]
fn table_json_and_picture() {
    let report = ask(START, None);
    let table = report.table();
    assert_fits(&table);
    for part in ["win rate    70.0%", "equity      +0.400", "probably double, take", "25%"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert_picture(&report.svg());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["advice"]["kind"], "close");
    assert_eq!(json["advice"]["to"], "double_pass");
    assert_eq!(json["games"], 131);
}
