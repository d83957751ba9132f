//! Positions.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use shakmaty::Color;

use super::{Answer, Api, Failure, found};
use crate::gold::dice_sorted;
use crate::model::{Continuation, Continuations, DiceDistribution, DiceShare, Equity, ErrorBody};
use crate::query::{self, Continued, InPosition, PositionFilter, Rolled};
use crate::statistics::Record;
use crate::store::read;

/// What a position is worth to its side to move before the roll.
#[utoipa::path(
    get, path = "/api/positions/equity", tag = "positions", params(InPosition, PositionFilter),
    responses(
        (status = 200, description = "The results of games that saw it", body = Equity),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
    )
)]
pub(super) async fn equity(State(api): State<Arc<Api>>, RawQuery(query): RawQuery) -> Answer {
    let asked = Asked::read(query.as_deref())?;
    let Asked { fen, turn, filter } = asked.clone();
    let record = api.ask(move |store| read::positions::equity(store, &asked.fen, &filter)).await?;
    found(&Equity::new(fen, turn.char(), pov(record, turn)))
}

/// What was played with a roll, by the position it led to.
#[utoipa::path(
    get, path = "/api/positions/continuations", tag = "positions",
    params(InPosition, Rolled, PositionFilter, Continued),
    responses(
        (status = 200, description = "Resulting positions, the most frequent first", body = Continuations),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
    )
)]
pub(super) async fn continuations(
    State(api): State<Arc<Api>>,
    RawQuery(query): RawQuery,
) -> Answer {
    let Asked { fen, turn, filter } = Asked::read(query.as_deref())?;
    let rolled: Rolled = query::read(query.as_deref()).map_err(Failure::Bad)?;
    let Continued { limit } = query::read(query.as_deref()).map_err(Failure::Bad)?;
    let limit = usize::try_from(limit.0).unwrap_or(usize::MAX);
    let dice = dice_sorted(rolled.dice.0, turn);
    let (in_fen, roll) = (fen.clone(), dice.clone());
    let question =
        move |store: &_| read::positions::continuations(store, &in_fen, &roll, &filter, limit);
    let (total_games, rows) = api.ask(question).await?;
    let rows = rows.into_iter();
    let items = rows.map(|row| Continuation::new(row.fen, row.moves, pov(row.record, turn)));
    found(&Continuations { fen, dice, total_games, items: items.collect() })
}

/// Which rolls were seen in a position.
#[utoipa::path(
    get, path = "/api/positions/dice-distribution", tag = "positions",
    params(InPosition, PositionFilter),
    responses(
        (status = 200, description = "Rolls, the most frequent first", body = DiceDistribution),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
    )
)]
pub(super) async fn dice_distribution(
    State(api): State<Arc<Api>>,
    RawQuery(query): RawQuery,
) -> Answer {
    let asked = Asked::read(query.as_deref())?;
    let Asked { fen, turn, filter } = asked.clone();
    let question = move |store: &_| read::positions::rolls(store, &asked.fen, &filter);
    let (total_games, mut rolls) = api.ask(question).await?;
    // The rolls come in alphabetical order, which the sort keeps among equally frequent ones.
    rolls.sort_by_key(|(_, record)| Reverse(record.games));
    let share = |(dice, record): (String, Record)| {
        DiceShare::new(dice.to_ascii_uppercase(), pov(record, turn))
    };
    let items = rolls.into_iter().map(share).collect();
    found(&DiceDistribution { fen, side_to_move: turn.char(), total_games, items })
}

/// What all questions about a position have in common.
#[derive(Clone)]
struct Asked {
    /// The normalised FEN.
    fen: String,
    turn: Color,
    filter: PositionFilter,
}

impl Asked {
    fn read(query: Option<&str>) -> Result<Self, Failure> {
        let InPosition { fen } = query::read(query).map_err(Failure::Bad)?;
        let filter = query::read(query).map_err(Failure::Bad)?;
        Ok(Self { fen: fen.0.normalized_fen(), turn: fen.0.turn(), filter })
    }
}

/// White's record from the point of view of the side to move.
fn pov(record: Record, turn: Color) -> Record {
    turn.fold_wb(record, record.reversed())
}
