//! What the end of a curl that brought no answer means.
//!
//! Decides the error's class from the exit code. A connection that broke counts as a cut-off body
//! once the head had come, as in the other transport.

use std::process::ExitStatus;

use super::super::{SiteAccess, TransportError};

/// The error behind an exit status; `message` is what curl said itself.
pub(super) fn failure(
    access: &SiteAccess,
    status: ExitStatus,
    has_head: bool,
    message: &str,
) -> TransportError {
    let text = match access.scrub(message) {
        text if text.is_empty() => format!("curl ended with {status} and without a word"),
        text => text,
    };
    match status.code() {
        Some(OPERATION_TIMEDOUT) => access.timed_out(),
        Some(code) if TLS.contains(&code) => TransportError::Tls(text),
        Some(code) if UNUSABLE.contains(&code) => TransportError::Unusable(format!(
            "{text} (curl 7.68 or later with zlib is needed: see CURL_BIN, or set TRANSPORT=reqwest)"
        )),
        Some(0) => TransportError::Connection("curl brought no headers".to_owned()),
        _ if has_head => TransportError::Truncated(text),
        _ => TransportError::Connection(text),
    }
}

const OPERATION_TIMEDOUT: i32 = 28;

/// Handshake, peer verification, certificates, ciphers, engines, revocation lists, pinned keys.
const TLS: [i32; 14] = [35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 91];

/// An option or feature that this curl lacks, a stream it cannot write, or no curl at all (126 and
/// 127 are the shell's).
const UNUSABLE: [i32; 7] = [2, 4, 23, 26, 48, 126, 127];

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::time::Duration;

    use super::super::super::SiteCredentials;
    use super::*;

    #[test]
    fn exit_codes_have_their_class() {
        let credentials = SiteCredentials::new(Some("secret-token".into()), None).unwrap();
        let access =
            SiteAccess::new("http://host", credentials, "a", Duration::from_secs(9)).unwrap();
        let class = |code: i32, has_head| {
            let said = format!("curl: ({code}) about secret-token");
            let error = failure(&access, ExitStatus::from_raw(code << 8), has_head, &said);
            assert!(!error.to_string().contains("secret-token"), "{error}");
            match error {
                TransportError::Timeout(_) => "timeout",
                TransportError::TooLarge => "too large",
                TransportError::Truncated(_) => "truncated",
                TransportError::Connection(_) => "connection",
                TransportError::Tls(_) => "tls",
                TransportError::Unusable(_) => "unusable",
            }
        };
        for (code, before_head, after_head) in [
            (28, "timeout", "timeout"),
            (18, "connection", "truncated"),
            (56, "connection", "truncated"),
            (92, "connection", "truncated"),
            (6, "connection", "truncated"),
            (7, "connection", "truncated"),
            (52, "connection", "truncated"),
            (55, "connection", "truncated"),
            (35, "tls", "tls"),
            (60, "tls", "tls"),
            (2, "unusable", "unusable"),
            (127, "unusable", "unusable"),
        ] {
            assert_eq!(class(code, false), before_head, "{code}");
            assert_eq!(class(code, true), after_head, "{code}");
        }
        let killed = failure(&access, ExitStatus::from_raw(9), false, "");
        assert!(killed.to_string().contains("signal: 9"), "{killed}");
    }
}
