//! What failures have in common.
//!
//! Decides which cause stands behind a message, so that a thousand failures are one line with one
//! advice. The messages are our own; where none fits, the text itself is shown.

use crate::daemon::{Obstacle, Party};

/// The cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// The site's token ended or is not accepted.
    Token,
    /// Cloudflare wants a person.
    Challenge,
    /// The site asked for silence more often than a request is repeated.
    Throttled,
    /// The site has no moves of the game.
    Missing,
    /// The site failed.
    SiteFault,
    /// The site cannot be reached.
    Network,
    /// The site answered something unreadable.
    BadAnswer,
    /// The site keeps no moves of such games.
    NoStateMap,
    /// The record says something unknown.
    UnknownRecord,
    /// The record breaks the rules.
    Illegal,
    /// Analytics refused the document for another reason.
    Refused,
    /// Analytics cannot be reached or failed.
    AnalyticsDown,
    /// Analytics does not accept our token.
    AnalyticsToken,
    /// Something else answers where analytics should.
    NotAnalytics,
    /// The embedded analytics' own database failed.
    AnalyticsStore,
    /// The archive cannot be reached or failed.
    ArchiveDown,
    /// The archive's directory cannot be used.
    ArchivePath,
    /// What carries requests to the site does not work, for example there is no curl.
    Transport,
    /// A disk is full.
    DiskFull,
    /// The database is read-only.
    ReadOnly,
    /// Another process locks the database.
    Locked,
    /// The database is damaged.
    Damaged,
    /// The database failed for another reason.
    DatabaseFailed,
    /// None of these.
    Other,
}

/// What keeps a stage from working.
pub(super) fn cause_of(obstacle: &Obstacle) -> Cause {
    let held = match obstacle.party {
        Party::Site => "site",
        Party::Analytics => "error_post",
        Party::Archive => "archive",
        Party::Database => "database",
    };
    cause(held, &obstacle.message)
}

/// The cause behind a message. `held` says what it holds back: `rejected`, or the stage as in
/// `error_fetch`, or who is in the way: `site`, `archive`, `database`.
pub(super) fn cause(held: &str, message: &str) -> Cause {
    let first = |table: &[(&str, Cause)]| {
        table.iter().find(|(sign, _)| message.contains(sign)).map(|(_, cause)| *cause)
    };
    let found = match held {
        "rejected" => first(REFUSALS).or(Some(Cause::Refused)),
        "error_normalize" => first(RECORDS).or(Some(Cause::UnknownRecord)),
        "error_post" => first(ANALYTICS),
        "archive" => first(ARCHIVE).or(Some(Cause::ArchiveDown)),
        "database" => first(DATABASE).or(Some(Cause::DatabaseFailed)),
        _ => first(SITE),
    };
    found.unwrap_or(Cause::Other)
}

const REFUSALS: &[(&str, Cause)] =
    &[("illegal move sequence", Cause::Illegal), ("incomplete move sequence", Cause::Illegal)];

const RECORDS: &[(&str, Cause)] = &[("no state map", Cause::NoStateMap)];

const DATABASE: &[(&str, Cause)] = &[
    ("no space left", Cause::DiskFull),
    ("is read-only", Cause::ReadOnly),
    ("is locked", Cause::Locked),
    ("is damaged", Cause::Damaged),
];

const ARCHIVE: &[(&str, Cause)] = &[
    ("No space left", Cause::DiskFull),
    ("quota exceeded", Cause::DiskFull),
    ("cannot reach the archive", Cause::ArchiveDown),
    ("where 201 or 200 is due", Cause::ArchiveDown),
    ("cannot ", Cause::ArchivePath),
    ("ARCHIVE_URL", Cause::ArchivePath),
];

const ANALYTICS: &[(&str, Cause)] = &[
    ("disk is full", Cause::DiskFull),
    ("analytics store", Cause::AnalyticsStore),
    ("refused the token", Cause::AnalyticsToken),
    ("INGEST_TOKEN", Cause::AnalyticsToken),
    ("a web page answered", Cause::NotAnalytics),
    ("about another game", Cause::NotAnalytics),
    ("cannot be reached", Cause::AnalyticsDown),
    ("in time", Cause::AnalyticsDown),
    ("HTTP 404", Cause::NotAnalytics),
    ("HTTP 4", Cause::AnalyticsDown),
    ("HTTP 5", Cause::AnalyticsDown),
];

