//! The simulated site on a loopback port.
//!
//! Decides how the server is started, steered and stopped.
//!
//! | file | decides |
//! |---|---|
//! | `site_api` | what the site answers |
//! | `pages` | what there is to open in a browser |
//! | `control` | the control API under `/sim` |
//! | `fault` | which faults there are and which requests they strike |
//! | `spoil`, `answer` | what a fault does to an answer |
//! | `connection` | how a connection is reset |
//! | `token` | who is let in |

mod answer;
mod connection;
mod control;
mod fault;
mod pages;
mod site_api;
mod spoil;
mod token;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dicechess_core::ids::GameId;
use dicechess_core::time::UnixMillis;
use serde::Serialize;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::world::{NewGames, World};
use connection::{ResetSwitch, ResettableListener};
use fault::FaultRules;
pub use fault::{BrokenEntry, Endpoint, Fault, FaultRule, MissingMap, RetryAfter, When};
pub use token::{TokenCheck, unsigned_jwt};

/// How the site is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimOptions {
    /// Where to listen: a loopback address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The token that an operator is given.
    pub jwt: String,
    /// Which tokens are let in.
    pub token: TokenCheck,
    /// The most rows that a page has, whatever is asked for.
    pub page_size_cap: Option<usize>,
}

impl Default for SimOptions {
    /// A free port and a token that lasts until 2100.
    fn default() -> Self {
        let jwt = unsigned_jwt(4_102_444_800);
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            token: TokenCheck::Exact(jwt.clone()),
            jwt,
            page_size_cap: None,
        }
    }
}

/// One request to the site as the log keeps it. Tokens and cookies are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogEntry {
    /// When it was answered, in milliseconds since 1970.
    pub at_ms: i64,
    /// The HTTP method.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// Which endpoint it was for, if for one.
    pub endpoint: Option<Endpoint>,
    /// The body of a history request, the query of others.
    pub params: Value,
    /// The status of the answer; 0 when there was none.
    pub status: u16,
    /// The fault that struck it.
    pub fault: Option<Fault>,
    /// How many requests, this one included, were being answered.
    pub in_flight: usize,
    /// The `User-Agent`.
    pub user_agent: Option<String>,
    /// Whether a page asked, as a browser says of its requests.
    pub from_page: bool,
    /// Whether it carried `If-None-Match`.
    pub is_conditional: bool,
}

/// A running simulated site. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct SimServer {
    base_url: String,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl SimServer {
    /// Starts serving a world.
    ///
    /// # Errors
    /// The address is not on loopback, or cannot be listened on.
    pub async fn start(world: World, options: SimOptions) -> io::Result<Self> {
        if !options.listen.ip().is_loopback() {
            let kind = io::ErrorKind::InvalidInput;
            return Err(io::Error::new(kind, "the simulated site listens on loopback only"));
        }
        let listener = TcpListener::bind(options.listen).await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let (stop, stopped) = watch::channel(false);
        let shared = Arc::new(Shared::new(world, options, stopped));
        let task = tokio::spawn(serve(ResettableListener(listener), Arc::clone(&shared)));
        Ok(Self { base_url, shared, stop, task })
    }

    /// Where the site is, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The token that is let in.
    pub fn jwt(&self) -> &str {
        &self.shared.options.jwt
    }

    /// The lines with which a shell is set up to crawl this site.
    pub fn export_lines(&self) -> String {
        let seeds: Vec<String> = self.world().seed_ids().iter().map(ToString::to_string).collect();
        format!(
            "export SITE_BASE_URL={}\nexport DICECHESS_JWT={}\nexport SEED_IDS={}\n\
             export REQUEST_MIN_DELAY_MS=0\nexport REQUEST_JITTER_MS=0\n\
             export REQUEST_HOURLY_BUDGET=0\n",
            self.base_url,
            self.jwt(),
            seeds.join(",")
        )
    }

    /// The world being served. Requests wait while the guard is held.
    pub fn world(&self) -> RwLockReadGuard<'_, World> {
        self.shared.world()
    }

    /// The world being served, to be changed. Requests wait while the guard is held.
    pub fn world_mut(&self) -> RwLockWriteGuard<'_, World> {
        self.shared.world_mut()
    }

    /// Adds games to the running site.
    pub fn add_games(&self, new: &NewGames) -> Vec<GameId> {
        self.world_mut().add_games(new)
    }

    /// Takes games off the running site.
    pub fn remove_games(&self, ids: &[GameId]) {
        self.world_mut().remove_games(ids);
    }

    /// Sets a fault; earlier ones stay and come first.
    pub fn set_fault(&self, rule: FaultRule) {
        self.shared.faults().add(rule);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.shared.faults().clear();
    }

    /// All requests to the site so far. Requests to the control API are not among them.
    pub fn log(&self) -> Vec<LogEntry> {
        self.shared.log().clone()
    }

    /// Empties the log.
    pub fn clear_log(&self) {
        self.shared.log().clear();
    }

    /// Runs until the server ends, which it does only when its task fails.
    pub async fn wait(&mut self) {
        let _ = (&mut self.task).await;
    }

    /// Stops listening and cuts stalled answers short, without waiting for open requests.
    pub fn stop(&self) {
        let _ = self.stop.send(true);
    }

    /// Stops and waits for open requests, a second at most.
    pub async fn shutdown(mut self) {
        self.stop();
        let _ = tokio::time::timeout(Duration::from_secs(1), &mut self.task).await;
    }
}

impl Drop for SimServer {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        self.task.abort();
    }
}

/// What all requests share.
#[derive(Debug)]
struct Shared {
    world: RwLock<World>,
    faults: Mutex<FaultRules>,
    log: Mutex<Vec<LogEntry>>,
    options: SimOptions,
    in_flight: AtomicUsize,
    stopped: watch::Receiver<bool>,
}

impl Shared {
    fn new(world: World, options: SimOptions, stopped: watch::Receiver<bool>) -> Self {
        Self {
            world: RwLock::new(world),
            faults: Mutex::default(),
            log: Mutex::default(),
            options,
            in_flight: AtomicUsize::new(0),
            stopped,
        }
    }

    fn world(&self) -> RwLockReadGuard<'_, World> {
        self.world.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn world_mut(&self) -> RwLockWriteGuard<'_, World> {
        self.world.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn faults(&self) -> MutexGuard<'_, FaultRules> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self) -> MutexGuard<'_, Vec<LogEntry>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves when the server is told to stop.
    fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut stopped = self.stopped.clone();
        async move {
            let _ = stopped.wait_for(|stopped| *stopped).await;
        }
    }
}

async fn serve(listener: ResettableListener, shared: Arc<Shared>) {
    let stopped = shared.stopped();
    let app = control::router()
        .merge(pages::router())
        .fallback(site_api::handle)
        .with_state(shared)
        .into_make_service_with_connect_info::<ResetSwitch>();
    // Serving never fails by itself.
    let _ = axum::serve(listener, app).with_graceful_shutdown(stopped).await;
}

fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis::default() + since
}
