//! How games reach their receiver: what its answers amount to, and what a browser sends next.
//!
//! Decides nothing about the way there; hosts send. What an answer makes of a game is
//! [`crate::lifecycle`]'s matter.
//!
//! | file | decides |
//! |---|---|
//! | `answer` | what an answer amounts to |
//! | `outbox` | which game a browser sends next, and how long a receiver that fails is left alone |
//! | `room` | what a browser lets go when its room is full |

mod answer;
mod outbox;
mod room;

pub use answer::{NO_ANSWER, PostAnswer, Target, one_line};
pub use outbox::{Receiver, Sending, Standing, Waiting, next_sending};
pub use room::{Kept, KeptRaw, Room, make_room};
