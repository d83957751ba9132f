//! What is answered to questions: the JSON of the API.
//!
//! Decides names, types and order of fields, and their description in the OpenAPI document. How the
//! figures come about is [`crate::statistics`]' matter.

mod games;
mod players;
mod positions;

use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use games::{Event, GameDetail, GamePage, GameSummary, Turn};
pub(crate) use players::{
    Breakdown, PlayerBreakdowns, PlayerStats, PlayerSummary, ProfitHistory, RatingHistory,
    RatingPoint,
};
pub(crate) use positions::{Continuation, Continuations, DiceDistribution, DiceShare, Equity};

/// The body of every error.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// What is wrong, and with which field.
    pub(crate) detail: String,
}

/// The body of an accepted write.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Kept {
    /// The game's id in lower case.
    pub(crate) id: String,
    /// Whether the game is new.
    pub(crate) created: bool,
}

/// What runs here.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Version {
    /// The program.
    pub(crate) name: &'static str,
    /// Its version.
    pub(crate) version: &'static str,
}
