//! The transport that runs the system's curl, once per request.
//!
//! Decides how curl is started and stopped: all it needs goes through its standard input, so no
//! secret is in an argument list or an environment; it is killed when the request is given up, and
//! ends itself at the timeout should this process be killed. `config` writes what it reads,
//! `report` reads the headers it writes, `exit` tells what its exit code means.

mod config;
mod exit;
mod report;

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::future::BoxFuture;
use secrecy::{ExposeSecret, SecretString};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time;

use self::exit::failure;
use self::report::Report;
use super::{BODY_LIMIT, SiteAccess, SiteRequest, SiteResponse, Transport, TransportError};

/// Asks the site through the program curl (7.68 or later).
#[derive(Debug, Clone)]
pub struct CurlTransport {
    curl: PathBuf,
    access: SiteAccess,
}

impl CurlTransport {
    /// Uses the program at `curl`, or of that name in `PATH`. Whether it exists shows at the first
    /// request.
    pub fn new(curl: impl Into<PathBuf>, access: SiteAccess) -> Self {
        Self { curl: curl.into(), access }
    }

    async fn run(&self, request: &SiteRequest) -> Result<SiteResponse, TransportError> {
        let mut child = self.start()?;
        let config = config::render(&self.access, request);
        let outcome = converse(&mut child, &config).await;
        if outcome.is_err() {
            // Killed and waited for here, so that no curl is left behind when this returns.
            let _ = child.kill().await;
        }
        let (status, body, report) = outcome?;
        let report = Report::parse(&report);
        let failed = |has_head| failure(&self.access, status, has_head, &report.error);
        match report.head {
            Some(head) if status.success() => {
                Ok(SiteResponse { status: head.status, headers: head.headers, body })
            }
            head => Err(failed(head.is_some())),
        }
    }

    fn start(&self) -> Result<Child, TransportError> {
        let inherited = INHERITED.iter().filter_map(|name| Some((name, env::var_os(name)?)));
        let mut command = Command::new(&self.curl);
        command
            .args(["-q", "--config", "-"])
            .env_clear()
            .envs(inherited)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // Ctrl-C in the terminal asks us to stop; it is not curl that fails.
        #[cfg(unix)]
        command.process_group(0);
        command.spawn().map_err(|error| self.not_started(&error))
    }

    fn not_started(&self, error: &io::Error) -> TransportError {
        TransportError::Unusable(format!(
            "TRANSPORT=curl needs the program curl, but {:?} (CURL_BIN) cannot be started: {error}; \
             install it or set TRANSPORT=reqwest",
            self.curl
        ))
    }
}

impl Transport for CurlTransport {
    fn send<'a>(
        &'a self,
        request: &'a SiteRequest,
    ) -> BoxFuture<'a, Result<SiteResponse, TransportError>> {
        Box::pin(async move {
            let limit = self.access.timeout() + GRACE;
            let outcome = time::timeout(limit, self.run(request)).await;
            outcome.unwrap_or_else(|_| Err(self.access.timed_out()))
        })
    }
}

/// Gives curl its configuration and takes all it writes: body and report.
async fn converse(
    child: &mut Child,
    config: &SecretString,
) -> Result<(ExitStatus, Vec<u8>, Vec<u8>), TransportError> {
    let lost = || TransportError::Unusable("curl's standard streams are gone".to_owned());
    let mut stdin = child.stdin.take().ok_or_else(lost)?;
    let stdout = child.stdout.take().ok_or_else(lost)?;
    let stderr = child.stderr.take().ok_or_else(lost)?;
    let write = async {
        // A curl that ended early does not read; its exit code says why.
        let _ = stdin.write_all(config.expose_secret().as_bytes()).await;
        drop(stdin);
        Ok(())
    };
    let long_report = TransportError::Connection("the headers are longer than 1 MiB".to_owned());
    let ((), body, report) = tokio::try_join!(
        write,
        read_up_to(stdout, BODY_LIMIT, TransportError::TooLarge),
        read_up_to(stderr, REPORT_LIMIT, long_report),
    )?;
    let status = child.wait().await.map_err(|error| unreadable(&error))?;
    Ok((status, body, report))
}

async fn read_up_to(
    stream: impl AsyncRead + Unpin,
    limit: usize,
    too_long: TransportError,
) -> Result<Vec<u8>, TransportError> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    stream.take(most).read_to_end(&mut bytes).await.map_err(|error| unreadable(&error))?;
    if bytes.len() > limit { Err(too_long) } else { Ok(bytes) }
}

fn unreadable(error: &io::Error) -> TransportError {
    TransportError::Unusable(format!("curl cannot be read: {error}"))
}

/// Beyond its own timeout, curl gets this long to say so before it is killed.
const GRACE: Duration = Duration::from_secs(1);

/// The longest report (headers and error message) that is read, in bytes.
const REPORT_LIMIT: usize = 1024 * 1024;

/// All that curl inherits of our environment, which may hold secrets: where programs, libraries and
/// certificates are.
const INHERITED: [&str; 6] = [
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "CURL_CA_BUNDLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];
