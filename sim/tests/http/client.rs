//! A client plain enough to see malformed answers as they are.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use dicechess_sim::SimServer;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What came over the wire until the connection ended.
#[derive(Debug)]
pub(crate) struct Reply {
    /// 0 if there was none.
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    /// As sent: chunked if the headers say so.
    pub(crate) body: Vec<u8>,
    /// How the connection failed, if it did.
    pub(crate) failure: Option<io::ErrorKind>,
}

impl Reply {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

pub(crate) async fn get(server: &SimServer, path: &str) -> Reply {
    let auth = format!("authorization: Bearer {}\r\n", server.jwt());
    ask(server, "GET", path, &auth, "").await
}

pub(crate) async fn history(server: &SimServer, player: i64, first: usize, size: usize) -> Reply {
    let body = format!(
        r#"{{"filters":{{"PLAYER_ID":"{player}"}},"startBets":[],"allowedTimes":[],
            "pageSize":{size},"first":{first},"sortColumn":"DATE","isAsc":false}}"#
    );
    post(server, "/api/player/history", &body).await
}

pub(crate) async fn post(server: &SimServer, path: &str, body: &str) -> Reply {
    let headers =
        format!("authorization: Bearer {}\r\ncontent-type: application/json\r\n", server.jwt());
    ask(server, "POST", path, &headers, body).await
}

/// Sends a request and reads until the end, for ten seconds at most.
pub(crate) async fn ask(
    server: &SimServer,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Reply {
    let address = server.base_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let end = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut bytes)).await;
    let failure = match end {
        Ok(end) => end.err().map(|error| error.kind()),
        Err(_) => Some(io::ErrorKind::TimedOut),
    };
    parse(&bytes, failure)
}

fn parse(bytes: &[u8], failure: Option<io::ErrorKind>) -> Reply {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Reply { status: 0, headers: BTreeMap::new(), body: bytes.to_vec(), failure };
    };
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    Reply { status, headers, body: bytes[end + 4..].to_vec(), failure }
}
