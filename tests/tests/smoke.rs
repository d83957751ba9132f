//! The support code itself: the binary builds, runs and crawls a small site.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use dicechess_sim::{SimOptions, SimServer, World, WorldSpec};
use dicechess_tests::Workspace;

#[tokio::test(flavor = "multi_thread")]
async fn a_small_site_is_crawled() {
    let world = World::generate(WorldSpec { games: 60, players: 12, ..WorldSpec::default() });
    let site = SimServer::start(world, SimOptions::default()).await.unwrap();
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    assert!(workspace.accepted().len() > 30);
    assert_eq!(workspace.status()["archive_pending"], 0);
}
