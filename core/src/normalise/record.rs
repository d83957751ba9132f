//! How recorded squares, promotions, dice and positions are read.

use shakmaty::{Color, File, Rank, Role, Square};

use super::error::StateFault;
use crate::dice::Roll;
use crate::rules::{InvalidFen, UciMove};
use crate::site::{Die, RecordedMove};

/// Reads a recorded micro-move.
pub(super) fn uci_move(recorded: &RecordedMove<'_>) -> Result<UciMove, StateFault> {
    Ok(UciMove {
        from: square(recorded.from.as_deref())?,
        to: square(recorded.to.as_deref())?,
        promotion: promotion(recorded.promotion.as_deref())?,
    })
}

/// Reads a roll and its side; the case of the letters tells whose it is.
pub(super) fn roll(dice: &[Die<'_>]) -> Result<(Roll, Color), StateFault> {
    let letters = || dice.iter().map(|die| &*die.value).collect::<String>();
    let mut codes = Vec::with_capacity(3);
    let mut white = 0;
    for die in dice {
        let mut chars = die.value.chars();
        let role = match (chars.next(), chars.next()) {
            (Some(letter), None) => Role::from_char(letter),
            _ => None,
        };
        let role = role.ok_or_else(|| StateFault::UnknownDie(die.value.to_string()))?;
        white += usize::from(die.value.starts_with(|letter: char| letter.is_ascii_uppercase()));
        codes.push(u8::from(role));
    }
    if white != 0 && white != dice.len() {
        return Err(StateFault::MixedRoll(letters()));
    }
    let roll = Roll::from_codes(&codes).map_err(|_| StateFault::TooManyDice(letters()))?;
    Ok((roll, Color::from_white(white != 0)))
}

/// Whether two states show the same dice: the same letters, in any order. More than three are no roll
/// and are compared as they stand.
pub(super) fn same_dice(left: &[Die<'_>], right: &[Die<'_>]) -> bool {
    let count = |dice: &[Die<'_>], wanted: &Die<'_>| {
        dice.iter().filter(|die| die.value == wanted.value).count()
    };
    let in_order = |(left, right): (&Die<'_>, &Die<'_>)| left.value == right.value;
    left.len() == right.len()
        && (left.iter().zip(right).all(in_order)
            || (left.len() <= 3 && left.iter().all(|die| count(left, die) == count(right, die))))
}

/// The letter of the piece that a recorded position shows on a square.
pub(super) fn piece_on(fen: &str, square: Square) -> Option<char> {
    let rank = fen.split(['/', ' ']).nth(7 - square.rank().to_usize())?;
    let mut file = 0;
    for letter in rank.chars() {
        match letter.to_digit(10) {
            Some(empty) => file += empty as usize,
            None if file == square.file().to_usize() => return Some(letter),
            None => file += 1,
        }
    }
    None
}

/// The side to move that a recorded position claims, where it is needed.
pub(super) fn claimed_turn(fen: Option<&str>) -> Result<Color, StateFault> {
    let fen = fen.ok_or(StateFault::NoFen)?;
    match fen.split_ascii_whitespace().nth(1).unwrap_or_default() {
        "w" => Ok(Color::White),
        "b" => Ok(Color::Black),
        other => {
            let invalid = InvalidFen::Turn(other.to_owned());
            Err(StateFault::UnreadableFen(fen.to_owned(), invalid))
        }
    }
}

fn square(text: Option<&str>) -> Result<Square, StateFault> {
    let unknown = || StateFault::UnknownSquare(text.unwrap_or_default().to_owned());
    let [file, rank] = text.map_or(&b""[..], str::as_bytes) else { return Err(unknown()) };
    let file = File::from_char(char::from(file.to_ascii_lowercase())).ok_or_else(unknown)?;
    let rank = Rank::from_char(char::from(*rank)).ok_or_else(unknown)?;
    Ok(Square::from_coords(file, rank))
}

fn promotion(text: Option<&str>) -> Result<Option<Role>, StateFault> {
    let Some(text) = text else { return Ok(None) };
    let name = text.strip_prefix("WHITE_").or_else(|| text.strip_prefix("BLACK_"));
    match (name.unwrap_or(text), name.is_some()) {
        ("" | "NONE", false) => Ok(None),
        ("QUEEN", _) => Ok(Some(Role::Queen)),
        ("ROOK", _) => Ok(Some(Role::Rook)),
        ("BISHOP", _) => Ok(Some(Role::Bishop)),
        ("KNIGHT", _) => Ok(Some(Role::Knight)),
        _ => Err(StateFault::UnknownPromotion(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn dice(letters: &[&'static str]) -> Vec<Die<'static>> {
        letters.iter().map(|v| Die { value: Cow::Borrowed(*v), allowed: None }).collect()
    }

    #[test]
    fn rolls_tell_their_side() {
        assert_eq!(roll(&dice(&["N", "B", "P"])).unwrap().1, Color::White);
        assert_eq!(roll(&dice(&["n"])).unwrap().1, Color::Black);
        for (letters, fault) in [
            (&["N", "b"][..], StateFault::MixedRoll("Nb".into())),
            (&["N", "N", "N", "N"], StateFault::TooManyDice("NNNN".into())),
            (&["N", "♞"], StateFault::UnknownDie("♞".into())),
            (&["PP"], StateFault::UnknownDie("PP".into())),
            (&[""], StateFault::UnknownDie(String::new())),
        ] {
            assert_eq!(roll(&dice(letters)), Err(fault));
        }
    }

    #[test]
    fn dice_are_the_same_in_any_order() {
        assert!(same_dice(&dice(&["N", "B", "N"]), &dice(&["N", "N", "B"])));
        assert!(!same_dice(&dice(&["N", "B", "N"]), &dice(&["N", "B", "B"])));
        assert!(!same_dice(&dice(&["n"]), &dice(&["N"])));
        assert!(!same_dice(&dice(&["N"]), &dice(&["N", "N"])));
    }

    #[test]
    fn squares_come_in_any_case_and_promotions_with_a_prefix() {
        assert_eq!(square(Some("E2")), Ok(Square::E2));
        assert_eq!(square(Some("e2")), Ok(Square::E2));
        for text in ["E22", "I1", "A0", "A9", "", "É2"] {
            assert_eq!(square(Some(text)), Err(StateFault::UnknownSquare(text.into())));
        }
        assert_eq!(promotion(Some("WHITE_QUEEN")), Ok(Some(Role::Queen)));
        assert_eq!(promotion(Some("KNIGHT")), Ok(Some(Role::Knight)));
        for text in [None, Some(""), Some("NONE")] {
            assert_eq!(promotion(text), Ok(None));
        }
        for text in ["WHITE_", "WHITE_NONE", "KING", "PAWN", "queen"] {
            assert!(promotion(Some(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn recorded_positions_are_read_square_by_square() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        assert_eq!(piece_on(fen, Square::A8), Some('r'));
        assert_eq!(piece_on(fen, Square::H3), Some('p'));
        assert_eq!(piece_on(fen, Square::H1), Some('R'));
        assert_eq!(piece_on(fen, Square::B8), None);
        assert_eq!(piece_on("nonsense", Square::A1), None);
        assert_eq!(claimed_turn(Some(fen)), Ok(Color::White));
        assert_eq!(claimed_turn(None), Err(StateFault::NoFen));
        assert!(matches!(claimed_turn(Some("8/8 x")), Err(StateFault::UnreadableFen(..))));
    }
}
