//! The states of one game, as the site recorded them.
//!
//! Decides how the map is read: keys are decimal strings and are ordered by number, gaps are
//! allowed. The common case is read in one pass; only when that fails is the map read again state
//! by state, to name the one that is wrong.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use shakmaty::Color;
use thiserror::Error;

use super::lenient::{LenientNumber, ignore_scalars};
use crate::ids::UserId;
use crate::order::in_order;

/// The states in the order of their keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateMap<'a> {
    /// Key and state.
    pub states: Vec<(u64, State<'a>)>,
}

/// The answer of `game-move-history` as part of a larger text, to be read in one pass with it. What
/// is wrong in it has no name here: [`parse_move_history`] finds it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MoveHistory<'a> {
    #[serde(borrow, default)]
    game_move_history_state_map: Option<StateMap<'a>>,
}

/// One step of a game.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State<'a> {
    /// The position after this step. Its active colour is not to be trusted.
    #[serde(borrow, default)]
    pub fen: Option<Cow<'a, str>>,
    /// The dice; none when the field is missing, null or empty.
    #[serde(borrow, default, rename = "dices", deserialize_with = "dice")]
    pub dice: Vec<Die<'a>>,
    /// The micro-move that led here.
    #[serde(borrow, default, rename = "gameMoveHistoryMove")]
    pub played: Option<RecordedMove<'a>>,
    #[serde(default)]
    bank: LenientNumber,
    /// The clocks.
    #[serde(borrow, default, rename = "leftTime")]
    pub clocks: Clocks<'a>,
}

/// One die of a state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Die<'a> {
    /// The piece letter: upper case for White's roll, lower case for Black's.
    #[serde(borrow, default)]
    pub value: Cow<'a, str>,
    /// Whether the die may be played.
    #[serde(default)]
    pub allowed: Option<bool>,
}

/// A micro-move as recorded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct RecordedMove<'a> {
    /// The square it starts from, in any case.
    #[serde(borrow, default)]
    pub from: Option<Cow<'a, str>>,
    /// The square it goes to, in any case.
    #[serde(borrow, default)]
    pub to: Option<Cow<'a, str>>,
    /// What a pawn becomes.
    #[serde(borrow, default)]
    pub promotion: Option<Cow<'a, str>>,
}

/// The clocks of a state in milliseconds, by user id or by colour.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clocks<'a>(Vec<(Cow<'a, str>, f64)>);

/// Why a body holds no readable states.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnreadableStateMap {
    /// The body is not the JSON object it should be.
    #[error("unreadable move history: {0}")]
    Body(String),
    /// There is no map, or it is empty.
    #[error("the game has no state map")]
    NoStateMap,
    /// A key is no decimal number, or stands twice.
    #[error("state key {0:?} is no number of its own")]
    Key(String),
    /// A state has a field of a wrong type.
    #[error("state {state}: {message}")]
    State {
        /// Its key.
        state: String,
        /// What is wrong with it.
        message: String,
    },
}

impl State<'_> {
    /// The stake in the pot, if it is a number.
    pub fn bank(&self) -> Option<f64> {
        self.bank.0
    }
}

impl StateMap<'_> {
    /// Who has a clock in the game, by id. Clocks may go by colour: then nobody is known. A map with
    /// more than two ids is no game of the site's, so the first few are enough.
    pub fn players(&self) -> Vec<UserId> {
        const MOST: usize = 4;
        let mut players = Vec::new();
        for (key, _) in self.states.iter().flat_map(|(_, state)| &state.clocks.0) {
            match key.parse() {
                Ok(id) if players.len() < MOST && !players.contains(&id) => players.push(id),
                _ => {}
            }
        }
        players
    }
}

impl Clocks<'_> {
    /// A player's clock in milliseconds, looked up by his id, else by his colour.
    pub fn of(&self, user: UserId, color: Color) -> Option<f64> {
        let words = color.fold_wb(["white", "w"], ["black", "b"]);
        let by_id = self.0.iter().find(|(key, _)| key.parse() == Ok(user));
        let by_color =
            || self.0.iter().find(|(key, _)| words.iter().any(|w| key.eq_ignore_ascii_case(w)));
        by_id.or_else(by_color).map(|(_, millis)| *millis)
    }
}

/// Reads the answer of `game-move-history`.
///
/// # Errors
/// See [`UnreadableStateMap`].
pub fn parse_move_history(body: &str) -> Result<StateMap<'_>, UnreadableStateMap> {
    match serde_json::from_str::<Option<MoveHistory<'_>>>(body) {
        Ok(history) => history.unwrap_or_default().into_map(),
        Err(_) => Err(find_fault(body)),
    }
}

impl<'a> MoveHistory<'a> {
    /// The map, if it is there and names every state once.
    pub(crate) fn into_map(self) -> Result<StateMap<'a>, UnreadableStateMap> {
        let map = self.game_move_history_state_map.unwrap_or_default();
        if map.states.is_empty() {
            return Err(UnreadableStateMap::NoStateMap);
        }
        if let Some(twice) = map.states.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(UnreadableStateMap::Key(twice[0].0.to_string()));
        }
        Ok(map)
    }
}

