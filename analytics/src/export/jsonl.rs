//! Rows as JSON Lines.
//!
//! Decides that stored JSON is embedded, not quoted, with its digits and the order of its keys as
//! they are; line breaks between its parts become spaces, so that a row stays one line.

use std::io::Write;

use rusqlite::types::Value;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::columns::{Column, Kind};
use super::walk::Month;
use super::{ExportError, ExportedFile, Sink};

pub(super) struct Jsonl<'a> {
    columns: &'static [Column],
    writer: &'a mut dyn Write,
}

impl<'a> Jsonl<'a> {
    pub(super) fn new(columns: &'static [Column], writer: &'a mut dyn Write) -> Self {
        Self { columns, writer }
    }
}

impl Sink for Jsonl<'_> {
    fn row(&mut self, _: Option<Month>, row: &[Value]) -> Result<(), ExportError> {
        serde_json::to_writer(&mut *self.writer, &Row(self.columns, row))
            .map_err(std::io::Error::from)?;
        Ok(self.writer.write_all(b"\n")?)
    }

    fn finish(&mut self) -> Result<Vec<ExportedFile>, ExportError> {
        self.writer.flush()?;
        Ok(Vec::new())
    }
}

struct Row<'a>(&'static [Column], &'a [Value]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (column, value) in self.0.iter().zip(self.1) {
            map.serialize_entry(column.name, &Cell(column.kind, value))?;
        }
        map.end()
    }
}

struct Cell<'a>(Kind, &'a Value);

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0, self.1) {
            (_, Value::Null) => serializer.serialize_none(),
            (Kind::Flag, Value::Integer(number)) => serializer.serialize_bool(*number != 0),
            (Kind::Json | Kind::Texts, Value::Text(text)) => match one_line(text) {
                Some(json) => json.serialize(serializer),
                None => serializer.serialize_str(text),
            },
            (_, Value::Integer(number)) => serializer.serialize_i64(*number),
            (_, Value::Real(number)) => serializer.serialize_f64(*number),
            (_, Value::Text(text)) => serializer.serialize_str(text),
            (_, Value::Blob(_)) => Err(S::Error::custom("a column holds bytes, not text")),
        }
    }
}

/// JSON without line breaks, which within its strings are escaped anyway; none for other text.
fn one_line(text: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(text.replace(['\n', '\r'], " ")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_embedded_as_it_is() {
        let columns = super::super::ExportTable::Raw.columns();
        let mut out = Vec::new();
        let text = |text: &str| Value::Text(text.to_owned());
        let body = text("{\n \"b\": 1.50,\r\n \"a\": \"x\\ny\"}");
        let row = [text("g"), Value::Null, text("2026-01-01T00:00:00.000Z"), Value::Null, body];
        Jsonl::new(columns, &mut out).row(None, &row).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "{\"id\":\"g\",\"started_at\":null,\"received_at\":\"2026-01-01T00:00:00.000Z\",\
             \"replaced_at\":null,\"body\":{  \"b\": 1.50,   \"a\": \"x\\ny\"}}\n"
        );
    }
}
