//! Which of the site's habits a game's map shows.
//!
//! Decides the spelling of a whole game. Records of one game are of a piece; between games the
//! habits differ, because the site has changed over the years and other programs write here too.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// The habits of one map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// How many fields a FEN has: 4 to 6.
    pub(super) fen_fields: usize,
    /// How often the active colour flips with the last micro-move of a turn.
    pub(super) flips: f64,
    /// How often a roll state still shows the other colour.
    pub(super) stale_rolls: f64,
    /// What states with a move say about the dice.
    pub(super) move_dice: MoveDice,
    /// Whether dice that allow nothing are marked as not allowed.
    pub(super) blocks_stuck_dice: bool,
    pub(super) squares: Squares,
    /// What is written where nothing promotes; `None` leaves the field out.
    pub(super) no_promotion: Option<&'static str>,
    /// Whether promotions name the colour: `WHITE_QUEEN`.
    pub(super) coloured_promotions: bool,
    pub(super) clock_keys: ClockKeys,
    /// How often clocks are missing where they may be.
    pub(super) missing_clocks: f64,
    pub(super) fractional_clocks: bool,
    /// How often a key is left out between two states.
    pub(super) gaps: f64,
    pub(super) shuffles_states: bool,
    pub(super) shuffles_fields: bool,
    pub(super) extras: bool,
}

/// What states with a move say about the dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveDice {
    /// Used dice are marked.
    Updated,
    /// The roll as it was.
    AsRolled,
    Empty,
    Null,
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Squares {
    Upper,
    Lower,
    Mixed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockKeys {
    UserIds,
    Words,
    Letters,
}

impl Style {
    pub(super) fn random(rng: &mut ChaCha8Rng) -> Self {
        let rng = &mut *rng;
        Self {
            fen_fields: *pick(rng, &[6, 6, 6, 6, 5, 4]),
            flips: *pick(rng, &[1.0, 1.0, 0.0, 0.5]),
            stale_rolls: *pick(rng, &[0.0, 0.0, 0.0, 0.3]),
            move_dice: *pick(
                rng,
                &[
                    MoveDice::Updated,
                    MoveDice::Updated,
                    MoveDice::AsRolled,
                    MoveDice::Empty,
                    MoveDice::Null,
                    MoveDice::Missing,
                ],
            ),
            blocks_stuck_dice: rng.random_bool(0.5),
            squares: *pick(rng, &[Squares::Upper, Squares::Upper, Squares::Lower, Squares::Mixed]),
            no_promotion: *pick(
                rng,
                &[Some("\"NONE\""), Some("\"NONE\""), Some("\"\""), Some("null"), None],
            ),
            coloured_promotions: rng.random_bool(0.6),
            clock_keys: *pick(
                rng,
                &[ClockKeys::UserIds, ClockKeys::UserIds, ClockKeys::Words, ClockKeys::Letters],
            ),
            missing_clocks: *pick(rng, &[0.0, 0.0, 0.0, 0.05, 1.0]),
            fractional_clocks: rng.random_bool(0.1),
            gaps: *pick(rng, &[0.0, 0.0, 0.15]),
            shuffles_states: rng.random_bool(0.15),
            shuffles_fields: rng.random_bool(0.15),
            extras: rng.random_bool(0.85),
        }
    }
}

fn pick<'a, T>(rng: &mut ChaCha8Rng, choices: &'a [T]) -> &'a T {
    choices.choose(rng).expect("the choices are written out")
}
