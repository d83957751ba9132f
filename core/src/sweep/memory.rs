//! What a sweep must remember across a kill.
//!
//! Decides what is kept and whether a page continues it. Leaves to [`super::Sweep`] what follows.

use serde::{Deserialize, Serialize};

use super::page::{Page, PageRequest, RowKey};
use crate::time::UnixMillis;

/// The memory of a sweep, saved by the host as it is, with each page. If it cannot be read back,
/// the sweep has to begin anew.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepMemory {
    pub(super) greatest_start: Option<UnixMillis>,
    pub(super) least_total: Option<u64>,
    /// As the last contiguous page gave it.
    pub(super) filtered_count: Option<u64>,
    pub(super) frontier: Option<Frontier>,
    pub(super) position: Position,
    /// Pages in a row that repeated the one before them although the list had not grown.
    pub(super) repeated: u32,
    /// Pages in a row that repeated the one before them, whether or not it had.
    #[serde(default)]
    pub(super) repeated_growing: u32,
    /// Pages so far that were not contiguous.
    pub(super) steps_back: u32,
}

/// Where the next page begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Position {
    /// One row before the offset.
    #[default]
    Overlap,
    /// At the offset: the page before was the overlap alone.
    BehindOverlap,
    /// On the way back to rows that are known.
    SteppedBack { first: u64, step: u64 },
}

/// The last contiguous page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Frontier {
    /// Where it began.
    first: u64,
    /// Its first row.
    top: RowKey,
    /// Its last rows.
    tail: Vec<RowKey>,
    /// The greatest start of these.
    newest: Option<UnixMillis>,
}

impl SweepMemory {
    /// By how much the list is shorter than at the last contiguous page.
    pub(super) fn vanished(&self, page: &Page) -> u64 {
        match (self.filtered_count, page.filtered_count) {
            (Some(before), Some(now)) => before.saturating_sub(now),
            (_, None) | (None, _) => 0,
        }
    }

    /// Whether the page begins with the row the last one began with, although it was asked for from
    /// a later position. By chance this happens once, when as many rows came as we went on; again
    /// and again it means that the site ignores the position.
    pub(super) fn is_repeated_by(&self, request: PageRequest, page: &Page) -> bool {
        self.frontier.as_ref().is_some_and(|last| {
            request.first > last.first && page.rows.first().is_some_and(|row| row.key == last.top)
        })
    }

    /// Whether the list is longer than at the last contiguous page.
    pub(super) fn has_grown(&self, page: &Page) -> bool {
        match (self.filtered_count, page.filtered_count) {
            (Some(before), Some(now)) => now > before,
            (_, None) | (None, _) => false,
        }
    }
}

impl Frontier {
    /// `None` for an empty page.
    pub(super) fn of(request: PageRequest, page: &Page) -> Option<Self> {
        let top = page.rows.first()?.key;
        let (_, tail) = page.rows.split_at(page.rows.len().saturating_sub(REMEMBERED_ROWS));
        Some(Self {
            first: request.first,
            top,
            tail: tail.iter().map(|row| row.key).collect(),
            newest: tail.iter().filter_map(|row| row.started).max(),
        })
    }

    /// Whether the page shows a remembered row or lies above them all.
    pub(super) fn is_continued_by(&self, page: &Page) -> bool {
        page.rows.iter().any(|row| self.tail.contains(&row.key)) || self.is_below(page)
    }

    /// Equal starts say nothing about the order.
    fn is_below(&self, page: &Page) -> bool {
        self.newest.is_some_and(|newest| {
            let is_newer = |started: UnixMillis| started > newest;
            !page.rows.is_empty() && page.rows.iter().all(|row| row.started.is_some_and(is_newer))
        })
    }
}

/// Enough to meet again after most of them have vanished, and small enough to write with each page.
const REMEMBERED_ROWS: usize = 128;
