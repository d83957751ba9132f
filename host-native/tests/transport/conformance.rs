//! Both transports must bring the same answers and the same classes of errors.

use std::time::Duration;

use dicechess_core::site::Endpoint;
use dicechess_sync::site::{
    BODY_LIMIT, CurlTransport, ReqwestTransport, SiteAccess, SiteCredentials, SiteRequest,
    SiteResponse, Transport, TransportError,
};

use crate::server::{Reaction, Server, answer, ok};

const TOKEN: &str = "eyJ0b2tlbg.\"quoted\".back\\slash";
const COOKIE: &str = "cf_clearance=clear'ance; other=\"\\n\"";
const AGENT: &str = "dicechess-sync/test (mailto:operator@example.org)";

const JSON: &str = "{\"name\":\"Ünïcode ♞ \\u0000\"}";
/// [`JSON`] under gzip.
#[rustfmt::skip]
const GZIPPED: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56, 0xca, 0x4b, 0xcc,
    0x4d, 0x55, 0xb2, 0x52, 0x3a, 0x3c, 0x27, 0xef, 0xf0, 0xfa, 0xe4, 0xfc, 0x94, 0x54, 0x85,
    0x47, 0x33, 0xe7, 0x29, 0xc4, 0x94, 0x1a, 0x00, 0x81, 0x52, 0x2d, 0x00, 0x05, 0xda, 0x14,
    0xe9, 0x1f, 0x00, 0x00, 0x00,
];

type Outcome = Result<SiteResponse, TransportError>;

fn access(base_url: &str, timeout: Duration) -> SiteAccess {
    let credentials = SiteCredentials::new(Some(TOKEN.into()), Some(COOKIE.into())).unwrap();
    SiteAccess::new(base_url, credentials, AGENT, timeout).unwrap()
}

