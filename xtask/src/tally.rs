//! How many tests passed and failed, as the runners say when they close.
//!
//! Decides which lines count: the closing lines of cargo-nextest, of Rust's own test harness and of
//! node's.
//! Every runner closes with its own totals, so the sum over all of them is the total.

use std::fmt;

/// Tests that ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tally {
    /// The totals of a closing line; `None` for any other line.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        let line = line.trim();
        if let Some(totals) = line.strip_prefix("test result: ") {
            // test result: ok. 73 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; …
            return Some(Self::of_counts(totals.split_once(". ")?.1.split(';')));
        }
        if let Some(total) = line.strip_prefix("ℹ ") {
            // ℹ pass 10
            return Self::of_node(total);
        }
        // Summary [   7.123s] 100/120 tests run: 96 passed (1 slow), 3 failed, 1 timed out, 2 skipped
        let summary = line.strip_prefix("Summary [")?;
        let (_, totals) =
            summary.split_once(" tests run: ").or_else(|| summary.split_once(" test run: "))?;
        Some(Self::of_counts(totals.split(',')))
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Node closes with a line for each kind of outcome.
    fn of_node(total: &str) -> Option<Self> {
        let (kind, number) = total.split_once(' ')?;
        let number = number.parse().ok()?;
        match kind {
            "pass" => Some(Self { passed: number, failed: 0 }),
            "fail" | "cancelled" => Some(Self { passed: 0, failed: number }),
            _ => None,
        }
    }

    fn of_counts<'a>(counts: impl Iterator<Item = &'a str>) -> Self {
        let mut tally = Self::default();
        for count in counts {
            let mut words = count.split_ascii_whitespace();
            let Some(Ok(number)) = words.next().map(str::parse::<u64>) else { continue };
            match words.next() {
                Some("passed") => tally.passed += number,
                // nextest: `1 timed out`, `1 exec failed`.
                Some("failed" | "timed" | "exec") => tally.failed += number,
                _ => {}
            }
        }
        tally
    }
}

/// The line that ends a run.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines() {
        for (line, passed, failed) in [
            (
                "test result: ok. 73 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.67s\n",
                73,
                0,
            ),
            (
                "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s",
                1,
                2,
            ),
            (
                "     Summary [   7.123s] 98 tests run: 98 passed (1 slow, 1 leaky), 2 skipped",
                98,
                0,
            ),
            ("     Summary [   0.003s] 1 test run: 1 passed, 0 skipped", 1, 0),
            (
                "     Summary [  60.0s] 5/9 tests run: 2 passed, 1 failed, 1 timed out, 1 exec failed, 4 skipped",
                2,
                3,
            ),
            ("ℹ pass 10", 10, 0),
            ("ℹ fail 2", 0, 2),
            ("ℹ cancelled 1", 0, 1),
        ] {
            assert_eq!(Tally::of_line(line), Some(Tally { passed, failed }), "{line}");
        }
    }

    #[test]
    fn other_lines_count_nothing() {
        for line in [
            "",
            "running 3 tests",
            "test a ... ok",
            "        PASS [   0.1s] 7 passed",
            "7 passed",
            "ℹ tests 3",
            "ℹ duration_ms 9.5",
        ] {
            assert_eq!(Tally::of_line(line), None, "{line}");
        }
    }
}
