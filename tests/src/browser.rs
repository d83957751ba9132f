//! A browser: the plainest of HTTP clients, with an origin and perhaps a secret.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Whoever sends requests from an origin.
#[derive(Debug, Clone)]
pub struct Browser {
    address: String,
    headers: Vec<(String, String)>,
}

/// What it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The status line and the headers, in lower case.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Browser {
    /// At a server, such as `http://127.0.0.1:8787`, without an origin.
    pub fn at(base_url: &str) -> Self {
        Self { address: base_url.strip_prefix("http://").unwrap().to_owned(), headers: Vec::new() }
    }

    /// The same, on a page or in an extension of this origin.
    #[must_use]
    pub fn of_origin(&self, origin: &str) -> Self {
        self.with("Origin", origin)
    }

    /// The same, sending `Authorization: Bearer`.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        self.with("Authorization", &format!("Bearer {token}"))
    }

    /// The same, sending one more header.
    #[must_use]
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut other = self.clone();
        other.headers.push((name.to_owned(), value.to_owned()));
        other
    }

    /// `GET`.
    pub fn get(&self, path: &str) -> Answered {
        self.send("GET", path, b"")
    }

    /// `POST` of JSON.
    pub fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Answered {
        self.send("POST", path, body.as_ref())
    }

    /// The question before a `POST` from another site.
    pub fn preflight(&self, path: &str) -> Answered {
        self.with("Access-Control-Request-Method", "POST")
            .with("Access-Control-Request-Headers", "authorization,content-type")
            .with("Access-Control-Request-Private-Network", "true")
            .send("OPTIONS", path, b"")
    }

    /// Any request. A server that answers before it has read all is heard as well.
    pub fn send(&self, method: &str, path: &str, body: &[u8]) -> Answered {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in &self.headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answered { status, head: head.to_lowercase(), body: body.to_owned() }
    }
}

impl Answered {
    /// Fails the test unless it has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The `detail` of an error.
    #[track_caller]
    pub fn detail(&self) -> String {
        self.json()["detail"].as_str().unwrap().to_owned()
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}