fn both(base_url: &str, timeout: Duration) -> [(&'static str, Box<dyn Transport>); 2] {
    let access = access(base_url, timeout);
    [
        ("reqwest", Box::new(ReqwestTransport::new(access.clone()).unwrap())),
        ("curl", Box::new(CurlTransport::new("curl", access))),
    ]
}

fn get() -> SiteRequest {
    SiteRequest {
        endpoint: Endpoint::MoveHistory,
        query: Some("gameId=0b5f1c3e-9a77-4c11-8e55-00000000abcd".to_owned()),
        body: None,
        validators: Vec::new(),
    }
}

/// Sends a request over both transports, to a server each.
async fn over_both(reaction: Reaction, request: &SiteRequest) -> [(&'static str, Outcome); 2] {
    let server = Server::start(reaction).await;
    let [one, two] = both(&server.url, Duration::from_secs(20));
    [(one.0, one.1.send(request).await), (two.0, two.1.send(request).await)]
}

async fn bodies_are(bytes: Vec<u8>, expected: &[u8]) {
    for (name, outcome) in over_both(Reaction::Answer(bytes), &get()).await {
        let response = outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(response.status, 200, "{name}");
        assert!(response.body == expected, "{name}: {} bytes", response.body.len());
    }
}

fn class(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(_) => "answer",
        Err(TransportError::Timeout(_)) => "timeout",
        Err(TransportError::TooLarge) => "too large",
        Err(TransportError::Truncated(_)) => "truncated",
        Err(TransportError::Connection(_)) => "connection",
        Err(TransportError::Tls(_)) => "tls",
        Err(TransportError::Unusable(_)) => "unusable",
    }
}

fn assert_class(name: &str, outcome: &Outcome, expected: &str) {
    assert_eq!(class(outcome), expected, "{name}: {:?}", outcome.as_ref().err());
    let message = outcome.as_ref().map_or_else(ToString::to_string, |_| String::new());
    for secret in [TOKEN, COOKIE, "clear'ance"] {
        assert!(!message.contains(secret), "{name}: {message}");
    }
}

async fn faults_are(reaction: Reaction, expected: &str) {
    for (name, outcome) in over_both(reaction, &get()).await {
        assert_class(name, &outcome, expected);
    }
}

#[tokio::test]
async fn bodies_arrive_byte_for_byte() {
    let json = "Content-Type: application/json\r\n";
    bodies_are(ok(json, JSON.as_bytes()), JSON.as_bytes()).await;
    bodies_are(ok(json, b""), b"").await;
    bodies_are(ok(json, b"\0\xff\r\n\r\nHTTP/1.1 500 x"), b"\0\xff\r\n\r\nHTTP/1.1 500 x").await;
    let gzip = format!("{json}Content-Encoding: gzip\r\n");
    bodies_are(ok(&gzip, GZIPPED), JSON.as_bytes()).await;
    let close_delimited = [b"HTTP/1.0 200 OK\r\n\r\n".as_slice(), JSON.as_bytes()].concat();
    bodies_are(close_delimited, JSON.as_bytes()).await;
}

#[tokio::test]
async fn chunks_interim_answers_and_trailers_are_not_in_the_way() {
    let chunked = [
        "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"a\"\r\nETag: \"b\"\r\n\r\n",
        "3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nX-Sum: 7\r\n\r\n",
    ]
    .concat();
    for (name, outcome) in over_both(Reaction::Answer(chunked.into()), &get()).await {
        let response = outcome.unwrap();
        assert_eq!(response.status, 200, "{name}");
        assert_eq!(response.body, b"{\"a\":1}", "{name}");
        assert_eq!(response.header("etag"), Some("\"a\""), "{name}");
        assert_eq!(response.header("link"), None, "{name}");
        assert_eq!(response.header("x-sum"), None, "{name}");
    }
}

#[tokio::test]
async fn a_post_carries_the_body_and_all_headers() {
    let body = "{\"filters\":{\"PLAYER_ID\":\"12\"},\"x\":\"\\\\ \\\" ü\n\t@\"}";
    let request = SiteRequest {
        endpoint: Endpoint::History,
        query: None,
        body: Some(body.to_owned()),
        validators: Vec::new(),
    };
    let server = Server::start(Reaction::Answer(ok("", b"{}"))).await;
    let base_url = format!("{}/below/", server.url);
    for (name, transport) in both(&base_url, Duration::from_secs(20)) {
        transport.send(&request).await.unwrap();
        let received = server.requests().pop().unwrap();
        let (head, sent) = received.split_once("\r\n\r\n").unwrap();
        assert_eq!(sent, body, "{name}");
        let mut lines = head.lines();
        assert_eq!(lines.next(), Some("POST /below/api/player/history HTTP/1.1"), "{name}");
        let mut headers: Vec<_> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(n, v)| (n.to_lowercase(), v))
            .collect();
        // How each program asks for compression is its own affair.
        headers.retain(|(name, _)| name != "accept-encoding");
        headers.sort();
        let expected = [
            ("accept", "application/json".to_owned()),
            ("authorization", format!("Bearer {TOKEN}")),
            ("content-length", body.len().to_string()),
            ("content-type", "application/json".to_owned()),
            ("cookie", COOKIE.to_owned()),
            ("host", server.url.trim_start_matches("http://").to_owned()),
            ("user-agent", AGENT.to_owned()),
        ];
        let expected =
            expected.each_ref().map(|(name, value)| ((*name).to_owned(), value.as_str()));
        assert_eq!(headers, expected, "{name}");
    }
}

#[tokio::test]
async fn validators_are_sent_and_a_304_comes_back() {
    let request = SiteRequest {
        endpoint: Endpoint::Leaderboard,
        validators: vec![
            ("If-None-Match", "W/\"v\\1\"".to_owned()),
            ("If-Modified-Since", "Mon, 30 Mar 2026 20:08:44 GMT".to_owned()),
            ("If-Match", "line\nbreak".to_owned()),
        ],
        query: None,
        body: None,
    };
    let not_modified = b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n".to_vec();
    let server = Server::start(Reaction::Answer(not_modified)).await;
    for (name, transport) in both(&server.url, Duration::from_secs(20)) {
        let response = transport.send(&request).await.unwrap();
        assert_eq!((response.status, response.body.len()), (304, 0), "{name}");
        let received = server.requests().pop().unwrap().to_lowercase();
        assert!(received.starts_with("get /api/leaderboard http/1.1"), "{name}: {received}");
        assert!(received.contains("if-none-match: w/\"v\\1\"\r\n"), "{name}: {received}");
        assert!(received.contains("if-modified-since: mon, 30 mar 2026"), "{name}: {received}");
        assert!(!received.contains("line"), "{name}: {received}");
    }
}

