//! The parameters of each call.

use serde::Deserialize;
use utoipa::IntoParams;

use super::values::{Bounded, Dice, Fen, Limit};
use super::{Color, Mode, Order, PlayerId, PlayerType, Sort, Stake, optional, value};
use crate::statistics::Day;

/// Which games are listed, besides [`SideFilter`].
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct GameFilter {
    /// Games of this player.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<String>, format = "uuid")]
    pub(crate) player_id: Option<PlayerId>,
    /// Games of at least so many turns.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<i64>, minimum = 0)]
    pub(crate) min_turns: Option<Bounded<0, { i64::MAX }>>,
    /// Games of at most so many turns.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<i64>, minimum = 0)]
    pub(crate) max_turns: Option<Bounded<0, { i64::MAX }>>,
    /// Games with this result: 1 White won, 0 drawn, -1 Black won, whoever is asked about.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<i64>, minimum = -1, maximum = 1)]
    pub(crate) result: Option<Bounded<-1, 1>>,
}

/// Which of a player's games count.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SideFilter {
    /// Games in this mode.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) mode: Option<Mode>,
    /// Games that the player played with this colour; in a list only together with `player_id`.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) color: Option<Color>,
    /// Games against such an opponent; without a player, games of which either side is one.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) opponent_type: Option<PlayerType>,
    /// Games against this player; without a player, games of which either side is this one.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<String>, format = "uuid")]
    pub(crate) opponent_id: Option<PlayerId>,
    /// Games for such a stake at the start.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) stake: Option<Stake>,
    /// Games that started on this UTC day or later.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<String>, format = "date")]
    pub(crate) date_from: Option<Day>,
    /// Games that started on this UTC day or earlier.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<String>, format = "date")]
    pub(crate) date_to: Option<Day>,
}

/// Which part of a list is answered, and in what order.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageOrder {
    /// What the list is sorted by, by default the start.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) sort: Option<Sort>,
    /// Its direction, by default the highest or newest first.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) order: Option<Order>,
    /// How many games are answered.
    #[serde(default, deserialize_with = "value")]
    #[param(value_type = Option<i64>, minimum = 1, maximum = 200, default = 50)]
    pub(crate) limit: Limit<50, 200>,
    /// How many games are left out at the start.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<i64>, minimum = 0, default = 0)]
    pub(crate) offset: Option<Bounded<0, { i64::MAX }>>,
}

/// Which players are searched for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PlayerSearch {
    /// A part of the name, in any case.
    #[param(value_type = Option<String>)]
    pub(crate) username: Option<String>,
    /// How many players are answered.
    #[serde(default, deserialize_with = "value")]
    #[param(value_type = Option<i64>, minimum = 1, maximum = 100, default = 50)]
    pub(crate) limit: Limit<50, 100>,
}

/// Days that are looked at.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Window {
    /// The first UTC day.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<String>, format = "date")]
    pub(crate) date_from: Option<Day>,
    /// The last UTC day.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<String>, format = "date")]
    pub(crate) date_to: Option<Day>,
}

/// Which ratings are looked at, besides [`Window`].
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RatingWindow {
    /// Only the ratings of this mode; the other list is empty.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) mode: Option<Mode>,
}

/// The position that is asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct InPosition {
    /// A FEN of 4 to 6 fields; castling rights and en-passant squares that mean nothing are void.
    #[serde(deserialize_with = "value")]
    #[param(value_type = String)]
    pub(crate) fen: Fen,
}

/// The roll that is asked about.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Rolled {
    /// One to three letters of `PNBRQK`, in any order and case.
    #[serde(deserialize_with = "value")]
    #[param(value_type = String, example = "PNB")]
    pub(crate) dice: Dice,
}

/// How many continuations are answered.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Continued {
    /// How many resulting positions are answered.
    #[serde(default, deserialize_with = "value")]
    #[param(value_type = Option<i64>, minimum = 1, maximum = 200, default = 50)]
    pub(crate) limit: Limit<50, 200>,
}

/// Which games count in position statistics.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PositionFilter {
    /// Games in this mode.
    #[serde(default, deserialize_with = "optional")]
    pub(crate) mode: Option<Mode>,
    /// Games from this source.
    pub(crate) source: Option<String>,
    /// Games in which both players were rated at least so.
    #[serde(default, deserialize_with = "optional")]
    #[param(value_type = Option<i64>)]
    pub(crate) min_rating: Option<Bounded<{ i64::MIN }, { i64::MAX }>>,
}

impl From<Window> for SideFilter {
    fn from(window: Window) -> Self {
        Self { date_from: window.date_from, date_to: window.date_to, ..Self::default() }
    }
}
