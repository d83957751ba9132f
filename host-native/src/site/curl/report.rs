//! What curl writes to its standard error: the header blocks, and its error message if it fails.
//!
//! Decides which block is the answer's: the last one, for interim answers (1xx) come before it.
//! Trailers, which follow the body and start with no status line, are left out.

use std::collections::BTreeMap;

use super::super::access::keep_first;

/// What curl reported.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// The answer's head, if it came whole.
    pub(super) head: Option<Head>,
    /// curl's own message.
    pub(super) error: String,
}

/// Status and headers of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) headers: BTreeMap<String, String>,
}

impl Report {
    /// Reads what curl wrote.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut report = Self::default();
        let mut open: Option<Head> = None;
        for line in String::from_utf8_lossy(bytes).lines() {
            let line = line.trim_end();
            if line.starts_with("curl: (") {
                report.error = line.to_owned();
            } else if let Some(status) = status_line(line) {
                report.head = None;
                open = Some(Head { status, headers: BTreeMap::new() });
            } else if line.is_empty() {
                report.head = open.take().or(report.head);
            } else if let (Some(head), Some((name, value))) = (&mut open, line.split_once(':')) {
                keep_first(&mut head.headers, name, value);
            }
        }
        report
    }
}

/// The status of a line such as `HTTP/1.1 200 OK` or `HTTP/2 200`.
fn status_line(line: &str) -> Option<u16> {
    let rest = line.strip_prefix("HTTP/")?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_is_the_answer() {
        let report = Report::parse(
            b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/2 200 \r\nETag: \"a:b\"\r\netag: c\r\n\r\n\
              Trailer-Sum: 5\r\n\r\n",
        );
        let head = report.head.unwrap();
        assert_eq!(head.status, 200);
        assert_eq!(head.headers, BTreeMap::from([("etag".to_owned(), "\"a:b\"".to_owned())]));
        assert_eq!(report.error, "");
    }

    #[test]
    fn a_block_without_its_end_is_none() {
        let report = Report::parse(b"HTTP/1.1 200 OK\r\nETag: x\r\ncurl: (56) Recv failure\n");
        assert_eq!(report.head, None);
        assert_eq!(report.error, "curl: (56) Recv failure");
        assert_eq!(Report::parse(b""), Report::default());
        assert_eq!(Report::parse(b"HTTP/1.1\r\n\xff\r\n\r\n").head, None);
    }
}
