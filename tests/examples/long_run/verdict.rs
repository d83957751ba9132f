//! Whether everything arrived as it was played.

use dicechess_core::ids::UserId;
use dicechess_sim::World;
use dicechess_tests::evidence::{fetchable, postable, told, truth};

use super::Run;

/// How many games are archived.
pub(super) const ARCHIVED: &str =
    "SELECT count(*) FROM raw_game_data WHERE archived_at IS NOT NULL";

/// How many games analytics and archive shall have in the end.
pub(super) fn expected(run: &Run) -> (i64, i64) {
    let world = run.site.world();
    let seeds: Vec<UserId> = World::seed_ids(&world);
    (postable(&world, &seeds).len() as i64, fetchable(&world, &seeds).len() as i64)
}

/// Compares every game with what was played, and checks the database.
pub(super) fn check(run: &Run) {
    let world = run.site.world();
    let seeds = World::seed_ids(&world);
    let games = postable(&world, &seeds);
    let embedded = if run.args.embedded { run.workspace.accepted() } else { Default::default() };
    for game in &games {
        let body = if run.args.embedded {
            embedded[game].clone()
        } else {
            serde_json::from_str(&run.analytics.body(*game).unwrap()).unwrap()
        };
        assert_eq!(told(&body), truth(&world, *game), "{game}");
    }
    let database = run.workspace.database();
    assert_eq!(database.texts("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(database.number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let least = world.least_requests(&seeds, 500);
    println!(
        "{} games arrived, each as it was played; the site was asked {} times (at least {} without \
         faults and looks); database sound",
        games.len(),
        run.site.log().len(),
        least.total()
    );
}
