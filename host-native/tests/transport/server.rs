//! A server that answers every request on a loopback port in one prescribed way, byte for byte.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time;

/// What the server does with a connection.
#[derive(Clone)]
pub(crate) enum Reaction {
    /// Reads the request, writes these bytes and closes.
    Answer(Vec<u8>),
    /// Writes these bytes without reading first, and closes.
    Blurt(Vec<u8>),
    /// Reads the request, writes these bytes and resets the connection.
    Reset(Vec<u8>),
    /// Reads the request, writes these bytes and then nothing more.
    Stall(Vec<u8>),
    /// Reads the request, writes the first bytes, and the second ones until the client has enough.
    Endless(Vec<u8>, Vec<u8>),
}

/// The running server; it stops when dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(reaction: Reaction) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, reaction.clone(), Arc::clone(&seen)));
            }
        });
        Self { url, requests, task }
    }

    /// The requests received so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a request has come.
    pub(crate) async fn received(&self) {
        while self.requests.lock().unwrap().is_empty() {
            time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A 200 answer with these header lines and this body; the length is added.
pub(crate) fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    answer("200 OK", headers, body)
}

/// An answer with these header lines and this body; the length is added.
pub(crate) fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

async fn serve(mut stream: TcpStream, reaction: Reaction, seen: Arc<Mutex<Vec<String>>>) {
    if !matches!(reaction, Reaction::Blurt(_)) {
        let Some(request) = read_request(&mut stream).await else { return };
        seen.lock().unwrap().push(request);
    }
    match reaction {
        Reaction::Answer(bytes) | Reaction::Blurt(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            // Closing with unread input would reset the connection and take the answer with it.
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
        Reaction::Reset(bytes) => {
            let _ = stream.write_all(&bytes).await;
            // Lets the client read what came before the reset, which discards all else.
            time::sleep(Duration::from_millis(200)).await;
            stream.set_zero_linger().unwrap();
        }
        Reaction::Stall(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
        Reaction::Endless(first, again) => {
            let _ = stream.write_all(&first).await;
            while stream.write_all(&again).await.is_ok() {}
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(text.into_owned());
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}
