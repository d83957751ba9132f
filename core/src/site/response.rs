//! What an answer of the site amounts to, whichever transport brought it.
//!
//! Decides which answers are data, which are refusals and which are faults (contract, section 12).
//! Leaves to others what follows: [`crate::pacing`] says how long to wait, the state machines in
//! [`crate::lifecycle`] what happens to the item in hand.

use serde::de::IgnoredAny;

/// The parts of a response besides its body that decide what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResponseHead<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The `cf-mitigated` header, set by Cloudflare when it answers in the site's place.
    pub cf_mitigated: Option<&'a str>,
    /// The `content-type` header.
    pub content_type: Option<&'a str>,
    /// The `retry-after` header.
    pub retry_after: Option<&'a str>,
}

/// What the site answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Well-formed JSON: the only thing that is ever stored.
    Json,
    /// 304: what we have is current.
    NotModified,
    /// A Cloudflare challenge, or a page where JSON is due.
    Challenge,
    /// The token is not accepted.
    Unauthorized,
    /// Too many requests, or the site is overloaded.
    Throttled,
    /// 404.
    NotFound,
    /// Any other fault, with its cause.
    Failed(String),
}

/// Classifies an answer.
pub fn classify_response(head: ResponseHead<'_>, body: &[u8]) -> Answer {
    let is_page = is_html(head.content_type, body);
    match head.status {
        _ if head.cf_mitigated.is_some() => Answer::Challenge,
        401 => Answer::Unauthorized,
        429 => Answer::Throttled,
        403 if is_page => Answer::Challenge,
        403 => Answer::Unauthorized,
        // A challenge can come as a 503 without its header; an overload says when to come back.
        503 if is_page && head.retry_after.is_none() => Answer::Challenge,
        503 => Answer::Throttled,
        304 => Answer::NotModified,
        404 => Answer::NotFound,
        200..=299 if is_page => Answer::Challenge,
        200..=299 => json_or_fault(body),
        300..=399 => Answer::Failed(format!("HTTP {}: an unexpected redirect", head.status)),
        status => Answer::Failed(format!("HTTP {status}")),
    }
}

fn json_or_fault(body: &[u8]) -> Answer {
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => return Answer::Failed(format!("the body is not UTF-8: {error}")),
    };
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(IgnoredAny) => Answer::Json,
        Err(error) if error.is_eof() => {
            Answer::Failed(format!("the body is cut off after {} bytes: {error}", body.len()))
        }
        Err(error) => Answer::Failed(format!("the body is not JSON: {error}")),
    }
}

fn is_html(content_type: Option<&str>, body: &[u8]) -> bool {
    let is_json_type =
        content_type.is_some_and(|value| value.as_bytes().windows(4).any(|word| word == b"json"));
    let is_html_type = content_type
        .is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with("text/html"));
    let starts_with_tag = body.trim_ascii_start().first() == Some(&b'<');
    starts_with_tag || (is_html_type && !is_json_type && !looks_like_json(body))
}

fn looks_like_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_its_class() {
        let head = |status| ResponseHead { status, ..ResponseHead::default() };
        let mitigated = |status| ResponseHead { cf_mitigated: Some("challenge"), ..head(status) };
        let later = |status| ResponseHead { retry_after: Some("30"), ..head(status) };
        let html: &[u8] = b"<!DOCTYPE html><title>Just a moment...</title>";
        for (head, body, expected) in [
            (head(200), &b"{\"a\":1}"[..], Answer::Json),
            (head(200), html, Answer::Challenge),
            (head(200), b"\n  <html>", Answer::Challenge),
            (mitigated(403), html, Answer::Challenge),
            (mitigated(503), b"", Answer::Challenge),
            (head(403), html, Answer::Challenge),
            (head(403), b"{}", Answer::Unauthorized),
            (head(503), html, Answer::Challenge),
            (later(503), html, Answer::Throttled),
            (head(503), b"", Answer::Throttled),
            (head(429), html, Answer::Throttled),
            (head(401), b"{}", Answer::Unauthorized),
            (head(404), html, Answer::NotFound),
            (head(304), b"", Answer::NotModified),
        ] {
            assert_eq!(classify_response(head, body), expected, "{head:?}");
        }
    }

    #[test]
    fn faults_name_their_cause() {
        for (status, body, cause) in [
            (200, &b"{\"a\":"[..], "cut off after 5 bytes"),
            (200, b"", "cut off after 0 bytes"),
            (200, b"oops", "not JSON"),
            (200, b"\"\xff\"", "not UTF-8"),
            (500, b"{}", "HTTP 500"),
            (502, b"<html>", "HTTP 502"),
            (302, b"", "redirect"),
        ] {
            let head = ResponseHead { status, ..ResponseHead::default() };
            let Answer::Failed(message) = classify_response(head, body) else {
                panic!("{status} is a fault")
            };
            assert!(message.contains(cause), "{message}");
        }
    }
}
