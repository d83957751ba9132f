//! Query strings.
//!
//! Decides which parameters a call has and which values they take; what is selected by them is
//! [`crate::store`]'s matter. Unknown parameters are ignored. Everything else that cannot be read
//! is told with the name of its parameter.

mod filters;
mod values;
mod words;

use std::fmt::Display;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

pub(crate) use filters::{
    Continued, GameFilter, InPosition, PageOrder, PlayerSearch, PositionFilter, RatingWindow,
    Rolled, SideFilter, Window,
};
pub(crate) use values::PlayerId;
pub(crate) use words::{Color, Mode, Order, PlayerType, Sort, Stake};

/// Reads what a call needs of a query string; several types can be read from one.
///
/// # Errors
/// What is wrong with which parameter, e.g. `limit: "500" is not a whole number from 1 to 200`.
pub(crate) fn read<T: DeserializeOwned>(query: Option<&str>) -> Result<T, String> {
    let query = query.unwrap_or_default();
    check_encoding(query)?;
    let pairs = form_urlencoded::parse(query.as_bytes());
    serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs)).map_err(|error| {
        match error.path().to_string().as_str() {
            "." => error.into_inner().to_string(),
            path => format!("{path}: {}", error.into_inner()),
        }
    })
}

/// The parser would put replacement characters where the bytes are not UTF-8.
fn check_encoding(query: &str) -> Result<(), String> {
    for pair in query.split('&') {
        let (name, _) = pair.split_once('=').unwrap_or((pair, ""));
        if percent_decode_str(pair).decode_utf8().is_err() {
            let name = percent_decode_str(name).decode_utf8_lossy();
            return Err(format!("{name}: not UTF-8"));
        }
    }
    Ok(())
}

/// A parameter that can be left out.
fn optional<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    value(deserializer).map(Some)
}

/// A parameter's value.
fn value<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}
