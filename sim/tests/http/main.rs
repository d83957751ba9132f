//! The site over HTTP: its answers, its control API, and each fault as a client sees it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod client;
mod control;
mod faults;
mod pages;
mod site;

use dicechess_sim::{SimOptions, SimServer, World, WorldSpec};

/// A small site.
async fn site() -> SimServer {
    site_with(SimOptions::default()).await
}

async fn site_with(options: SimOptions) -> SimServer {
    let spec = WorldSpec { games: 120, ..WorldSpec::default() };
    SimServer::start(World::generate(spec), options).await.unwrap()
}
