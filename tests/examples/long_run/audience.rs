//! Somebody looks on: a dashboard stays open, and a Prometheus scrapes.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// Opens the live view of the pages and scrapes the metrics every 15 seconds until they are gone.
pub(super) fn look_on(pages: &str) {
    let address = pages.trim_start_matches("http://").to_owned();
    let live = address.clone();
    thread::spawn(move || read(&live, "/events"));
    thread::spawn(move || {
        while read(&address, "/metrics").is_some() {
            thread::sleep(Duration::from_secs(15));
        }
    });
}

/// Reads an answer to its end.
fn read(address: &str, path: &str) -> Option<()> {
    let mut stream = TcpStream::connect(address).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut buffer = [0; 16 * 1024];
    while stream.read(&mut buffer).ok()? > 0 {}
    Some(())
}
