//! What is selected for an answer.
//!
//! Decides the queries. Each function works on one state of the store, which its caller holds, and
//! leaves what is made of the rows to [`crate::statistics`]. Values are always bound, never written
//! into a query.

mod conditions;
pub(crate) mod games;
pub(crate) mod players;
pub(crate) mod positions;
pub(crate) mod sides;

use conditions::Conditions;
