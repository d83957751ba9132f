//! The values a document is made of.
//!
//! Decides how strictly JSON is taken at its word. Serde alone would also read an array as an
//! object whose fields come in order, and `{"x2": null}` as the word `x2`.

use std::fmt;
use std::marker::PhantomData;

use dicechess_core::time::UnixMillis;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// A `T` written as a JSON object.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

/// A word of a closed vocabulary, written as a JSON string.
pub(super) struct Word<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(String::deserialize(deserializer)?.into_deserializer()).map(Self)
    }
}

/// 1, 0 or -1.
pub(super) struct Outcome(pub(super) i8);

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = i64::deserialize(deserializer)?;
        match value {
            -1..=1 => Ok(Self(value as i8)),
            _ => Err(D::Error::invalid_value(Unexpected::Signed(value), &"1, 0, -1 or null")),
        }
    }
}

/// An ISO-8601 timestamp, as written.
pub(super) struct Timestamp(pub(super) String);

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match UnixMillis::parse_iso(&text) {
            Some(_) => Ok(Self(text)),
            None => Err(D::Error::invalid_value(
                Unexpected::Str(&text),
                &"an ISO-8601 timestamp such as 2026-03-30T20:08:44.793Z",
            )),
        }
    }
}

/// A player's id outside; the service keeps it in 50 characters.
pub(super) struct ExternalId(pub(super) String);

impl<'de> Deserialize<'de> for ExternalId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.chars().count() {
            1..=50 => Ok(Self(text)),
            length => Err(D::Error::invalid_length(length, &"1 to 50 characters")),
        }
    }
}

/// Any whole number; one that is too large for the type is taken as the largest.
#[derive(Clone, Copy)]
pub(super) struct Whole(pub(super) i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor).map(Self)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<i64, E> {
        Ok(i64::try_from(value).unwrap_or(i64::MAX))
    }

    /// Integers beyond 64 bits arrive here too; a fraction cannot be that large.
    fn visit_f64<E: Error>(self, value: f64) -> Result<i64, E> {
        if value.abs() >= i64::MAX as f64 {
            Ok(value as i64)
        } else {
            Err(E::invalid_type(Unexpected::Float(value), &self))
        }
    }
}
