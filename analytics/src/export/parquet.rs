//! Rows as a Parquet data set.
//!
//! Decides the layout (one file a month, in Hive's folders; `__HIVE_DEFAULT_PARTITION__` for games
//! without a start), the types and that rows are gathered into row groups of bounded size, which is
//! all that is held in memory. Ids are texts: Spark cannot read Parquet's UUID type.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dicechess_core::time::UnixMillis;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;
use rusqlite::types::Value;

use super::columns::{Column, Kind};
use super::file::WholeFile;
use super::walk::Month;
use super::{ExportError, ExportTable, ExportedFile, Sink};

/// A row group is written when it has this many rows or bytes.
const GROUP_ROWS: usize = 50_000;
const GROUP_BYTES: usize = 16 << 20;
const ZSTD_LEVEL: i32 = 3;

/// A data set under construction.
pub(super) struct DataSet {
    table: ExportTable,
    directory: PathBuf,
    open: Option<(Option<Month>, MonthFile)>,
    files: Vec<ExportedFile>,
}

impl DataSet {
    pub(super) fn new(table: ExportTable, directory: &Path) -> Self {
        let directory = directory.join(table.name());
        Self { table, directory, open: None, files: Vec::new() }
    }

    fn path(&self, month: Option<Month>) -> PathBuf {
        const NONE: &str = "__HIVE_DEFAULT_PARTITION__";
        let folders = match month {
            Some(Month { year, month }) => format!("year={year:04}/month={month:02}"),
            None => format!("year={NONE}/month={NONE}"),
        };
        self.directory.join(folders).join("part-0.parquet")
    }

    fn close(&mut self) -> Result<(), ExportError> {
        if let Some((_, file)) = self.open.take() {
            self.files.push(file.finish()?);
        }
        Ok(())
    }
}

impl Sink for DataSet {
    fn row(&mut self, month: Option<Month>, row: &[Value]) -> Result<(), ExportError> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != month) {
            self.close()?;
            let file = MonthFile::create(self.table.columns(), self.path(month))?;
            self.open = Some((month, file));
        }
        match &mut self.open {
            Some((_, file)) => file.row(row),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<Vec<ExportedFile>, ExportError> {
        self.close()?;
        Ok(std::mem::take(&mut self.files))
    }
}

/// The file of a month.
struct MonthFile {
    columns: &'static [Column],
    path: PathBuf,
    writer: SerializedFileWriter<WholeFile>,
    buffers: Vec<Buffer>,
    rows: usize,
    bytes: usize,
}

