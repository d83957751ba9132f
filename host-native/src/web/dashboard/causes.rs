//! What failures have in common.
//!
//! Decides which cause stands behind a message, so that a thousand failures are one line with one
//! advice. The messages are our own; where none fits, the text itself is shown.

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
    /// The archive cannot be reached or failed.
    ArchiveDown,
    /// None of these.
    Other,
}

/// The cause behind a message. `held` says what it holds back: `rejected`, or the stage as in
/// `error_fetch`.
pub(super) fn cause(held: &str, message: &str) -> Cause {
    let first = |table: &[(&str, Cause)]| {
        table.iter().find(|(sign, _)| message.contains(sign)).map(|(_, cause)| *cause)
    };
    let found = match held {
        "rejected" => first(REFUSALS).or(Some(Cause::Refused)),
        "error_normalize" => first(RECORDS).or(Some(Cause::UnknownRecord)),
        "error_post" | "post" => first(ANALYTICS),
        "archive" => first(ANALYTICS).or(Some(Cause::ArchiveDown)),
        _ => first(SITE),
    };
    found.unwrap_or(Cause::Other)
}

const REFUSALS: &[(&str, Cause)] =
    &[("illegal move sequence", Cause::Illegal), ("incomplete move sequence", Cause::Illegal)];

const RECORDS: &[(&str, Cause)] = &[("no state map", Cause::NoStateMap)];

const ANALYTICS: &[(&str, Cause)] = &[
    ("refused the token", Cause::AnalyticsToken),
    ("INGEST_TOKEN", Cause::AnalyticsToken),
    ("a web page answered", Cause::NotAnalytics),
    ("about another game", Cause::NotAnalytics),
    ("the archive", Cause::ArchiveDown),
    ("cannot be reached", Cause::AnalyticsDown),
    ("in time", Cause::AnalyticsDown),
    ("HTTP 404", Cause::NotAnalytics),
    ("HTTP 4", Cause::AnalyticsDown),
    ("HTTP 5", Cause::AnalyticsDown),
];

const SITE: &[(&str, Cause)] = &[
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
            ("archive", "cannot write /mnt/archive: no space left", Cause::ArchiveDown),
            ("error_fetch", "something new", Cause::Other),
        ] {
            assert_eq!(cause(held, message), expected, "{held}: {message}");
        }
    }
}
