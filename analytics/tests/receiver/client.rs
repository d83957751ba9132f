//! A server on loopback and the plainest of clients.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use dicechess_analytics::{Receiver, router};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub(crate) const TOKEN: &str = "a-token-for-tests";

/// The router on a port of its own.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) folder: TempDir,
    _runtime: Runtime,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with_token(Some(TOKEN))
    }

    pub(crate) fn with_token(token: Option<&str>) -> Self {
        Self::serving(|path| router(Arc::new(Receiver::open(path).unwrap()), token.map(Into::into)))
    }

    /// Serves what is made for a store's path.
    pub(crate) fn serving(app: impl FnOnce(&Path) -> Router) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let app = app(&store(folder.path()));
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async { axum::serve(listener, app).await });
        Self { address, folder, _runtime: runtime }
    }

    pub(crate) fn post(&self, body: impl AsRef<[u8]>) -> Answer {
        self.send("POST", "/api/games", &bearer(TOKEN), body.as_ref())
    }

    pub(crate) fn put(&self, id: &str, body: impl AsRef<[u8]>) -> Answer {
        self.send("PUT", &format!("/api/games/{id}"), &bearer(TOKEN), body.as_ref())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", b"")
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}");
        let mut request = format!("{head}Content-Length: {length}\r\n\r\n").into_bytes();
        request.extend_from_slice(body);
        self.exchange(&request)
    }

    /// Sends bytes as they are and reads the one answer.
    pub(crate) fn exchange(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request).unwrap();
        read_answer(&mut stream)
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert!(self.head.contains("content-type: application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn detail(&self) -> String {
        self.json()["detail"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn store(folder: &Path) -> std::path::PathBuf {
    folder.join("analytics.db")
}

pub(crate) fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

fn read_answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let (head, body) = split(&bytes);
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length.is_some_and(|length| body.len() >= length.parse().unwrap()) {
            let status = head.split(' ').nth(1).unwrap().parse().unwrap();
            return Answer { status, head, body };
        }
        match stream.read(&mut chunk) {
            Ok(0) => panic!("the connection closed after {head:?}"),
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => panic!("{error} after {head:?}"),
        }
    }
}

fn split(bytes: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
    (head.to_lowercase(), body.to_owned())
}