/// The values of a column that wait for their row group.
#[derive(Default)]
struct Buffer {
    numbers: Vec<i64>,
    reals: Vec<f64>,
    flags: Vec<bool>,
    texts: Vec<ByteArray>,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl MonthFile {
    fn create(columns: &'static [Column], path: PathBuf) -> Result<Self, ExportError> {
        let file = WholeFile::create(&path)?;
        let start = || SerializedFileWriter::new(file, schema(columns)?, properties()?);
        let writer = start().map_err(|cause| failed(&path, &cause))?;
        let buffers = columns.iter().map(|_| Buffer::default()).collect();
        Ok(Self { columns, path, writer, buffers, rows: 0, bytes: 0 })
    }

    fn row(&mut self, row: &[Value]) -> Result<(), ExportError> {
        for ((column, buffer), value) in self.columns.iter().zip(&mut self.buffers).zip(row) {
            self.bytes += buffer.push(column, value).map_err(|cause| failed(&self.path, &cause))?;
        }
        self.rows += 1;
        if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.write_group()?;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ExportError> {
        write_group(&mut self.writer, &self.buffers).map_err(|cause| failed(&self.path, &cause))?;
        self.buffers.iter_mut().for_each(Buffer::clear);
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    fn finish(mut self) -> Result<ExportedFile, ExportError> {
        if self.rows > 0 {
            self.write_group()?;
        }
        let path = self.path;
        self.writer.into_inner().map_err(|cause| failed(&path, &cause))?.finish()
    }
}

fn failed(path: &Path, cause: &ParquetError) -> ExportError {
    ExportError::Parquet { path: path.to_owned(), cause: cause.to_string() }
}

fn properties() -> ParquetResult<WriterPropertiesPtr> {
    let compression = Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?);
    Ok(Arc::new(WriterProperties::builder().set_compression(compression).build()))
}

/// The schema as Parquet's message text.
fn schema(columns: &[Column]) -> ParquetResult<TypePtr> {
    let field = |column: &Column| {
        let name = column.name;
        let presence = if column.is_required { "required" } else { "optional" };
        match column.kind {
            Kind::Text | Kind::Json => format!("{presence} binary {name} (STRING);"),
            Kind::Integer => format!("{presence} int64 {name};"),
            Kind::Real => format!("{presence} double {name};"),
            Kind::Flag => format!("{presence} boolean {name};"),
            Kind::Timestamp => format!("{presence} int64 {name} (TIMESTAMP(MILLIS,true));"),
            Kind::Texts => format!(
                "{presence} group {name} (LIST) \
                 {{ repeated group list {{ required binary element (STRING); }} }}"
            ),
        }
    };
    let fields: Vec<String> = columns.iter().map(field).collect();
    parse_message_type(&format!("message schema {{ {} }}", fields.join(" "))).map(Arc::new)
}

fn write_group(
    writer: &mut SerializedFileWriter<WholeFile>,
    buffers: &[Buffer],
) -> ParquetResult<()> {
    let mut group = writer.next_row_group()?;
    for buffer in buffers {
        let Some(mut column) = group.next_column()? else { break };
        let definition = Some(&buffer.definition[..]);
        // Only lists have repetition levels.
        let repetition = Some(&buffer.repetition[..]).filter(|levels| !levels.is_empty());
        match column.untyped() {
            ColumnWriter::Int64ColumnWriter(out) => {
                out.write_batch(&buffer.numbers, definition, repetition)
            }
            ColumnWriter::DoubleColumnWriter(out) => {
                out.write_batch(&buffer.reals, definition, repetition)
            }
            ColumnWriter::BoolColumnWriter(out) => {
                out.write_batch(&buffer.flags, definition, repetition)
            }
            ColumnWriter::ByteArrayColumnWriter(out) => {
                out.write_batch(&buffer.texts, definition, repetition)
            }
            _ => Err(ParquetError::General("a column of a type that no table has".to_owned())),
        }?;
        column.close()?;
    }
    group.close().map(drop)
}

impl Buffer {
    /// Takes a value; answers about how many bytes it holds.
    fn push(&mut self, column: &Column, value: &Value) -> ParquetResult<usize> {
        if column.kind == Kind::Texts {
            return self.push_list(column, value);
        }
        let bytes = match (column.kind, value) {
            (_, Value::Null) => 0,
            (Kind::Timestamp, Value::Text(text)) => match UnixMillis::parse_iso(text) {
                Some(time) => put(&mut self.numbers, time.0, 8),
                None => 0,
            },
            (Kind::Integer | Kind::Timestamp, Value::Integer(number)) => {
                put(&mut self.numbers, *number, 8)
            }
            (Kind::Real, Value::Integer(number)) => put(&mut self.reals, *number as f64, 8),
            (Kind::Real, Value::Real(number)) => put(&mut self.reals, *number, 8),
            (Kind::Real, Value::Text(text)) => {
                let number = text.parse().map_err(|_| unfit(column))?;
                put(&mut self.reals, number, 8)
            }
            (Kind::Flag, Value::Integer(number)) => put(&mut self.flags, *number != 0, 1),
            (Kind::Text | Kind::Json, Value::Text(text)) => {
                put(&mut self.texts, ByteArray::from(text.as_str()), text.len() + 32)
            }
            _ => return Err(unfit(column)),
        };
        if bytes == 0 && column.is_required {
            return Err(unfit(column));
        }
        self.definition.push(i16::from(bytes > 0 && !column.is_required));
        Ok(bytes + 2)
    }

    /// A list: its first element begins a row, an empty one is defined to the list only.
    fn push_list(&mut self, column: &Column, value: &Value) -> ParquetResult<usize> {
        let base = i16::from(!column.is_required);
        self.repetition.push(0);
        let Value::Text(json) = value else {
            self.definition.push(0);
            return Ok(4);
        };
        let list: Vec<String> = serde_json::from_str(json).map_err(|_| unfit(column))?;
        for (index, text) in list.iter().enumerate() {
            if index > 0 {
                self.repetition.push(1);
            }
            self.definition.push(base + 1);
            self.texts.push(ByteArray::from(text.as_str()));
        }
        if list.is_empty() {
            self.definition.push(base);
        }
        Ok(json.len() + 40 * list.len() + 4)
    }

    /// Empties it and keeps its memory.
    fn clear(&mut self) {
        self.numbers.clear();
        self.reals.clear();
        self.flags.clear();
        self.texts.clear();
        self.definition.clear();
        self.repetition.clear();
    }
}

/// Puts a value of `bytes` bytes, and answers them.
fn put<T>(values: &mut Vec<T>, value: T, bytes: usize) -> usize {
    values.push(value);
    bytes
}

fn unfit(column: &Column) -> ParquetError {
    ParquetError::General(format!("the store holds a value that is no {}", column.name))
}
