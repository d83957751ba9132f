//! `report dice`.

use dicechess_analytics::report::{DiceQuery, DiceReport, ReportError, RollKind, dice};
use dicechess_core::ingest::Mode;

use crate::store::{Game, START, Store, Turn, assert_fits, assert_picture, player_id, roll};

fn ask(store: &Store, query: &DiceQuery) -> DiceReport {
    dice(&store.connection, query).unwrap()
}

fn group<'a>(report: &'a DiceReport, label: &str) -> &'a dicechess_analytics::report::DiceGroup {
    report.groups.iter().find(|group| group.label == label).unwrap()
}

/// Two games and one with fewer dice: White rolls BNP, PPP; Black rolls bnp (a pass), kkq.
fn small() -> Store {
    let mut store = Store::new();
    let pass = Turn { moves: &[], ..roll("b", "bnp") };
    store.add(&Game { turns: vec![roll("w", "BNP"), pass], ..Game::default() });
    let unplayed = Turn { moves: &[], after: START, ..roll("b", "kkq") };
    store.add(&Game {
        white: Some("8"),
        black: Some("-3"),
        mode: "x2",
        turns: vec![roll("w", "PPP"), unplayed],
        ..Game::default()
    });
    store.add(&Game { turns: vec![roll("w", "BNP"), roll("b", "pq")], ..Game::default() });
    store.add(&Game::default());
    store
}

#[test]
fn what_is_counted_and_left_out() {
    let report = ask(&small(), &DiceQuery::default());
    let counted = report.counted;
    assert_eq!((counted.games, counted.rolls), (2, 4));
    assert_eq!((counted.games_with_fewer_dice, counted.games_without_turns), (1, 1));
    assert_eq!((counted.passes, counted.unplayed, counted.partly_played), (1, 1, 0));
    let kinds = report.groups[0].kinds.map(|kind| (kind.kind, kind.share.count));
    assert_eq!(kinds, [(RollKind::Single, 2), (RollKind::Double, 1), (RollKind::Triple, 1)]);
    assert_eq!(report.groups[0].doubles_and_triples.share, 0.5);
    let seen: Vec<_> =
        report.rolls.iter().filter(|roll| roll.share.count > 0).map(|roll| &*roll.dice).collect();
    assert_eq!(seen, ["BNP", "KKQ", "PPP"]);
    assert_eq!(report.rolls.iter().find(|roll| roll.dice == "BNP").unwrap().share.count, 2);
}

#[test]
fn sides_first_rolls_and_players() {
    let report = ask(&small(), &DiceQuery::default());
    let rolls: Vec<_> = report.groups.iter().map(|group| (&*group.label, group.rolls)).collect();
    let players = [("berta", 2), ("hal", 1), ("anna", 1)];
    let sides = [("all rolls", 4), ("White", 2), ("Black", 2), ("first roll of a game", 2)];
    assert_eq!(rolls[..4], sides);
    let mut found = rolls[4..].to_vec();
    found.sort_by_key(|(label, rolls)| (std::cmp::Reverse(*rolls), std::cmp::Reverse(*label)));
    assert_eq!(found, players);
    assert_eq!(report.groups[4].label, "berta");
}

#[test]
fn one_player_and_one_mode() {
    let store = small();
    for name in ["7".to_owned(), player_id("7").to_uppercase()] {
        let report = ask(&store, &DiceQuery { player: Some(name), ..DiceQuery::default() });
        assert_eq!(report.counted.rolls, 2);
        assert_eq!(group(&report, "anna, own rolls").rolls, 1);
        assert_eq!(group(&report, "opponents").rolls, 1);
    }
    let report = ask(&store, &DiceQuery { mode: Some(Mode::X2), ..DiceQuery::default() });
    assert_eq!((report.counted.games, report.counted.games_without_turns), (1, 0));
    let nobody = DiceQuery { player: Some("99".to_owned()), ..DiceQuery::default() };
    let error = dice(&store.connection, &nobody).unwrap_err();
    assert!(matches!(&error, ReportError::UnknownPlayer(name) if name == "99"), "{error}");
}

/// 216 games that show every ordered roll once are as fair as can be; 216 with only BNP are not.
#[test]
fn fair_and_unfair_dice() {
    const LETTERS: [&str; 6] = ["B", "K", "N", "P", "Q", "R"];
    let mut fair = Store::new();
    for number in 0..216 {
        let mut dice = [number / 36, number / 6 % 6, number % 6].map(|place| LETTERS[place]);
        dice.sort_unstable();
        let turn = roll("w", dice.concat().leak());
        fair.add(&Game { turns: vec![turn], ..Game::default() });
    }
    let report = ask(&fair, &DiceQuery::default());
    let test = report.groups[0].kinds_test.unwrap();
    assert!(test.chi_square < 1e-9 && test.p_value > 0.999 && test.degrees_of_freedom == 2);
    assert!(report.groups[0].rolls_test.is_none(), "216 rolls are too few for 56 cells");
    assert_eq!(report.questions, 4, "all, White, first roll, anna; Black rolled nothing");
    assert!(report.table().contains("look like those of fair dice"));

    let mut unfair = Store::new();
    for _ in 0..216 {
        unfair.add(&Game { turns: vec![roll("w", "BNP")], ..Game::default() });
    }
    let report = ask(&unfair, &DiceQuery::default());
    // (216 − 120)² / 120 + 90 + 6 = 172.8; two degrees of freedom: p = exp(−86.4).
    let test = report.groups[0].kinds_test.unwrap();
    assert!((test.chi_square - 172.8).abs() < 1e-9);
    assert!((test.p_value / (-86.4_f64).exp() - 1.0).abs() < 1e-6);
    assert!((test.p_holm / test.p_value - 4.0).abs() < 1e-9, "four questions were asked");
    assert!(report.groups[0].is_remarkable());
}

#[test]
fn table_json_and_picture() {
    for store in [small(), Store::new()] {
        let report = ask(&store, &DiceQuery::default());
        assert_fits(&report.table());
        assert_picture(&report.svg());
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["rolls"].as_array().unwrap().len(), 56);
        assert_eq!(json["groups"][0]["kinds"][1]["kind"], "double");
    }
    let table = ask(&small(), &DiceQuery::default()).table();
    for part in ["1 pass", "1 game with rolls of one or two dice", "46.1%", "Holm"] {
        assert!(table.replace("\n  ", " ").contains(part), "{part}: {table}");
    }
}
