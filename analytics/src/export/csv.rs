//! Rows as CSV.
//!
//! Decides that null is an empty field, a list is joined by spaces and JSON is its text; quoting is
//! the `csv` crate's.

use std::io::Write;

use rusqlite::types::Value;

use super::columns::{Column, Kind};
use super::walk::Month;
use super::{ExportError, ExportedFile, Sink};

pub(super) struct Csv<'a> {
    columns: &'static [Column],
    writer: csv::Writer<&'a mut dyn Write>,
}

impl<'a> Csv<'a> {
    pub(super) fn new(
        columns: &'static [Column],
        writer: &'a mut dyn Write,
    ) -> Result<Self, ExportError> {
        let mut writer = csv::Writer::from_writer(writer);
        writer.write_record(columns.iter().map(|column| column.name)).map_err(failed)?;
        Ok(Self { columns, writer })
    }
}

impl Sink for Csv<'_> {
    fn row(&mut self, _: Option<Month>, row: &[Value]) -> Result<(), ExportError> {
        let fields = self.columns.iter().zip(row).map(|(column, value)| field(column.kind, value));
        self.writer.write_record(fields).map_err(failed)
    }

    fn finish(&mut self) -> Result<Vec<ExportedFile>, ExportError> {
        self.writer.flush()?;
        Ok(Vec::new())
    }
}

fn failed(error: csv::Error) -> ExportError {
    ExportError::Output(error.into())
}

fn field(kind: Kind, value: &Value) -> String {
    match (kind, value) {
        (_, Value::Null) => String::new(),
        (Kind::Flag, Value::Integer(number)) => (*number != 0).to_string(),
        (Kind::Texts, Value::Text(text)) => {
            serde_json::from_str::<Vec<String>>(text).map_or_else(|_| text.clone(), |v| v.join(" "))
        }
        (_, Value::Integer(number)) => number.to_string(),
        (_, Value::Real(number)) => number.to_string(),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::Blob(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
