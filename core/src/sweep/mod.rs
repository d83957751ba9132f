//! The sweep of one player's history: which page to ask next, and when it is over.
//!
//! Decides the pages, the rows to take from each, what to remember so that a killed sweep goes on,
//! the next cursor, and whether a finished sweep left a gap ([`GapHistory`]). Leaves to the host to
//! ask, to catalogue and to save, all that one page brings in one transaction.
//!
//! The site lists games newest first and is asked by position, while the list changes between two
//! pages: new games push rows down (they repeat, harmless), vanished rows pull rows up (they would
//! be skipped). So each page begins one row before the rows not seen yet and is compared with what
//! is remembered of the page before.
//!
//! # Why no game is missed
//! Call a row *lasting* when it is listed during the whole sweep; the order of lasting rows never
//! changes. The sweep keeps one invariant: every lasting row at or above the *frontier*, the last
//! row of the last contiguous page, has been seen. A page is contiguous
//! - if it begins at the top of the list; or
//! - if it shows a remembered row, which was at or above the frontier: what lies between that row
//!   and the page's end is on the page; or
//! - if all of it is newer than all remembered rows: then it lies above the frontier, and all
//!   lasting rows above it have been seen.
//!
//! In each case every lasting row at or above the page's last row has been seen, and that row
//! becomes the frontier. Any other page proves nothing: its rows are taken, as they are games all
//! the same, and the sweep steps back, by the drop of the count and then by doubled steps, until a
//! page is contiguous; at the latest the one at the top of the list is. A sweep ends only on a
//! contiguous page that is the last one.
//!
//! # Why it ends
//! A contiguous page moves the offset on by at least one row or ends the sweep, and the count of
//! pages that were not contiguous is limited. A site that answers every position with the same
//! page is noticed by its first row ([`SweepError::NoProgress`]).
//!
//! # What the end is
//! An empty page, or a page that reaches `filteredCount`; a short page only where that count is
//! missing, as the site may cap the page size. An overlap of one row hides the empty page, so where
//! the count promises more than the overlap, the sweep looks once behind it without overlap. An
//! incremental sweep also ends at the first row older than its cursor. A game that was known before
//! never ends anything: it may be known through its other player.

mod gap;
mod memory;
mod page;

use std::time::Duration;

use thiserror::Error;

pub use gap::{GapDecision, GapHistory, RESWEEP_INTERVAL, completeness};
pub use memory::SweepMemory;
pub use page::{Page, PageRequest, PageRow, RowKey};

use crate::time::UnixMillis;
use memory::{Frontier, Position};

/// A sweep under way.
#[derive(Debug, Clone)]
pub struct Sweep {
    cursor: Option<UnixMillis>,
    page_size: u32,
    page_size_max: u32,
    total: Option<u64>,
    latest_believable: UnixMillis,
    offset: u64,
    memory: SweepMemory,
    is_finished: bool,
}

/// What a sweep begins or goes on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepStart {
    /// The greatest start seen by the last finished sweep; `None` sweeps the whole list.
    pub cursor: Option<UnixMillis>,
    /// Rows seen so far, as saved; 0 begins anew.
    pub offset: u64,
    /// What was saved with the offset. An offset without it (a database of the older service) is
    /// believed, unless the list turns out to be shorter.
    pub memory: Option<SweepMemory>,
    /// The usual page size.
    pub page_size: u32,
    /// The page size for players with more games than that.
    pub page_size_max: u32,
    /// The player's `totalCount`, if it is known.
    pub known_total: Option<u64>,
    /// The present time. A start more than a day later is not believed: as a cursor it would hide
    /// every game until then.
    pub now: UnixMillis,
}

/// What to do with a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct PageOutcome {
    /// Catalogue this many rows from the page's first on.
    pub take: usize,
    /// Save this in the same transaction.
    pub progress: SweepProgress,
    /// Rows had vanished and the sweep steps back; worth a log line.
    pub stepped_back: bool,
    /// The sweep is over.
    pub finished: Option<SweepResult>,
}

/// Where a sweep stands, for the host to save. After the last page it is the beginning, from which
/// the next sweep starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepProgress {
    /// The column `players.enumerate_offset`.
    pub offset: u64,
    /// What a resumed sweep needs besides.
    pub memory: Option<SweepMemory>,
}

/// What a finished sweep found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepResult {
    /// The cursor of the next sweep.
    pub cursor: Option<UnixMillis>,
    /// The player's games as the last page counted them.
    pub total_count: Option<u64>,
    /// The smallest count of all pages: what the sweep can have seen. Games that began to be listed
    /// while it ran are not a gap but the next sweep's work.
    pub least_total_count: Option<u64>,
}

/// Why a sweep cannot go on. Save an empty [`SweepProgress`]: it has to begin anew.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SweepError {
    /// The pages do not continue one another.
    #[error("the history at row {first} does not continue the rows before it; is `first` ignored?")]
    NoProgress {
        /// Where the last page was asked for.
        first: u64,
    },
    /// A page after the last one.
    #[error("the sweep is over and takes no page")]
    Finished,
}

impl Sweep {
    /// Begins a sweep, or goes on with one that was interrupted.
    #[must_use]
    pub fn new(start: SweepStart) -> Self {
        let latest_believable = start.now + CLOCK_TOLERANCE;
        Self {
            cursor: start.cursor.filter(|cursor| *cursor <= latest_believable),
            page_size: start.page_size.max(LEAST_PAGE_SIZE),
            page_size_max: start.page_size_max,
            total: start.known_total,
            latest_believable,
            offset: start.offset,
            memory: start.memory.unwrap_or_default(),
            is_finished: false,
        }
    }

