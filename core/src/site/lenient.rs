//! Fields that nothing stands on: a wrong type there means "unknown", never an error.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A number, or nothing if the field holds anything else.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct LenientNumber(pub(super) Option<f64>);

/// A string, or nothing if the field holds anything else.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LenientString(pub(super) Option<String>);

impl<'de> Deserialize<'de> for LenientNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl<'de> Deserialize<'de> for LenientString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(raw.get()).ok()))
    }
}

/// The visits of scalar JSON values that carry nothing for a lenient field.
macro_rules! ignore_scalars {
    ($value:ty; $($scalar:ident: $type:ty),*) => {
        $(fn $scalar<E>(self, _: $type) -> Result<$value, E> {
            Ok(Default::default())
        })*

        fn visit_unit<E>(self) -> Result<$value, E> {
            Ok(Default::default())
        }
    };
}

/// The visits of JSON containers that carry nothing for a lenient field.
macro_rules! ignore_containers {
    ($value:ty) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<$value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Default::default())
        }
    };
}

pub(super) use ignore_scalars;

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = LenientNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_u64<E>(self, value: u64) -> Result<LenientNumber, E> {
        Ok(LenientNumber(Some(value as f64)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<LenientNumber, E> {
        Ok(LenientNumber(Some(value as f64)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<LenientNumber, E> {
        Ok(LenientNumber(Some(value)))
    }

    ignore_scalars!(LenientNumber; visit_bool: bool, visit_str: &str);
    ignore_containers!(LenientNumber);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_type_is_unknown() {
        for json in ["null", "true", "\"5\"", "[1,[2]]", "{\"a\":{\"b\":1}}"] {
            assert_eq!(serde_json::from_str::<LenientNumber>(json).unwrap().0, None, "{json}");
        }
        for json in ["null", "true", "5", "-1", "1.5", "[\"a\"]", "{\"a\":\"b\"}"] {
            assert_eq!(serde_json::from_str::<LenientString>(json).unwrap().0, None, "{json}");
        }
        assert_eq!(serde_json::from_str::<LenientNumber>("-1.5").unwrap().0, Some(-1.5));
        assert_eq!(serde_json::from_str::<LenientString>("\"x\"").unwrap().0, Some("x".into()));
    }
}
