//! The conditions of a query, with their values.

use rusqlite::types::Value;

use crate::query::{SideFilter, Stake};

/// Conditions that all must hold. Their texts are constants, so that the number of different
/// statements stays small and each is prepared once.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    texts: Vec<&'static str>,
    values: Vec<Value>,
}

impl Conditions {
    /// Adds a condition with one `?` for each value.
    pub(super) fn add(&mut self, text: &'static str, values: impl IntoIterator<Item = Value>) {
        self.texts.push(text);
        self.values.extend(values);
    }

    /// Adds a condition if there is a value for its `?`.
    pub(super) fn add_some(&mut self, text: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.add(text, [value.into()]);
        }
    }

    /// Adds what a filter says of the game alone, which the query calls `g`.
    pub(super) fn add_game(&mut self, filter: &SideFilter) {
        self.add_some("g.mode = ?", filter.mode.map(|mode| mode.as_str().to_owned()));
        self.add_some("g.started_at_ms >= ?", filter.date_from.map(|day| day.start().0));
        self.add_some("g.started_at_ms < ?", filter.date_to.map(|day| day.end().0));
        if let Some(stake) = filter.stake {
            self.add(stake_condition(stake), []);
        }
    }

    /// The text after `WHERE`.
    pub(super) fn sql(&self) -> String {
        if self.texts.is_empty() { "1".to_owned() } else { self.texts.join(" AND ") }
    }

    /// The values in the order of their `?`.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }
}

/// The bounds of the stakes, on the amount at the start.
const fn stake_condition(stake: Stake) -> &'static str {
    match stake {
        Stake::Free => "ifnull(g.initial_stake_amount, 0) <= 0",
        Stake::Low => "g.initial_stake_amount BETWEEN 1 AND 20",
        Stake::Medium => "g.initial_stake_amount BETWEEN 21 AND 200",
        Stake::High => "g.initial_stake_amount > 200",
    }
}
