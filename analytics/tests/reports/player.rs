//! `report player`.

use dicechess_analytics::report::{PlayerReport, ReportError, Slice, player};

use crate::store::{Game, Store, assert_fits, assert_picture, player_id};

/// Anna (7) plays six games:
///
/// | day | side | against | mode | result for her | rating | stake, delta | time |
/// |---|---|---|---|---|---|---|---|
/// | 03-01 | White | berta | classic | won | 1500 | 10 GOLD, +9.5 | 60:1 |
/// | 03-01 | Black | berta | classic | lost | 1510 | 10 GOLD, −10 | 60:1 |
/// | 03-02 | White | hal | classic | drawn | 1490 | free, 5 (not counted) | 60:1 |
/// | 04-05 | Black | hal | x2 | won | 1600 | 20 GOLD, +38 | 300:0 |
/// | 04-06 | White | berta | x2 | undecided | none | 20 GOLD, unknown | 300:0 |
/// | none | White | hal | classic | won | 1700 | 10 SILVER, +9 | none |
fn store() -> Store {
    let mut store = Store::new();
    let gold = Some("GOLD");
    let classic = |day| Game { started_at: Some(day), currency: gold, ..Game::default() };
    store.add(&Game {
        ratings: (Some(1500), Some(1)),
        stake: Some(10),
        deltas: (Some(9.5), None),
        ..classic("2026-03-01T10:00:00.000Z")
    });
    store.add(&Game {
        white: Some("8"),
        black: Some("7"),
        ratings: (Some(1), Some(1510)),
        stake: Some(10),
        deltas: (Some(9.5), Some(-10.0)),
        ..classic("2026-03-01T23:59:59.999Z")
    });
    store.add(&Game {
        black: Some("-3"),
        result: Some(0),
        ratings: (Some(1490), None),
        stake: Some(0),
        deltas: (Some(5.0), None),
        ..classic("2026-03-02T00:00:00.000Z")
    });
    let x2 = |day| Game { mode: "x2", time: Some((300, 0)), stake: Some(20), ..classic(day) };
    store.add(&Game {
        white: Some("-3"),
        black: Some("7"),
        result: Some(-1),
        ratings: (None, Some(1600)),
        deltas: (None, Some(38.0)),
        ..x2("2026-04-05T10:00:00.000Z")
    });
    store.add(&Game { result: None, ..x2("2026-04-06T10:00:00.000Z") });
    store.add(&Game {
        black: Some("-3"),
        ratings: (Some(1700), None),
        stake: Some(10),
        currency: Some("SILVER"),
        deltas: (Some(9.0), None),
        time: None,
        started_at: None,
        ..Game::default()
    });
    store.add(&Game { white: Some("8"), black: Some("-3"), ..Game::default() });
    store
}

fn ask(name: &str) -> PlayerReport {
    player(&store().connection, name).unwrap()
}

/// Key, games, wins, draws, losses.
fn counts(slices: &[Slice]) -> Vec<(&str, [u64; 4])> {
    let one = |slice: &'_ Slice| {
        let tally = slice.record.tally;
        [tally.games, tally.wins, tally.draws, tally.losses]
    };
    slices.iter().map(|slice| (slice.key.as_str(), one(slice))).collect()
}

#[test]
fn slices_are_told_from_the_players_side() {
    let report = ask("7");
    assert_eq!(report.total.tally.games, 6);
    assert_eq!(report.total.win_rate, 0.7, "three wins and half a draw of five decided games");
    assert_eq!(counts(&report.by_color), [("white", [4, 2, 1, 0]), ("black", [2, 1, 0, 1])]);
    assert_eq!(counts(&report.by_mode), [("classic", [4, 2, 1, 1]), ("x2", [2, 1, 0, 0])]);
    assert_eq!(counts(&report.by_opponent_type), [("human", [3, 1, 0, 1]), ("bot", [3, 2, 1, 0])]);
    assert_eq!(counts(&report.by_time_control), [("60:1", [3, 1, 1, 1]), ("300:0", [2, 1, 0, 0])]);
}

#[test]
fn rating_is_that_of_the_days_last_rated_game() {
    let report = ask("7");
    let course = |mode: &str| -> Vec<_> {
        report.rating[mode].iter().map(|point| (point.date.as_str(), point.rating)).collect()
    };
    assert_eq!(course("classic"), [("2026-03-01", 1510), ("2026-03-02", 1490)]);
    assert_eq!(course("x2"), [("2026-04-05", 1600)]);
}

#[test]
fn profit_sums_paid_games_by_currency() {
    let report = ask(&player_id("7"));
    let gold: Vec<_> = report.profit["GOLD"]
        .iter()
        .map(|point| (point.date.as_str(), point.delta, point.cumulative))
        .collect();
    assert_eq!(gold, [("2026-03-01", -0.5, -0.5), ("2026-04-05", 38.0, 37.5)]);
    assert!(!report.profit.contains_key("SILVER"), "the game in silver has no day");
    assert_eq!((report.paid_games_without_delta, report.undated_games), (1, 1));
    let months: Vec<_> = report.months.iter().map(|month| month.month.as_str()).collect();
    assert_eq!(months, ["2026-03", "2026-04"]);
    assert_eq!(report.months[0].rating["classic"], 1490);
    assert_eq!(report.months[1].profit["GOLD"], 38.0);
}

#[test]
fn nobody_and_somebody_without_games() {
    let mut store = Store::new();
    store.add(&Game { white: None, black: Some("8"), ..Game::default() });
    let report = player(&store.connection, "7").unwrap();
    assert_eq!(report.total.tally.games, 0);
    assert_fits(&report.table());
    assert_picture(&report.svg());
    let against_nobody = player(&store.connection, "8").unwrap();
    assert_eq!(against_nobody.total.tally.losses, 1);
    assert!(against_nobody.by_opponent_type.is_empty());
    for nobody in ["", "999", "' OR 1=1 --"] {
        let error = player(&store.connection, nobody).unwrap_err();
        assert!(matches!(error, ReportError::UnknownPlayer(_)), "{error}");
    }
}

#[test]
fn names_of_strangers_are_harmless_in_every_form() {
    let mut store = store();
    let name = format!("\u{1b}[31m<b>&\u{202e}{}", "x".repeat(300));
    let rename = "UPDATE players SET username = ?1";
    store.connection.execute(rename, [&name]).unwrap();
    store.add(&Game { currency: Some("\u{7}GOLD"), stake: Some(1), ..Game::default() });
    let report = player(&store.connection, "7").unwrap();
    assert_fits(&report.table());
    assert_picture(&report.svg());
    for text in [report.table(), report.svg()] {
        let is_harmful = |letter: char| letter != '\n' && letter.is_control();
        assert!(!text.contains(is_harmful) && !text.contains('\u{202e}'), "{text:?}");
    }
    assert!(!report.svg().contains("<b>"));
    assert_eq!(report.player.username, Some(name), "data keeps the name whole");
}

#[test]
fn table_json_and_picture() {
    let report = ask("7");
    let table = report.table();
    assert_fits(&table);
    for part in ["Player anna (human 7)", "as white", "against bot", "2026-03", "+38.00 GOLD"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    assert_picture(&report.svg());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["total"]["wins"], 3);
    assert_eq!(json["by_mode"][1]["key"], "x2");
    assert_eq!(json["rating"]["x2"][0]["rating"], 1600);
}