    /// The page to ask for now; `None` when the sweep is over.
    pub fn next_page(&self) -> Option<PageRequest> {
        if self.is_finished {
            return None;
        }
        let first = match self.memory.position {
            Position::Overlap if self.memory.frontier.is_some() => self.offset.saturating_sub(1),
            Position::Overlap | Position::BehindOverlap => self.offset,
            Position::SteppedBack { first, .. } => first,
        };
        let is_large = self.total.is_some_and(|total| total > u64::from(self.page_size));
        let page_size =
            if is_large { self.page_size.max(self.page_size_max) } else { self.page_size };
        Some(PageRequest { start_date: self.cursor, first, page_size })
    }

    /// Takes the answer to [`Self::next_page`].
    ///
    /// # Errors
    /// [`SweepError`] when the sweep has to begin anew. The page's rows are games all the same.
    pub fn accept(&mut self, page: &Page) -> Result<PageOutcome, SweepError> {
        let request = self.next_page().ok_or(SweepError::Finished)?;
        self.observe(page);
        let stop = self.cursor.and_then(|cursor| page.first_older_than(cursor));
        let is_contiguous = self.is_contiguous(request, page);
        if is_contiguous {
            let is_last = self.extend(request, page)?;
            self.is_finished = is_last || stop.is_some();
        } else {
            self.step_back(request, page)?;
        }
        Ok(PageOutcome {
            take: stop.unwrap_or(page.rows.len()),
            progress: self.progress(),
            stepped_back: !is_contiguous,
            finished: self.is_finished.then(|| self.result()),
        })
    }

    /// What counts of a page wherever it lies.
    fn observe(&mut self, page: &Page) {
        let latest_believable = self.latest_believable;
        let starts = page.rows.iter().filter_map(|row| row.started);
        let greatest = starts.filter(|start| *start <= latest_believable).max();
        self.memory.greatest_start = self.memory.greatest_start.max(greatest);
        if let Some(total) = page.total_count {
            self.total = Some(total);
            self.memory.least_total =
                Some(self.memory.least_total.map_or(total, |least| least.min(total)));
        }
    }

    fn is_contiguous(&self, request: PageRequest, page: &Page) -> bool {
        if request.first == 0 {
            return true;
        }
        match (&self.memory.frontier, self.memory.position) {
            // The page before this one showed the overlap; only the count can tell of a change.
            (Some(_), Position::BehindOverlap) => self.memory.vanished(page) == 0,
            (Some(frontier), Position::Overlap | Position::SteppedBack { .. }) => {
                frontier.is_continued_by(page)
            }
            (None, _) => page.filtered_count.is_none_or(|count| count >= request.first),
        }
    }

    /// Moves the frontier to the end of a contiguous page. Whether that is the end of the list.
    fn extend(&mut self, request: PageRequest, page: &Page) -> Result<bool, SweepError> {
        let begins_alike = self.memory.is_repeated_by(request, page);
        let is_repeated = begins_alike && !self.memory.has_grown(page);
        let count = |yes: bool, before: u32| if yes { before + 1 } else { 0 };
        self.memory.repeated = count(is_repeated, self.memory.repeated);
        self.memory.repeated_growing = count(begins_alike, self.memory.repeated_growing);
        if self.memory.repeated >= MOST_REPEATED
            || self.memory.repeated_growing >= MOST_REPEATED_GROWING
        {
            return Err(SweepError::NoProgress { first: request.first });
        }
        let rows = page.rows.len() as u64;
        self.offset = request.first.saturating_add(rows);
        self.memory.filtered_count = page.filtered_count;
        self.memory.frontier = Frontier::of(request, page);
        // One row more would be the same row again.
        self.memory.position = if rows == 1 { Position::BehindOverlap } else { Position::Overlap };
        let is_last = match page.filtered_count {
            Some(count) => rows == 0 || self.offset >= count,
            None => rows < u64::from(request.page_size),
        };
        Ok(is_last && !is_repeated)
    }

    fn step_back(&mut self, request: PageRequest, page: &Page) -> Result<(), SweepError> {
        self.memory.steps_back += 1;
        if self.memory.steps_back > MOST_STEPS_BACK {
            return Err(SweepError::NoProgress { first: request.first });
        }
        let step = match self.memory.position {
            Position::SteppedBack { step, .. } => step.saturating_mul(2),
            Position::Overlap | Position::BehindOverlap => self.memory.vanished(page) + 1,
        };
        let mut first = request.first.saturating_sub(step);
        if self.memory.frontier.is_none() {
            first = 0;
        } else if page.rows.is_empty() {
            let last_row = page.filtered_count.map_or(first, |count| count.saturating_sub(1));
            first = first.min(last_row);
        }
        self.memory.position = Position::SteppedBack { first, step };
        Ok(())
    }

    fn progress(&self) -> SweepProgress {
        if self.is_finished {
            return SweepProgress::default();
        }
        SweepProgress { offset: self.offset, memory: Some(self.memory.clone()) }
    }

    fn result(&self) -> SweepResult {
        SweepResult {
            cursor: self.cursor.max(self.memory.greatest_start),
            total_count: self.total,
            least_total_count: self.memory.least_total,
        }
    }
}

/// An overlap needs a row, and progress another one.
const LEAST_PAGE_SIZE: u32 = 2;
/// So many pages in a row may repeat the page before them.
const MOST_REPEATED: u32 = 3;
/// The same while the list grows, which can push the same row down again and again for a while.
const MOST_REPEATED_GROWING: u32 = 10;
/// So many pages of a sweep may fail to continue it.
const MOST_STEPS_BACK: u32 = 100;
const CLOCK_TOLERANCE: Duration = Duration::from_hours(24);

#[cfg(test)]
mod tests;