#[tokio::test]
async fn refusals_and_redirects_are_answers() {
    for (status, headers, header, value) in [
        ("403 Forbidden", "CF-Mitigated: challenge\r\n", "cf-mitigated", "challenge"),
        ("429 Too Many Requests", "Retry-After: 120\r\n", "retry-after", "120"),
        (
            "401 Unauthorized",
            "Content-Type: application/json\r\n",
            "content-type",
            "application/json",
        ),
        ("302 Found", "Location: /elsewhere\r\n", "location", "/elsewhere"),
        ("503 Service Unavailable", "Retry-After: 5\r\n", "retry-after", "5"),
    ] {
        let bytes = answer(status, headers, b"<html>no</html>");
        for (name, outcome) in over_both(Reaction::Answer(bytes), &get()).await {
            let response = outcome.unwrap();
            assert!(status.starts_with(&response.status.to_string()), "{name}: {status}");
            assert_eq!(response.header(header), Some(value), "{name}");
            assert_eq!(response.body, b"<html>no</html>", "{name}");
        }
    }
}

#[tokio::test]
async fn a_broken_connection_has_its_class() {
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half\"".to_vec();
    let half_chunk = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a".to_vec();
    faults_are(Reaction::Reset(Vec::new()), "connection").await;
    faults_are(Reaction::Answer(Vec::new()), "connection").await;
    faults_are(Reaction::Answer(b"HTTP/1.1 200 OK\r\nX-Half: 1".to_vec()), "connection").await;
    faults_are(Reaction::Answer(b"no HTTP at all\r\n\r\n".to_vec()), "connection").await;
    faults_are(Reaction::Answer(half.clone()), "truncated").await;
    faults_are(Reaction::Answer(half_chunk), "truncated").await;
    faults_are(Reaction::Reset(half), "truncated").await;
    let garbled = ok("Content-Encoding: gzip\r\n", b"this is not gzip, not at all");
    faults_are(Reaction::Answer(garbled), "truncated").await;
}

#[tokio::test]
async fn nothing_listening_is_a_failed_connection() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for url in [format!("http://{unused}"), "http://no-such-host.invalid".to_owned()] {
        for (name, transport) in both(&url, Duration::from_secs(20)) {
            assert_class(name, &transport.send(&get()).await, "connection");
        }
    }
}

#[tokio::test]
async fn no_tls_where_it_is_due_is_a_tls_error() {
    let server = Server::start(Reaction::Blurt(answer("400 Bad Request", "", b"plain HTTP"))).await;
    let url = server.url.replace("http://", "https://");
    for (name, transport) in both(&url, Duration::from_secs(20)) {
        assert_class(name, &transport.send(&get()).await, "tls");
    }
}

#[tokio::test]
async fn a_stall_anywhere_is_a_timeout() {
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half\"".to_vec();
    for begun in [Vec::new(), b"HTTP/1.1 200 OK\r\n".to_vec(), half] {
        let server = Server::start(Reaction::Stall(begun)).await;
        for (name, transport) in both(&server.url, Duration::from_millis(400)) {
            let outcome = transport.send(&get()).await;
            assert_class(name, &outcome, "timeout");
            let message = outcome.unwrap_err().to_string();
            assert_eq!(message, "no answer within 0.4 s", "{name}");
        }
    }
}

#[tokio::test]
async fn a_body_may_have_32_mib_and_no_more() {
    let largest = vec![b'x'; BODY_LIMIT];
    bodies_are(ok("", &largest), &largest).await;
    faults_are(Reaction::Answer(ok("", &vec![b'x'; BODY_LIMIT + 1])), "too large").await;
    let chunk = [format!("{:x}\r\n", 1 << 20).as_bytes(), &[b'x'; 1 << 20], b"\r\n"].concat();
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    faults_are(Reaction::Endless(head, chunk), "too large").await;
}

#[tokio::test]
async fn the_limit_holds_for_what_is_unpacked() {
    let bomb = gzip_of_zeros(BODY_LIMIT + 1);
    assert!(bomb.len() < 256 * 1024);
    let bomb = ok("Content-Encoding: gzip\r\n", &bomb);
    faults_are(Reaction::Answer(bomb), "too large").await;
}

/// The beginning of a gzip stream that unpacks to at least `length` zeros: one literal zero, then
/// copies of the 258 bytes before, in fixed Huffman codes.
fn gzip_of_zeros(length: usize) -> Vec<u8> {
    let mut bits = vec![1, 1, 0];
    bits.extend([0, 0, 1, 1, 0, 0, 0, 0]);
    for _ in 0..length.div_ceil(258) {
        bits.extend([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
    }
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let packed = bits.chunks(8).map(|byte| {
        byte.iter().enumerate().fold(0u8, |packed, (index, bit)| packed | bit << index)
    });
    header.into_iter().chain(packed).collect()
}
