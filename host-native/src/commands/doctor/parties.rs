//! Analytics, archive and, when told to, the site.
//!
//! Decides what is asked of each so that nothing changes there.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dicechess_core::ids::UserId;
use dicechess_core::pacing::parse_http_date;
use dicechess_core::site::{Endpoint, HistoryRequest};
use dicechess_core::time::UnixMillis;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, DATE, USER_AGENT};
use reqwest::{RequestBuilder, Url};
use rustix::fs::{Access, access};
use secrecy::{ExposeSecret, SecretString};

use super::finding::Findings;
use super::machine::look_at_skew;
use crate::archive::ArchiveUrl;
use crate::config::{AnalyticsTarget, Config};
use crate::crawl::parties::{SitePolicy, open_site};
use crate::exit_code::Exit;
use crate::http_client::{SERVICE_USER_AGENT, below, build_client, error_chain};
use crate::progress::Progress;
use crate::shutdown::Shutdown;
use crate::site::{SiteError, SiteRequest};
use crate::store::{Contents, Lease, LeaseKeeper, Store};
use crate::telemetry::Telemetry;

const TIMEOUT: Duration = Duration::from_secs(10);

/// An answer, as far as it matters here.
struct Answer {
    status: u16,
    date: Option<UnixMillis>,
}

/// Whether games can be posted.
pub(super) async fn look_at_analytics(config: &Config, findings: &mut Findings) {
    let AnalyticsTarget::Remote(url) = &config.analytics else {
        let message = format!("embedded, in {}", config.analytics_db.display());
        return findings.ok("analytics", message);
    };
    // Malformed on purpose: a service that takes the token refuses the body, and keeps nothing.
    let answer = ask(url, |client| {
        let request =
            client.post(below(url, "/api/games")).header(CONTENT_TYPE, "application/json");
        authorized(request, config.ingest_token.as_ref()).body("{}")
    })
    .await;
    let shown = ArchiveUrl::Http(url.clone());
    match answer {
        Err(cause) => findings.problem(
            "analytics",
            Exit::StoppedEarly,
            format!("{shown} cannot be reached: {cause}"),
            "is it up, and is ANALYTICS_BASE_URL right? Games wait meanwhile and are posted later",
        ),
        Ok(Answer { status: 401 | 403, .. }) => findings.problem(
            "analytics",
            Exit::StoppedEarly,
            format!("{shown} does not accept INGEST_TOKEN"),
            "set INGEST_TOKEN (or INGEST_TOKEN_FILE) to the token of that service",
        ),
        Ok(Answer { status: 400 | 422, date }) => {
            findings.ok("analytics", format!("{shown} answers and accepts the token"));
            if let Some(date) = date {
                look_at_skew("analytics", date, findings);
            }
        }
        Ok(Answer { status, .. }) => findings.problem(
            "analytics",
            Exit::StoppedEarly,
            format!("{shown} answers HTTP {status}, as no analytics service would"),
            "does ANALYTICS_BASE_URL name the service itself, without /api?",
        ),
    }
}

/// Whether bundles can be mirrored.
pub(super) async fn look_at_archive(config: &Config, findings: &mut Findings) {
    match &config.archive {
        ArchiveUrl::None => findings.ok("archive", "switched off"),
        ArchiveUrl::Directory(path) => look_at_archive_directory(path, findings),
        ArchiveUrl::Http(url) => {
            let shown = &config.archive;
            match ask(url, |client| client.get(url.clone())).await {
                Err(cause) => findings.problem(
                    "archive",
                    Exit::StoppedEarly,
                    format!("{shown} cannot be reached: {cause}"),
                    "is it up, and is ARCHIVE_URL right? Bundles wait meanwhile",
                ),
                Ok(Answer { status: 401 | 403, .. }) => findings.problem(
                    "archive",
                    Exit::StoppedEarly,
                    format!("{shown} refuses the name or password"),
                    "correct the name and password in ARCHIVE_URL",
                ),
                Ok(Answer { status, date }) => {
                    findings.ok("archive", format!("{shown} answers (HTTP {status})"));
                    if let Some(date) = date {
                        look_at_skew("the archive", date, findings);
                    }
                }
            }
        }
    }
}

fn look_at_archive_directory(path: &Path, findings: &mut Findings) {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = absolute.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    let shown = path.display();
    if !existing.is_dir() {
        let message = format!("{} is no directory", existing.display());
        findings.problem("archive", Exit::Configuration, message, "correct ARCHIVE_URL");
    } else if let Err(error) = access(existing, Access::WRITE_OK | Access::EXEC_OK) {
        findings.problem(
            "archive",
            Exit::StoppedEarly,
            format!("{} cannot be written to: {error}", existing.display()),
            "mount it, or make it writable for this user; bundles wait meanwhile",
        );
    } else if existing == absolute {
        findings.ok("archive", format!("{shown} can be written to"));
    } else {
        findings.ok("archive", format!("{shown} will be made with the first bundle"));
    }
}

