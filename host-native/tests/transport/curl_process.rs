//! The curl process: what can be seen of it from outside, and that none is left behind.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dicechess_core::site::Endpoint;
use dicechess_sync::site::{
    CurlTransport, SiteAccess, SiteCredentials, SiteRequest, Transport, TransportError,
};
use tempfile::TempDir;
use tokio::time;

use crate::server::{Reaction, Server, ok};

const TOKEN: &str = "token-that-nobody-may-see";
/// All that curl may inherit; the program's own settings, which hold secrets, are not among it.
const INHERITED: [&str; 6] = [
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "CURL_CA_BUNDLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
const COOKIE: &str = "cf_clearance=cookie-that-nobody-may-see";

fn transport(curl: &Path, url: &str, timeout: Duration) -> CurlTransport {
    let credentials = SiteCredentials::new(Some(TOKEN.into()), Some(COOKIE.into())).unwrap();
    CurlTransport::new(curl, SiteAccess::new(url, credentials, "agent", timeout).unwrap())
}

fn request() -> SiteRequest {
    SiteRequest {
        endpoint: Endpoint::History,
        query: None,
        body: Some("{\"body\":\"that nobody may see\"}".to_owned()),
        validators: Vec::new(),
    }
}

/// A name for curl of this test's own, by which its process can be found.
fn own_curl(directory: &TempDir) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let curl = std::env::split_paths(&path).map(|folder| folder.join("curl")).find(|p| p.exists());
    let link = directory.path().join("curl");
    symlink(curl.expect("curl is installed"), &link).unwrap();
    link
}

/// The process that runs `program`.
fn process_of(program: &Path) -> Option<PathBuf> {
    let wanted = program.as_os_str().as_encoded_bytes();
    fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path()).find(|process| {
        fs::read(process.join("cmdline")).is_ok_and(|line| line.starts_with(wanted))
    })
}

async fn wait_until_gone(program: &Path) {
    for _ in 0..400 {
        if process_of(program).is_none() {
            return;
        }
        time::sleep(Duration::from_millis(5)).await;
    }
    panic!("curl is still running");
}

#[tokio::test]
async fn no_secret_is_in_the_arguments_or_the_environment() {
    let directory = TempDir::new().unwrap();
    let curl = own_curl(&directory);
    let server = Server::start(Reaction::Stall(Vec::new())).await;
    let transport = transport(&curl, &server.url, Duration::from_secs(20));
    let request = request();
    let sending = tokio::spawn(async move { transport.send(&request).await });
    server.received().await;
    assert!(server.requests()[0].contains(TOKEN), "the token is sent all the same");

    let process = process_of(&curl).expect("curl is waiting for the answer");
    let arguments = fs::read(process.join("cmdline")).unwrap();
    let expected = [curl.as_os_str().as_encoded_bytes(), b"\0-q\0--config\0-\0"].concat();
    assert_eq!(String::from_utf8_lossy(&arguments), String::from_utf8_lossy(&expected));
    let environment = fs::read(process.join("environ")).unwrap();
    for variable in String::from_utf8_lossy(&environment).split_terminator('\0') {
        let (name, value) = variable.split_once('=').unwrap();
        assert!(INHERITED.contains(&name), "{name}");
        assert!(!value.contains("nobody may see"));
    }
    sending.abort();
    wait_until_gone(&curl).await;
}

#[tokio::test]
async fn giving_up_a_request_ends_its_curl() {
    let directory = TempDir::new().unwrap();
    let curl = own_curl(&directory);
    let server = Server::start(Reaction::Stall(Vec::new())).await;
    let transport = transport(&curl, &server.url, Duration::from_secs(20));
    let request = request();
    tokio::select! {
        _ = transport.send(&request) => panic!("there is no answer"),
        () = server.received() => {}
    }
    wait_until_gone(&curl).await;
}

#[tokio::test]
async fn a_body_without_end_ends_its_curl() {
    let directory = TempDir::new().unwrap();
    let curl = own_curl(&directory);
    let endless = Reaction::Endless(b"HTTP/1.0 200 OK\r\n\r\n".to_vec(), vec![b'x'; 1 << 16]);
    let server = Server::start(endless).await;
    let outcome = transport(&curl, &server.url, Duration::from_secs(20)).send(&request()).await;
    assert!(matches!(outcome, Err(TransportError::TooLarge)), "{outcome:?}");
    assert_eq!(process_of(&curl), None);
}

#[tokio::test]
async fn a_machine_without_curl_gets_advice() {
    let outcome =
        transport(Path::new("/no/such/curl"), "http://127.0.0.1:9", Duration::from_secs(5))
            .send(&request())
            .await;
    let Err(TransportError::Unusable(message)) = outcome else { panic!("{outcome:?}") };
    for part in ["/no/such/curl", "CURL_BIN", "install it or set TRANSPORT=reqwest"] {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn a_program_that_is_not_curl_is_an_error() {
    for program in ["sh", "true", "false", "cat"] {
        let transport = transport(Path::new(program), "http://127.0.0.1:9", Duration::from_secs(5));
        let error = transport.send(&request()).await.unwrap_err().to_string();
        assert!(!error.contains("nobody-may-see"), "{program}: {error}");
    }
}

#[tokio::test]
async fn many_requests_at_once_do_not_disturb_each_other() {
    let server = Server::start(Reaction::Answer(ok("X-Way: loopback\r\n", &[b'x'; 100_000]))).await;
    let transport = transport(Path::new("curl"), &server.url, Duration::from_secs(20));
    let request = request();
    let all = futures_util::future::join_all((0..8).map(|_| transport.send(&request))).await;
    for response in all.into_iter().map(Result::unwrap) {
        assert_eq!((response.body.len(), response.header("x-way")), (100_000, Some("loopback")));
    }
}
