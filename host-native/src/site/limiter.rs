//! The one way to the site: every request passes here.
//!
//! Acts on the core's decisions: the distance between requests and the hourly budget
//! ([`dicechess_core::pacing`]), backoff after a throttle, the memory of a refusal, and what an
//! answer is. It owns the transport, so that no caller can go around it, and it keeps what it knows
//! in the store, so that a restart changes nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dicechess_core::pacing::{
    Backoff, Decision, Pacing, SiteBlock, WaitReason, parse_retry_after, token,
};
use dicechess_core::site::{Answer, classify_response};
use dicechess_core::time::UnixMillis;
use thiserror::Error;

use super::{SiteCredentials, SiteRequest, SiteResponse, Transport, TransportError};
use crate::clock::now;
use crate::shutdown::Shutdown;
use crate::store::{Store, StoreError};
use crate::telemetry::Telemetry;

/// Why the site gave nothing.
#[derive(Debug, Error)]
pub enum SiteError {
    /// The site refuses access; nothing is asked any more.
    #[error("{0}")]
    AccessRefused(String),
    /// Throttled, and every repeat too.
    #[error("throttled by the site, {0} repeats included")]
    Throttled(u32),
    /// There is no such thing.
    #[error("HTTP 404: the site does not know it")]
    NotFound,
    /// Another fault.
    #[error("{0}")]
    Failed(String),
    /// The transport cannot work at all.
    #[error("{0}")]
    Unusable(String),
    /// The hourly budget is spent and the caller does not wait.
    #[error("the hourly budget is spent until {0}")]
    BudgetSpent(UnixMillis),
    /// A stop was asked for while waiting.
    #[error("stopped")]
    Stopped,
    /// What the limiter knows cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How the limiter behaves.
#[derive(Debug, Clone, Copy)]
pub struct LimiterPolicy {
    /// Distances and budget.
    pub pacing: Pacing,
    /// Repeats of throttled requests.
    pub backoff: Backoff,
    /// A spent budget ends the pass instead of being waited for.
    pub no_wait: bool,
    /// A remembered refusal is tried again now.
    pub ignore_block: bool,
}

/// Hears of waits that are worth showing.
pub type WaitListener = Box<dyn Fn(WaitReason, UnixMillis) + Send + Sync>;

/// The limiter and the transport behind it.
pub struct LimitedSite {
    transport: Box<dyn Transport>,
    store: Arc<Store>,
    policy: LimiterPolicy,
    fingerprint: String,
    token_expiry: Option<UnixMillis>,
    shutdown: Shutdown,
    on_wait: WaitListener,
    telemetry: Arc<Telemetry>,
}

/// A wait shorter than this is the usual distance and not worth showing.
const SHORT_WAIT: Duration = Duration::from_secs(5);

impl LimitedSite {
    /// Puts a transport behind the limiter.
    pub fn new(
        transport: Box<dyn Transport>,
        store: Arc<Store>,
        policy: LimiterPolicy,
        credentials: &SiteCredentials,
        shutdown: Shutdown,
        on_wait: WaitListener,
        telemetry: Arc<Telemetry>,
    ) -> Self {
        Self {
            transport,
            store,
            policy,
            fingerprint: credentials.fingerprint(),
            token_expiry: credentials.with_token(token::expiry),
            shutdown,
            on_wait,
            telemetry,
        }
    }

    /// Asks the site once it may be asked, and repeats while it throttles.
    ///
    /// # Errors
    /// See [`SiteError`]. An `Ok` is well-formed JSON or a 304.
    pub async fn request(&self, request: &SiteRequest) -> Result<SiteResponse, SiteError> {
        let mut repeats = 0;
        loop {
            // What must not be sent need not be waited for.
            self.check_access()?;
            self.wait_for_turn().await?;
            // The wait may have been long, and tokens end.
            let is_remembered = self.check_access()?;
            self.store.record_site_request(request.endpoint, now())?;
            let response = match self.send(request).await {
                Ok(response) => response,
                Err(TransportError::Unusable(message)) => return Err(SiteError::Unusable(message)),
                Err(error) => return Err(SiteError::Failed(error.to_string())),
            };
            match classify_response(response.head(), &response.body) {
                Answer::Json | Answer::NotModified => {
                    if is_remembered {
                        self.store.clear_site_block()?;
                    }
                    return Ok(response);
                }
                Answer::Challenge => return Err(self.refused(challenge_advice())?),
                Answer::Unauthorized => return Err(self.refused(unauthorized_advice())?),
                Answer::NotFound => return Err(SiteError::NotFound),
                Answer::Failed(message) => return Err(SiteError::Failed(message)),
                Answer::Throttled => {
                    repeats += 1;
                    self.throttle(repeats, &response)?;
                    if repeats > self.policy.backoff.max_retries {
                        return Err(SiteError::Throttled(repeats - 1));
                    }
                }
            }
        }
    }

