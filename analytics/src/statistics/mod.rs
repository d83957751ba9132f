//! What is said of numbers of games.
//!
//! Decides every derived figure as a pure function of counts or of rows in order: rates, resolved
//! doubles, points over time. Knows no database; which games are counted is the store's matter.

mod day;
mod doubling;
mod history;
mod record;

pub use day::{Day, InvalidDay};
pub use doubling::{Answers, DoubleEvent, Doubling};
pub use history::{ProfitPoint, profit_by_day, rating_by_day};
pub use record::Record;
