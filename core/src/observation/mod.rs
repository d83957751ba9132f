//! What a browser sees of the site while its user plays.
//!
//! Decides what an observed answer is, whether observed moves are those of the whole game, and when
//! the browser may ask the site once itself. Leaves to the host to observe, to keep and to ask. What
//! a game's state becomes is [`crate::lifecycle`]'s matter, what is sent where [`crate::delivery`]'s.
//!
//! | file | decides |
//! |---|---|
//! | `answer` | what an answer to the page is |
//! | `whole` | whether moves that were seen tell a game to its end |
//! | `page` | which game a page shows |
//! | `again` | what another history says of a game that is known |
//! | `ask` | whether, when and what to ask for a finished game that the page did not load |

mod again;
mod answer;
mod ask;
mod page;
mod whole;

pub use again::told_again;
pub use answer::{Exchange, Ignored, Observation, observe};
pub use ask::{Ask, AskPlan, KnownGame, Question, Visit, plan_ask};
pub use page::shown_game;
pub use whole::{Missing, SeenMoves, judge_moves};
