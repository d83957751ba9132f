//! An answer before it is sent, and how it is sent.
//!
//! Decides what faults make of a finished answer: another status, another body, or a body that does
//! not arrive as announced.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use dicechess_core::time::UnixMillis;
use futures_util::stream::{self, StreamExt};

use super::connection::ResetSwitch;
use super::fault::{Fault, RetryAfter};

/// What is going to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    pub(super) delivery: Delivery,
}

/// How it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Whole,
    /// Not at all.
    Reset,
    /// Announced as whole, cut in the middle.
    Cut,
    /// Behind white space beyond any limit.
    Oversized,
    /// Late.
    Late(u64),
    /// The second half late.
    HalfLate(u64),
}

impl Answer {
    pub(super) fn json(status: u16, body: impl Into<String>) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self { status, headers, body: body.into(), delivery: Delivery::Whole }
    }

    pub(super) fn unauthorized() -> Self {
        Self::json(401, "{\"error\":\"Unauthorized\"}")
    }

    pub(super) fn not_found() -> Self {
        Self::json(404, "{\"error\":\"Not Found\"}")
    }

    fn html(status: u16) -> Self {
        let headers = vec![("content-type", "text/html; charset=UTF-8".to_owned())];
        Self { status, headers, body: CHALLENGE.to_owned(), delivery: Delivery::Whole }
    }

    fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    fn delivered(self, delivery: Delivery) -> Self {
        Self { delivery, ..self }
    }

    /// What a fault makes of the right answer. Faults of contents were worked in before.
    pub(super) fn struck_by(self, fault: &Fault, now: UnixMillis) -> Self {
        match fault {
            Fault::Unauthorized => Self::unauthorized(),
            Fault::Challenge { status } => {
                Self::html(*status).with("cf-mitigated", "challenge".to_owned())
            }
            Fault::Html => Self::html(200),
            Fault::TooManyRequests { retry_after } => Self::later(429, *retry_after, now),
            Fault::Unavailable { retry_after } => Self::later(503, *retry_after, now),
            Fault::NotFound => Self::not_found(),
            Fault::Status { status } => Self::json(*status, "{\"error\":\"Server Error\"}"),
            Fault::Reset => Self { status: 0, ..self }.delivered(Delivery::Reset),
            Fault::CutBody => self.delivered(Delivery::Cut),
            Fault::TruncatedJson => Self { body: half(&self.body).0.to_owned(), ..self },
            Fault::NotJson => Self { body: "upstream says no\n".to_owned(), ..self },
            Fault::Oversized => self.delivered(Delivery::Oversized),
            Fault::Stall { millis } => self.delivered(Delivery::Late(*millis)),
            Fault::StallBody { millis } => self.delivered(Delivery::HalfLate(*millis)),
            _ => self,
        }
    }

    fn later(status: u16, retry_after: RetryAfter, now: UnixMillis) -> Self {
        let answer = Self::json(status, "{\"error\":\"Try Again Later\"}");
        match retry_after {
            RetryAfter::Absent => answer,
            RetryAfter::Seconds(seconds) => answer.with("retry-after", seconds.to_string()),
            RetryAfter::DateIn(seconds) => {
                answer.with("retry-after", http_date(now + Duration::from_secs(seconds)))
            }
        }
    }

    /// Sends the answer. `stop` resolves when the server shuts down and cuts waiting short.
    pub(super) async fn send(
        self,
        reset: &ResetSwitch,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Response {
        match self.delivery {
            Delivery::Whole => self.response(|body| Body::from(body.to_owned())),
            Delivery::Reset => {
                reset.throw();
                Response::new(Body::empty())
            }
            Delivery::Cut => {
                let length = self.body.len().to_string();
                let answer = self.with("content-length", length);
                answer.response(|body| cut(half(body).0))
            }
            Delivery::Oversized => self.response(|body| padded(body.to_owned())),
            Delivery::Late(millis) => {
                wait(millis, stop).await;
                self.response(|body| Body::from(body.to_owned()))
            }
            Delivery::HalfLate(millis) => self.response(|body| half_late(body, millis, stop)),
        }
    }

    fn response(self, body: impl FnOnce(&str) -> Body) -> Response {
        let mut response = Response::new(body(&self.body));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_GATEWAY);
        response.headers_mut().insert(header::SERVER, HeaderValue::from_static("cloudflare"));
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(HeaderName::from_static(name), value);
            }
        }
        response
    }
}

const CHALLENGE: &str = "<!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment...</title>\
    </head><body>Enable JavaScript and cookies to continue</body></html>";

/// A text in two halves.
fn half(text: &str) -> (&str, &str) {
    let middle = (text.len() / 2..text.len()).find(|place| text.is_char_boundary(*place));
    text.split_at(middle.unwrap_or(0))
}

async fn wait(millis: u64, stop: impl Future<Output = ()>) {
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(millis)) => {}
        () = stop => {}
    }
}

/// The beginning of a body and then an error, upon which the connection is closed.
fn cut(beginning: &str) -> Body {
    let beginning = Ok(Bytes::from(beginning.to_owned()));
    let failure = Err(io::Error::other("the body is cut on purpose"));
    // The pause lets the beginning go out before the failure closes the connection.
    let failure = stream::once(async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        failure
    });
    Body::from_stream(stream::iter([beginning]).chain(failure))
}

fn padded(body: String) -> Body {
    const CHUNK: &[u8] = &[b' '; 1 << 16];
    let padding = stream::iter((0..528).map(|_| Bytes::from_static(CHUNK)));
    let body = stream::iter([Bytes::from(body)]);
    Body::from_stream(padding.chain(body).map(Ok::<_, Infallible>))
}

fn half_late(body: &str, millis: u64, stop: impl Future<Output = ()> + Send + 'static) -> Body {
    let (head, tail) = half(body);
    let (head, tail) = (Bytes::from(head.to_owned()), Bytes::from(tail.to_owned()));
    let tail = stream::once(async move {
        wait(millis, stop).await;
        tail
    });
    Body::from_stream(stream::iter([head]).chain(tail).map(Ok::<_, Infallible>))
}

/// A date as HTTP writes it (RFC 9110, section 5.6.7).
fn http_date(at: UnixMillis) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let iso = at.to_string();
    let weekday = at.0.div_euclid(86_400_000).rem_euclid(7) as usize;
    let month = iso[5..7].parse::<usize>().map_or(0, |month| month - 1);
    let (year, day, time) = (&iso[..4], &iso[8..10], &iso[11..19]);
    format!("{}, {day} {} {year} {time} GMT", DAYS[weekday], MONTHS[month])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_dates() {
        let at = UnixMillis::parse_iso("1994-11-06T08:49:37Z").unwrap();
        assert_eq!(http_date(at), "Sun, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn halves_respect_characters() {
        assert_eq!(half("éé"), ("é", "é"));
        assert_eq!(half(""), ("", ""));
    }
}
