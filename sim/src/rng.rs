//! Where random numbers come from.
//!
//! Decides that every thing of a world has a stream of its own, named by the world's seed, a purpose
//! and an index. A game's moves can so be made when they are asked for, in any order, and are the
//! same each time.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What a stream is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Players = 1,
    Pairing = 2,
    Details = 3,
    Play = 4,
    Spelling = 5,
    Row = 6,
}

/// The stream of the `index`-th thing of a kind.
pub(crate) fn stream(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((purpose as u64) << 56 | index);
    rng
}
