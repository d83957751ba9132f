//! Is a body accepted?
//!
//! Decides the order of the checks: size, encoding, form (`wire`), then the replay
//! ([`dicechess_core::replay`]). A well-formed document that the replay refuses is a refusal,
//! everything before that is malformed. Storing what is accepted is the receiver's matter.

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

/// Checks a body.
///
/// # Errors
/// See [`Rejection`].
pub fn accept(body: &[u8]) -> Result<AcceptedGame<'_>, Rejection> {
    if body.len() > MAX_BODY_BYTES {
        return Err(Rejection::TooLarge);
    }
    let body = text(body)?;
    let game = wire::read(body).map_err(Rejection::Malformed)?;
    let game = wire::narrow(game).map_err(Rejection::Refused)?;
    let replayed = replay(&game).map_err(|error| Rejection::Refused(error.to_string()))?;
    Ok(AcceptedGame { body, game, replayed })
}

/// The body as text. Serde would only look at the strings that it needs.
fn text(body: &[u8]) -> Result<&str, Rejection> {
    std::str::from_utf8(body).map_err(|error| Rejection::Malformed(format!("not UTF-8: {error}")))
}