const SITE: &[(&str, Cause)] = &[
    ("TRANSPORT=", Cause::Transport),
    ("curl's standard streams", Cause::Transport),
    ("curl cannot be read", Cause::Transport),
    ("token", Cause::Token),
    ("challenge", Cause::Challenge),
    ("throttle", Cause::Throttled),
    ("silence", Cause::Throttled),
    ("HTTP 404", Cause::Missing),
    ("HTTP 5", Cause::SiteFault),
    ("HTTP ", Cause::SiteFault),
    ("no answer within", Cause::Network),
    ("connection failed", Cause::Network),
    ("TLS error", Cause::Network),
    ("the body is", Cause::BadAnswer),
    ("gameHistoryList", Cause::BadAnswer),
    ("the page is not readable", Cause::BadAnswer),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_their_cause() {
        for (held, message, expected) in [
            ("error_fetch", "HTTP 404: the site has no moves of this game", Cause::Missing),
            ("error_fetch", "HTTP 502", Cause::SiteFault),
            ("error_fetch", "no answer within 30 s", Cause::Network),
            ("error_fetch", "connection failed: refused", Cause::Network),
            ("error_fetch", "the body is not JSON: expected value", Cause::BadAnswer),
            ("error_enumerate", "the page has no gameHistoryList", Cause::BadAnswer),
            ("enumerate", "the token expired at 2026-01-01T00:00:00.000Z: sign in", Cause::Token),
            ("fetch", "Cloudflare answered with a challenge: open", Cause::Challenge),
            ("error_normalize", "the game has no state map", Cause::NoStateMap),
            ("error_normalize", "state 12: unknown die \"X\"", Cause::UnknownRecord),
            ("rejected", "{\"detail\":\"Turn 3: illegal move sequence [e2e5]\"}", Cause::Illegal),
            ("rejected", "{\"detail\":\"started_at\"}", Cause::Refused),
            ("error_post", "analytics cannot be reached: refused", Cause::AnalyticsDown),
            ("error_post", "HTTP 503: busy", Cause::AnalyticsDown),
            ("error_post", "a web page answered instead of analytics", Cause::NotAnalytics),
            ("error_post", "HTTP 429: slow down", Cause::AnalyticsDown),
            ("error_post", "analytics store /d/a.db: database or disk is full", Cause::DiskFull),
            ("error_post", "analytics store /d/a.db: disk I/O error", Cause::AnalyticsStore),
            ("error_fetch", "something new", Cause::Other),
        ] {
            assert_eq!(cause(held, message), expected, "{held}: {message}");
        }
    }

    #[test]
    fn whatever_a_stage_rests_from_has_its_cause() {
        for (party, message, expected) in [
            (Party::Site, "five failures in a row, the last: connection failed: x", Cause::Network),
            (
                Party::Site,
                "five failures in a row, the last: no answer within 30 s",
                Cause::Network,
            ),
            (Party::Site, "five failures in a row, the last: HTTP 502", Cause::SiteFault),
            (Party::Site, "TRANSPORT=curl needs the program curl, but", Cause::Transport),
            (Party::Analytics, "analytics does not accept INGEST_TOKEN", Cause::AnalyticsToken),
            (Party::Analytics, "the last: analytics cannot be reached: x", Cause::AnalyticsDown),
            (Party::Analytics, "the last: HTTP 404: no", Cause::NotAnalytics),
            (Party::Archive, "cannot create /f: File exists (os error 17)", Cause::ArchivePath),
            (Party::Archive, "cannot write /a/x: Permission denied", Cause::ArchivePath),
            (Party::Archive, "cannot write /a/x: No space left on device", Cause::DiskFull),
            (Party::Archive, "cannot reach the archive http://a: refused", Cause::ArchiveDown),
            (
                Party::Archive,
                "the archive http://a answered 401, where 201 or 200 is due: token",
                Cause::ArchiveDown,
            ),
            (Party::Archive, "ARCHIVE_URL: cannot", Cause::ArchivePath),
        ] {
            let obstacle = Obstacle { party, message: message.to_owned() };
            assert_eq!(cause_of(&obstacle), expected, "{party:?}: {message}");
        }
    }

    #[test]
    fn each_failure_of_the_database_has_its_cause() {
        use crate::store::StoreError;
        let (path, source) = (|| "sync.db".into(), || rusqlite::Error::InvalidQuery);
        for (error, expected) in [
            (StoreError::Full { path: path(), source: source() }, Cause::DiskFull),
            (StoreError::ReadOnly { path: path(), source: source() }, Cause::ReadOnly),
            (StoreError::Busy { path: path(), source: source() }, Cause::Locked),
            (StoreError::Corrupt { path: path(), source: source() }, Cause::Damaged),
            (StoreError::Sqlite { path: path(), source: source() }, Cause::DatabaseFailed),
        ] {
            let obstacle = Obstacle { party: Party::Database, message: error.to_string() };
            assert_eq!(cause_of(&obstacle), expected, "{error}");
        }
    }
}