/// Reads the map state by state and names the first, by key, that is wrong.
fn find_fault(body: &str) -> UnreadableStateMap {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Wire<'a> {
        #[serde(borrow, default)]
        game_move_history_state_map: Option<RawStates<'a>>,
    }
    let states = match serde_json::from_str::<Wire<'_>>(body) {
        Ok(wire) => wire.game_move_history_state_map.map(|map| map.0).unwrap_or_default(),
        Err(error) => return UnreadableStateMap::Body(error.to_string()),
    };
    let mut faults: Vec<(u64, UnreadableStateMap)> = Vec::new();
    for (key, raw) in states {
        let Some(number) = key_number(&key) else {
            return UnreadableStateMap::Key(key.into_owned());
        };
        if let Err(error) = serde_json::from_str::<State<'_>>(raw.get()) {
            let message = error.to_string();
            faults.push((number, UnreadableStateMap::State { state: key.into_owned(), message }));
        }
    }
    faults
        .into_iter()
        .min_by_key(|(number, _)| *number)
        .map_or_else(|| UnreadableStateMap::Body("the map cannot be read".to_owned()), |f| f.1)
}

fn key_number(key: &str) -> Option<u64> {
    key.bytes().all(|byte| byte.is_ascii_digit()).then(|| key.parse().ok())?
}

impl<'de: 'a, 'a> Deserialize<'de> for StateMap<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let states = deserializer.deserialize_map(PairsVisitor {
            read_key: |key: Cow<'de, str>| {
                key_number(&key).ok_or_else(|| format!("state key {key:?} is no number"))
            },
            value: PhantomData,
        })?;
        if states.is_sorted_by_key(|(key, _)| *key) {
            return Ok(Self { states });
        }
        Ok(Self { states: in_order(states) })
    }
}

/// The map with its states unread.
struct RawStates<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for RawStates<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = PairsVisitor { read_key: Ok::<Cow<'de, str>, String>, value: PhantomData };
        deserializer.deserialize_map(visitor).map(Self)
    }
}

/// Reads a JSON object as pairs in the order in which they stand.
struct PairsVisitor<F, V> {
    read_key: F,
    value: PhantomData<V>,
}

impl<'de, K, V, F> Visitor<'de> for PairsVisitor<F, V>
where
    V: Deserialize<'de>,
    F: Fn(Cow<'de, str>) -> Result<K, String>,
{
    type Value = Vec<(K, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(BorrowedText(key)) = map.next_key()? {
            let key = (self.read_key)(key).map_err(serde::de::Error::custom)?;
            pairs.push((key, map.next_value()?));
        }
        Ok(pairs)
    }
}

/// A text that borrows from the input where it can; `Cow<str>` by itself always owns.
#[derive(Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

fn dice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Die<'de>>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Clocks that are no object, or hold something else than numbers, are unknown.
impl<'de: 'a, 'a> Deserialize<'de> for Clocks<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ClocksVisitor).map(Self)
    }
}

struct ClocksVisitor;

impl<'de> Visitor<'de> for ClocksVisitor {
    type Value = Vec<(Cow<'de, str>, f64)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut clocks = Vec::with_capacity(2);
        while let Some((BorrowedText(key), LenientNumber(millis))) = map.next_entry()? {
            clocks.extend(millis.map(|millis| (key, millis)));
        }
        Ok(clocks)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Vec::new())
    }

    ignore_scalars!(Self::Value; visit_bool: bool, visit_str: &str, visit_u64: u64, visit_i64: i64, visit_f64: f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(states: &str) -> String {
        format!(r#"{{"gameMoveHistoryStateMap":{{{states}}}}}"#)
    }

    #[test]
    fn states_are_ordered_by_number() {
        let body = body(r#""10":{"bank":3},"2":{"bank":"x","dices":null},"0":{"leftTime":7}"#);
        let map = parse_move_history(&body).unwrap();
        let keys: Vec<u64> = map.states.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [0, 2, 10]);
        let banks: Vec<_> = map.states.iter().map(|(_, state)| state.bank()).collect();
        assert_eq!(banks, [None, None, Some(3.0)]);
    }

    #[test]
    fn clocks_go_by_id_or_by_colour() {
        let body = body(
            r#""0":{"leftTime":{"-4":5,"12":6.0,"7":null}},"1":{"leftTime":{"w":1,"black":2}}"#,
        );
        let map = parse_move_history(&body).unwrap();
        let clock = |state: usize, id, color| map.states[state].1.clocks.of(UserId(id), color);
        assert_eq!(clock(0, -4, Color::Black), Some(5.0));
        assert_eq!(clock(0, 12, Color::White), Some(6.0));
        assert_eq!(clock(0, 7, Color::White), None);
        assert_eq!(clock(1, 7, Color::White), Some(1.0));
        assert_eq!(clock(1, 7, Color::Black), Some(2.0));
    }

    #[test]
    fn no_map_at_all() {
        for body in ["{}", "null", r#"{"gameMoveHistoryStateMap":null}"#, &body("")] {
            assert_eq!(parse_move_history(body), Err(UnreadableStateMap::NoStateMap), "{body}");
        }
    }

    #[test]
    fn a_wrong_state_is_named() {
        for (states, named) in [
            (r#""0":{},"12":{"fen":5},"3":{"dices":"N"}"#, "state 3:"),
            (r#""0":{},"12":7"#, "state 12:"),
            (r#""0":{"gameMoveHistoryMove":{"from":7}}"#, "state 0:"),
            (r#""0":{},"x":{}"#, "\"x\""),
            (r#""0":{},"-1":{}"#, "\"-1\""),
            (r#""1":{},"01":{}"#, "\"1\""),
        ] {
            let error = parse_move_history(&body(states)).unwrap_err();
            assert!(error.to_string().contains(named), "{error}");
        }
        for body in ["7", "{", r#"{"gameMoveHistoryStateMap":[]}"#] {
            let error = parse_move_history(body).unwrap_err();
            assert!(matches!(error, UnreadableStateMap::Body(_)), "{body}: {error}");
        }
    }
}