fn authorized(request: RequestBuilder, token: Option<&SecretString>) -> RequestBuilder {
    match token {
        Some(token) => request.header(AUTHORIZATION, format!("Bearer {}", token.expose_secret())),
        None => request,
    }
}

async fn ask(
    url: &Url,
    request: impl FnOnce(&reqwest::Client) -> RequestBuilder,
) -> Result<Answer, String> {
    let client = build_client(url, TIMEOUT).map_err(error_chain)?;
    let response = request(&client).header(USER_AGENT, SERVICE_USER_AGENT).send().await;
    let response = response.map_err(|error| match error.is_timeout() {
        true => format!("no answer within {} s", TIMEOUT.as_secs()),
        false => error_chain(error),
    })?;
    let date = response.headers().get(DATE).and_then(|date| date.to_str().ok());
    Ok(Answer { status: response.status().as_u16(), date: date.and_then(parse_http_date) })
}

/// Asks the site for one row of a history, as the crawl would: with the lease, through the limiter.
pub(super) async fn ask_site(
    config: &Config,
    contents: Option<&Contents>,
    findings: &mut Findings,
) {
    let not_asked = |findings: &mut Findings, why: &str, advice: &str| {
        findings.warning("site", format!("not asked: {why}"), advice.to_owned());
    };
    let Some(contents) = contents else {
        return not_asked(findings, "without a database no budget is kept", "crawl once");
    };
    if let Some(until) = contents.throttled_until {
        return not_asked(findings, &format!("it wants silence until {until}"), "wait");
    }
    let Some(player) = contents.some_player.or(config.seed_ids.first().copied()) else {
        return not_asked(findings, "no player is known to ask about", "set SEED_IDS");
    };
    let store = match Store::open_existing(&config.db_path) {
        Ok(store) => Arc::new(store),
        Err(error) => {
            let advice = "see the finding about the database";
            return findings.problem("site", Exit::Storage, error.to_string(), advice);
        }
    };
    match LeaseKeeper::take(&store, Shutdown::default()) {
        Ok(Lease::Taken(lease)) => {
            let answer = ask_for_a_row(config, &store, player).await;
            report_site(answer, findings);
            if let Err(error) = lease.release().await {
                findings.warning("site", error.to_string(), "run again");
            }
        }
        Ok(Lease::Held { by, .. }) => not_asked(
            findings,
            &format!("process {} crawls and asks it", by.pid),
            "look at its log, or at the finding about site access",
        ),
        Err(error) => {
            let advice = "see the finding about the database";
            findings.problem("site", Exit::Storage, error.to_string(), advice);
        }
    }
}

async fn ask_for_a_row(
    config: &Config,
    store: &Arc<Store>,
    player: UserId,
) -> Result<Option<UnixMillis>, SiteError> {
    // A refusal that is remembered is what somebody who asks wants to see gone.
    let policy = SitePolicy { no_wait: true, ignore_block: true };
    let telemetry = Arc::new(Telemetry::new());
    let progress = Progress::silent();
    let site = open_site(config, store, policy, &telemetry, &progress, &Shutdown::default())
        .map_err(|error| SiteError::Unusable(error.to_string()))?;
    let body = HistoryRequest { player, start_date: None, page_size: 1, first: 0 }.to_json();
    let request = SiteRequest {
        endpoint: Endpoint::History,
        query: None,
        body: Some(body),
        validators: Vec::new(),
    };
    let response = site.request(&request).await?;
    Ok(response.header("date").and_then(parse_http_date))
}

fn report_site(answer: Result<Option<UnixMillis>, SiteError>, findings: &mut Findings) {
    let advice = "`dicechess-sync status` shows what is remembered";
    match answer {
        Ok(date) => {
            findings.ok("site", "it lets us in");
            if let Some(date) = date {
                look_at_skew("the site", date, findings);
            }
        }
        Err(error @ SiteError::BudgetSpent(_)) => {
            findings.warning("site", format!("not asked: {error}"), "ask again later");
        }
        Err(error @ SiteError::AccessRefused(_)) => {
            findings.problem("site", Exit::SiteRefused, error.to_string(), advice);
        }
        Err(error @ SiteError::Unusable(_)) => {
            findings.problem("site", Exit::Configuration, error.to_string(), advice);
        }
        Err(error @ SiteError::Store(_)) => {
            findings.problem("site", Exit::Storage, error.to_string(), advice);
        }
        Err(
            error @ (SiteError::Throttled(_)
            | SiteError::NotFound
            | SiteError::Failed(_)
            | SiteError::Stopped),
        ) => {
            let advice = "is the machine online? If others cannot reach the site either, wait";
            findings.problem("site", Exit::StoppedEarly, error.to_string(), advice);
        }
    }
}
