//! Is a body accepted?
//!
//! Decides the order of the checks: size, encoding, form (`wire`), then the replay
//! ([`dicechess_core::replay`]). A well-formed document that the replay refuses is a refusal,
//! everything before that is malformed. Storing what is accepted is the receiver's matter.

use dicechess_core::ids::GameId;
use dicechess_core::ingest::IngestGame;
use dicechess_core::replay::{ReplayedGame, replay};
use thiserror::Error;

use crate::wire;

/// The largest body that is looked at.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// A game that passed every check.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedGame<'a> {
    /// The body as received.
    pub body: &'a str,
    /// The document.
    pub game: IngestGame,
    /// Its positions and turns.
    pub replayed: ReplayedGame,
}

/// Why a body is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Rejection {
    /// It is larger than [`MAX_BODY_BYTES`].
    #[error("the body is larger than {MAX_BODY_BYTES} bytes")]
    TooLarge,
    /// It is no game document; says what is wrong and with which field.
    #[error("{0}")]
    Malformed(String),
    /// The replay or its bookkeeping refuses the game; says which turn and why.
    #[error("{0}")]
    Refused(String),
}

/// What a well-formed document says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The game.
    pub id: GameId,
    /// Where it was played.
    pub source: String,
}

/// Checks a body's size and form without replaying the game.
///
/// # Errors
/// [`Rejection::TooLarge`] or [`Rejection::Malformed`].
pub fn read_heading(body: &[u8]) -> Result<Heading, Rejection> {
    well_formed(body).map(|(_, game)| game.into_heading())
}

/// Checks a body.
///
/// # Errors
/// See [`Rejection`].
pub fn accept(body: &[u8]) -> Result<AcceptedGame<'_>, Rejection> {
    let (body, game) = well_formed(body)?;
    let game = wire::narrow(game).map_err(Rejection::Refused)?;
    let replayed = replay(&game).map_err(|error| Rejection::Refused(error.to_string()))?;
    Ok(AcceptedGame { body, game, replayed })
}

fn well_formed(body: &[u8]) -> Result<(&str, wire::Game), Rejection> {
    if body.len() > MAX_BODY_BYTES {
        return Err(Rejection::TooLarge);
    }
    let body = text(body)?;
    let game = wire::read(body).map_err(Rejection::Malformed)?;
    Ok((body, game))
}

/// The body as text. Serde would only look at the strings that it needs.
fn text(body: &[u8]) -> Result<&str, Rejection> {
    std::str::from_utf8(body).map_err(|error| Rejection::Malformed(format!("not UTF-8: {error}")))
}