    async fn send(&self, request: &SiteRequest) -> Result<SiteResponse, TransportError> {
        let began = Instant::now();
        let answer = self.transport.send(request).await;
        let status = answer.as_ref().ok().map(|response| response.status);
        let took = began.elapsed();
        self.telemetry.site_answered(request.endpoint, status, took);
        tracing::debug!(
            endpoint = request.endpoint.name(),
            status,
            millis = took.as_millis() as u64,
            "the site was asked"
        );
        answer
    }

    /// Fails if the token has expired or a refusal still holds; tells whether one is remembered.
    fn check_access(&self) -> Result<bool, SiteError> {
        if let Some(expiry) = self.token_expiry.filter(|expiry| *expiry <= now()) {
            return Err(SiteError::AccessRefused(expired_advice(expiry)));
        }
        let Some(block) = self.store.site_block()? else { return Ok(false) };
        match block.blocked_until(&self.fingerprint, now(), self.policy.ignore_block) {
            None => Ok(true),
            Some(until) => Err(SiteError::AccessRefused(format!(
                "{} (refused at {}; the same credentials are tried again after {until}, changed \
                 ones at once, and --ignore-block tries now)",
                block.reason, block.since
            ))),
        }
    }

    async fn wait_for_turn(&self) -> Result<(), SiteError> {
        // One draw for each request: a new one at each look would let the wait grow.
        let random = rand::random();
        let mut shown = None;
        loop {
            let mut state = self.store.pacing_state(now())?;
            let Decision::Wait { until, why } =
                self.policy.pacing.decide(&mut state, now(), random)
            else {
                return if self.shutdown.is_requested() { Err(SiteError::Stopped) } else { Ok(()) };
            };
            if why == WaitReason::HourlyBudget && self.policy.no_wait {
                return Err(SiteError::BudgetSpent(until));
            }
            let wait = now().until(until);
            if wait > SHORT_WAIT && shown != Some(why) {
                (self.on_wait)(why, until);
                shown = Some(why);
            }
            let began = Instant::now();
            let is_stopped = tokio::select! {
                () = tokio::time::sleep(wait) => false,
                () = self.shutdown.requested() => true,
            };
            self.telemetry.site_waited(why, began.elapsed());
            if is_stopped {
                return Err(SiteError::Stopped);
            }
        }
    }

    /// Remembers that the site wants silence; after the last repeat too, for whoever asks next.
    fn throttle(&self, repeats: u32, response: &SiteResponse) -> Result<(), SiteError> {
        let backoff = self.policy.backoff;
        let retry_after =
            response.header("retry-after").and_then(|text| parse_retry_after(text, now()));
        let attempt = repeats.min(backoff.max_retries.max(1));
        let patient = Backoff { max_retries: backoff.max_retries.max(1), ..backoff };
        if let Some(silence) = patient.after_throttle(attempt, retry_after, rand::random()) {
            tracing::warn!(
                status = response.status,
                seconds = silence.as_millis().div_ceil(1000) as u64,
                "the site asks for silence"
            );
            self.store.set_throttled_until(Some(now() + silence))?;
        }
        Ok(())
    }

    fn refused(&self, reason: String) -> Result<SiteError, StoreError> {
        let block = SiteBlock {
            since: now(),
            fingerprint: self.fingerprint.clone(),
            reason: reason.clone(),
        };
        self.store.set_site_block(&block)?;
        Ok(SiteError::AccessRefused(reason))
    }
}

fn expired_advice(expiry: UnixMillis) -> String {
    format!(
        "the token expired at {expiry}: sign in on dicechess.com, copy the new token and set \
         DICECHESS_JWT (README: \"Where to find your token\")"
    )
}

fn unauthorized_advice() -> String {
    "the site does not accept the token: sign in on dicechess.com, copy the new token and set \
     DICECHESS_JWT (README: \"Where to find your token\")"
        .to_owned()
}

fn challenge_advice() -> String {
    "Cloudflare answered with a challenge: open dicechess.com in a browser on this machine, pass the \
     check, set DICECHESS_COOKIE to the cf_clearance cookie and USER_AGENT to that browser's, or \
     wait and ask less often"
        .to_owned()
}
