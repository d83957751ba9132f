//! A history page as a sweep sees it.
//!
//! Decides what identifies a row and where a page passes a cursor. Leaves the rows' contents to
//! [`crate::catalogue`].

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use xxhash_rust::xxh64::xxh64;

use crate::ids::GameId;
use crate::time::UnixMillis;

/// What to ask the site for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// The filter `START_DATE`.
    pub start_date: Option<UnixMillis>,
    /// The position of the first row, from 0.
    pub first: u64,
    /// The most rows to send.
    pub page_size: u32,
}

/// What the site answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// All rows in the order received, broken ones too: they occupy a position.
    pub rows: Vec<PageRow>,
    /// `totalCount`.
    pub total_count: Option<u64>,
    /// `filteredCount`.
    pub filtered_count: Option<u64>,
}

/// One row of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRow {
    /// What identifies it.
    pub key: RowKey,
    /// Its `startTime`, if it can be read.
    pub started: Option<UnixMillis>,
}

/// What identifies a row when two pages are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowKey(u128);

impl RowKey {
    /// The key of a game's row.
    #[must_use]
    pub const fn game(id: GameId) -> Self {
        Self(id.bits())
    }

    /// The key of a row without a readable game id: a hash of its bytes.
    #[must_use]
    pub fn broken(bytes: &[u8]) -> Self {
        Self(u128::from(xxh64(bytes, 0)))
    }
}

impl Page {
    /// The row at which an incremental sweep stops: the first one older than the cursor after the
    /// last one that is not. A row whose start is unknown is neither. In a list sorted by start it
    /// is simply the first older one; a straggler that is listed too high stops nothing.
    pub(super) fn first_older_than(&self, cursor: UnixMillis) -> Option<usize> {
        let wanted = |row: &PageRow| row.started.is_some_and(|started| started >= cursor);
        let begin = self.rows.iter().rposition(wanted).map_or(0, |last| last + 1);
        let older = |row: &PageRow| row.started.is_some_and(|started| started < cursor);
        self.rows.iter().skip(begin).position(older).map(|place| begin + place)
    }
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowKey({self})")
    }
}

impl FromStr for RowKey {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u128::from_str_radix(text, 16).map(Self)
    }
}

impl Serialize for RowKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RowKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
