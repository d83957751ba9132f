//! A long run of `serve` against the simulated site, with faults switched on and off, measured.
//!
//! `cargo run --release -p dicechess-tests --example long_run -- --help` tells what can be chosen.
//! It ends with a table for docs/operations.md, and fails unless every game arrived as it was played.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement fails by panicking")]

mod audience;
mod measure;
mod prefill;
mod troubles;
mod verdict;

use std::time::{Duration, Instant};

use clap::Parser;
use dicechess_core::ids::UserId;
use dicechess_sim::{NewGames, SimOptions, SimServer, TokenCheck, World, WorldSpec, unsigned_jwt};
use dicechess_tests::{AnalyticsService, ArchiveService, Invocation, Running, Workspace};
use rustix::process::Signal;

use measure::Meter;
use troubles::Trouble;

/// How the run shall be.
#[derive(Debug, Parser)]
struct Args {
    /// How long it takes, without the wait for the last games.
    #[arg(long, default_value_t = 30)]
    minutes: u64,
    /// Games of the simulated site.
    #[arg(long, default_value_t = 1500)]
    games: usize,
    /// Posted games that are in the database before.
    #[arg(long, default_value_t = 0)]
    prefill: u64,
    /// Nothing goes wrong.
    #[arg(long)]
    calm: bool,
    /// Games go to the embedded analytics and an archive directory instead of services.
    #[arg(long)]
    embedded: bool,
    /// A dashboard is open and the metrics are scraped every 15 seconds.
    #[arg(long)]
    audience: bool,
    /// The least pause between two requests, in milliseconds; so that all takes 70 % of the time if
    /// left out.
    #[arg(long)]
    delay: Option<u64>,
    /// How long the idle daemon is measured at the end, in seconds.
    #[arg(long, default_value_t = 60)]
    idle: u64,
}

/// The run and all it deals with.
struct Run {
    args: Args,
    site: SimServer,
    analytics: AnalyticsService,
    archive: ArchiveService,
    workspace: Workspace,
    daemon: Option<Running>,
    meter: Meter,
    /// The player who plays while it runs, and is watched.
    watched: UserId,
    tokens: i64,
}

#[tokio::main]
async fn main() {
    let mut run = Run::prepare(Args::parse()).await;
    run.start();
    let began = Instant::now();
    let length = Duration::from_secs(run.args.minutes * 60);
    if !run.args.calm {
        run.trouble(length.mul_f64(0.6));
    }
    while began.elapsed() < length {
        run.play();
        std::thread::sleep(Duration::from_secs(30).min(length.saturating_sub(began.elapsed())));
    }
    run.wait_for_the_last_games();
    run.meter.phase("idle");
    std::thread::sleep(Duration::from_secs(run.args.idle));
    run.meter.phase("end");
    let log = run.stop(Signal::TERM);
    verdict::check(&run);
    run.meter.print();
    println!("\nThe end of the log:\n");
    let lines: Vec<_> = log.lines().collect();
    println!("{}", lines[lines.len().saturating_sub(40)..].join("\n"));
}

impl Run {
    async fn prepare(args: Args) -> Self {
        let spec = WorldSpec { games: args.games, ..WorldSpec::default() };
        let options = SimOptions { token: TokenCheck::AnyUnexpired, ..SimOptions::default() };
        let site = SimServer::start(World::generate(spec), options).await.unwrap();
        let workspace = Workspace::new();
        prefill::fill(&workspace, args.prefill);
        let watched = site.world().seed_ids()[0];
        let id = watched.to_string();
        workspace.command(["watch", "add", &id, "--every", "30s"]).run().expect(0);
        Self {
            args,
            site,
            analytics: AnalyticsService::start().await,
            archive: ArchiveService::start().await,
            workspace,
            daemon: None,
            meter: Meter::new(),
            watched,
            tokens: 0,
        }
    }

    /// Starts the daemon and measures how long that takes.
    fn start(&mut self) {
        let mut daemon = self.invocation().start();
        let began = Instant::now();
        let pages = daemon.pages();
        daemon.until_logged("this process crawls");
        self.meter.started(began.elapsed(), daemon.pid());
        println!("started in {:?}: {pages}", began.elapsed());
        if self.args.audience {
            audience::look_on(&pages);
        }
        self.daemon = Some(daemon);
    }

    fn invocation(&mut self) -> Invocation {
        self.renew_token();
        let requests = self.args.games as u64 + 60;
        let paced = self.args.minutes * 60_000 * 7 / 10 / requests;
        let mut serve = self
            .workspace
            .serve(&self.site)
            .without_env("DICECHESS_JWT")
            .env("DICECHESS_JWT_FILE", self.workspace.path().join("token"))
            .env("REQUEST_MIN_DELAY_MS", self.args.delay.unwrap_or(paced).to_string())
            .env("REQUEST_JITTER_MS", "100")
            .env("REQUEST_BACKOFF_BASE_MS", "1000")
            .env("REQUEST_TIMEOUT_MS", "3000")
            .env("CRAWL_INTERVAL", "1m")
            .env("LOG_FORMAT", "json")
            .deadline(Duration::from_secs(3600));
        if !self.args.embedded {
            serve = serve
                .env("ANALYTICS_BASE_URL", self.analytics.base_url())
                .env("INGEST_TOKEN", AnalyticsService::TOKEN)
                .env("ARCHIVE_URL", self.archive.base_url());
        }
        serve
    }

    /// A token that the site has not refused yet.
    fn renew_token(&mut self) {
        self.tokens += 1;
        let token = unsigned_jwt(4_102_444_800 + self.tokens);
        std::fs::write(self.workspace.path().join("token"), token).unwrap();
    }

    /// Ends the daemon and returns its log.
    fn stop(&mut self, signal: Signal) -> String {
        let daemon = self.daemon.take().unwrap();
        daemon.signal(signal);
        let ended = daemon.wait();
        if signal == Signal::TERM {
            assert_eq!(ended.code(), Some(0), "{}", ended.stderr);
            println!("stopped in {:?}", ended.took);
        }
        ended.stderr
    }

    /// One trouble after the other, each for half of its share of the time.
    fn trouble(&mut self, time: Duration) {
        let troubles = Trouble::all();
        let half = time / u32::try_from(troubles.len()).unwrap() / 2;
        for trouble in troubles {
            self.play();
            self.meter.phase(trouble.name());
            println!("{:?}: {}", self.meter.elapsed(), trouble.name());
            trouble.begin(self);
            std::thread::sleep(half);
            trouble.end(self);
            self.meter.phase("calm");
            std::thread::sleep(half);
        }
    }

    /// The watched player has played once more.
    fn play(&self) {
        let players = vec![self.watched];
        let new = NewGames { count: 1, players, running: false, started_at: None };
        self.site.add_games(&new);
    }

    fn wait_for_the_last_games(&mut self) {
        self.meter.phase("the last games");
        let (posted, archived) = verdict::expected(self);
        let (workspace, args) = (&self.workspace, &self.args);
        let daemon = self.daemon.as_mut().unwrap();
        daemon.until("every game has arrived", || {
            std::thread::sleep(Duration::from_secs(1));
            let new = workspace.games_that_are("posted") - args.prefill as i64;
            new == posted
                && workspace.database().number(verdict::ARCHIVED) - args.prefill as i64 == archived
        });
    }
}
