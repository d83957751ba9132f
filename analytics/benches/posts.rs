//! How many games a second the receiver takes in process, one by one and in batches.

#[path = "../tests/receiver/document.rs"]
mod document;

use std::cell::Cell;

use dicechess_analytics::{Receiver, accept};
use dicechess_core::ids::GameId;
use divan::Bencher;
use divan::counter::ItemsCount;

const TURNS: u32 = 40;

fn main() {
    divan::main();
}

#[divan::bench]
fn judge(bencher: Bencher<'_, '_>) {
    let body = document::played_game(1, TURNS).to_string();
    bencher.counter(ItemsCount::new(1_u32)).bench(|| accept(body.as_bytes()).is_ok());
}

#[divan::bench(args = [1, 50, 500])]
fn post_batch(bencher: Bencher<'_, '_>, batch: u32) {
    let folder = tempfile::tempdir().expect("a folder for the store");
    let receiver = Receiver::open(&folder.path().join("analytics.db")).expect("a store");
    let text = document::played_game(1, TURNS).to_string();
    let next = Cell::new(0_u128);
    let bodies = || -> Vec<String> {
        let ids = (0..batch).map(|_| GameId::from_bits(next.replace(next.get() + 1)));
        let old = GameId::from_bits(1).to_string();
        ids.map(|id| text.replace(&old, &id.to_string())).collect()
    };
    bencher.counter(ItemsCount::new(batch)).with_inputs(bodies).bench_local_values(|bodies| {
        let bodies: Vec<&[u8]> = bodies.iter().map(String::as_bytes).collect();
        let replies = receiver.post_batch(&bodies);
        assert!(replies.iter().all(|reply| reply.status() == 201));
    });
}
