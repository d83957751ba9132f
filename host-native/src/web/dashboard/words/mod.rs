//! The texts of all pages.
//!
//! Each language is one value of [`Words`]: a text that is missing in one of them does not compile.
//! Texts that hold a value are functions of it, so that each language puts it where it belongs.

mod en;
mod ru;

use dicechess_core::ingest::{EventType, Termination};
use dicechess_core::lifecycle::PlayerStatus;
use shakmaty::Color;

use super::actions::Action;
use super::causes::Cause;
use super::wording::{Noun, Spelling};
use crate::crawl::Stage;

pub(super) use en::ENGLISH;
pub(super) use ru::RUSSIAN;

/// A text, and what a sentence takes.
type Text = &'static str;
type Of1 = fn(&str) -> String;
type Of2 = fn(&str, &str) -> String;
type Of3 = fn(&str, &str, &str) -> String;

/// All texts of a language.
pub(super) struct Words {
    pub(super) spelling: Spelling,
    pub(super) nouns: Nouns,
    pub(super) nav: Nav,
    pub(super) failure: FailureWords,
    pub(super) overview: Overview,
    pub(super) daemon: Daemon,
    pub(super) pipeline: Pipeline,
    pub(super) budget: Budget,
    pub(super) problems: Problems,
    /// The name of a cause and what to do about it.
    pub(super) causes: fn(Cause) -> (Text, Text),
    pub(super) status: Status,
    /// Players of a state, as a list is called.
    pub(super) player_status: fn(PlayerStatus) -> Text,
    /// A player's state.
    pub(super) player_state: fn(PlayerStatus) -> Text,
    pub(super) players: Players,
    pub(super) player: Player,
    pub(super) games: Games,
    pub(super) game: Game,
    /// Pawn, knight, bishop, rook, queen, king.
    pub(super) pieces: [Text; 6],
    pub(super) parked: Parked,
    pub(super) actions: Actions,
    pub(super) sign_in: SignIn,
    pub(super) reports: Reports,
    pub(super) dice: Dice,
}

/// What stands behind numbers.
pub(super) struct Nouns {
    pub(super) games: Noun,
    pub(super) players: Noun,
    pub(super) requests: Noun,
    pub(super) entries: Noun,
    pub(super) rolls: Noun,
    pub(super) tests: Noun,
    pub(super) bytes: Noun,
}

/// Navigation, head and foot of a page.
pub(super) struct Nav {
    pub(super) own_name: Text,
    pub(super) label: Text,
    pub(super) skip: Text,
    pub(super) overview: Text,
    pub(super) players: Text,
    pub(super) games: Text,
    pub(super) parked: Text,
    pub(super) dice: Text,
    pub(super) language: Text,
    pub(super) sign_in: Text,
    pub(super) sign_out: Text,
    pub(super) read_only: Text,
    pub(super) pages: Text,
    pub(super) page: Text,
    pub(super) previous: Text,
    pub(super) next: Text,
}

/// Pages that cannot be shown.
pub(super) struct FailureWords {
    pub(super) not_found: Text,
    pub(super) not_found_hint: Text,
    pub(super) storage: Text,
    pub(super) refused: Text,
    pub(super) back: Text,
}

/// The first page.
pub(super) struct Overview {
    pub(super) title: Text,
    pub(super) as_of: Text,
    pub(super) counting: Text,
    pub(super) daemon: Text,
    pub(super) funnel: Text,
    pub(super) forecast: Text,
    pub(super) budget: Text,
    pub(super) problems: Text,
    pub(super) completeness: Text,
    pub(super) recent: Text,
    pub(super) known_of_counted: Of2,
    pub(super) complete_players: Of2,
    pub(super) no_sweep_yet: Text,
    pub(super) no_gaps: Text,
    pub(super) gap_player: Text,
    pub(super) gap_known: Text,
    pub(super) gap_missing: Text,
    pub(super) all_gaps: Text,
    pub(super) all_games: Text,
}

/// What the daemon does.
pub(super) struct Daemon {
    pub(super) starting: Text,
    pub(super) crawling: Text,
    pub(super) standby: Text,
    pub(super) stopping: Text,
    pub(super) starting_hint: Text,
    pub(super) database_hint: Text,
    pub(super) crawling_hint: Text,
    pub(super) stopping_hint: Text,
    pub(super) standby_hint: Of1,
    pub(super) lease_until: Text,
    pub(super) running_since: Text,
    pub(super) stage: fn(Stage) -> Text,
    pub(super) working: Text,
    pub(super) idle: Text,
    pub(super) resting: Text,
    pub(super) since: Text,
    pub(super) looks_again: Text,
    pub(super) tries_again: Text,
}

/// The funnel and the outlook.
pub(super) struct Pipeline {
    pub(super) players: Text,
    pub(super) games: Text,
    pub(super) players_found: Text,
    pub(super) players_swept: Text,
    pub(super) found: Text,
    pub(super) fetched: Text,
    pub(super) posted: Text,
    pub(super) archived: Text,
    pub(super) aside: Text,
    pub(super) not_asked: Text,
    pub(super) failed: Text,
    pub(super) cancelled: Text,
    pub(super) fetch_failed: Text,
    pub(super) post_failed: Text,
    pub(super) parked: Text,
    pub(super) rejected: Text,
    pub(super) rates_over: Of1,
    pub(super) rates_soon: Text,
    pub(super) nothing_known: Text,
    pub(super) complete: Text,
    pub(super) complete_hint: Text,
    pub(super) whole: Text,
    pub(super) at_least: Text,
    pub(super) known_rest: Text,
    pub(super) left: Text,
    pub(super) expected: Text,
    pub(super) pace: Text,
    pub(super) an_hour: Of1,
    pub(super) frontier_grows: Text,
}

/// Requests to the site.
pub(super) struct Budget {
    pub(super) used: Text,
    pub(super) used_without_limit: Text,
    pub(super) chart: Text,
    pub(super) hour_ago: Text,
    pub(super) now: Text,
    pub(super) endpoint: Text,
    pub(super) last_hour: Text,
    pub(super) ever: Text,
    pub(super) history: Text,
    pub(super) move_history: Text,
    pub(super) leaderboard: Text,
    pub(super) next: Text,
    pub(super) at_once: Text,
    pub(super) refused: Text,
    pub(super) within: Of1,
    pub(super) spacing: Text,
    pub(super) budget_spent: Text,
    pub(super) silence: Text,
    pub(super) throttled: Text,
    pub(super) token: Text,
    pub(super) token_silent: Text,
    pub(super) token_ended: Text,
    pub(super) token_lasts: Of1,
    pub(super) refused_since: Text,
}

/// What goes wrong.
pub(super) struct Problems {
    pub(super) none: Text,
    /// What a stage, or several, does that is held up.
    pub(super) rests: Of1,
    /// What is held up when no stage works.
    pub(super) all: Text,
    pub(super) messages: Text,
    pub(super) broken_entries: Of1,
}

/// States of games.
pub(super) struct Status {
    pub(super) discovered: Text,
    pub(super) fetched: Text,
    pub(super) posted: Text,
    pub(super) rejected: Text,
    pub(super) error_fetch: Text,
    pub(super) error_post: Text,
    pub(super) parked: Text,
    pub(super) skipped: Text,
}

/// The list of players.
pub(super) struct Players {
    pub(super) title: Text,
    /// There is no list of that name.
    pub(super) unknown_list: Of1,
    pub(super) search: Text,
    pub(super) find: Text,
    pub(super) gaps: Text,
    pub(super) gaps_hint: Text,
    pub(super) watched: Text,
    pub(super) watched_hint: Text,
    pub(super) no_gaps: Text,
    pub(super) none: Text,
    pub(super) player: Text,
    pub(super) state: Text,
    pub(super) rating: Text,
    pub(super) known: Text,
    pub(super) completeness: Text,
    pub(super) missing: Text,
    pub(super) not_counted: Text,
    pub(super) accepted: Text,
    pub(super) accepted_hint: Text,
}

/// One player.
pub(super) struct Player {
    pub(super) unknown: Text,
    pub(super) nameless: Of1,
    pub(super) crawl: Text,
    pub(super) results: Text,
    pub(super) games: Text,
    pub(super) kind: Text,
    pub(super) kind_name: fn(&str) -> Text,
    pub(super) found_via: Text,
    pub(super) via: fn(&str) -> Text,
    pub(super) depth: Of1,
    pub(super) last_read: Text,
    pub(super) next_refresh: Text,
    pub(super) watched: Text,
    pub(super) tried_again: Text,
    pub(super) last_error: Text,
    pub(super) win_rate: Text,
    pub(super) outcomes: Of3,
    pub(super) rating_course: Text,
    pub(super) profit_course: Text,
    pub(super) no_course: Text,
    pub(super) slice: Text,
    pub(super) slice_games: Text,
    pub(super) as_white: Text,
    pub(super) as_black: Text,
    pub(super) classic: Text,
    pub(super) x2: Text,
    pub(super) against_people: Text,
    pub(super) against_bots: Text,
}

/// Lists of games.
pub(super) struct Games {
    pub(super) title: Text,
    /// There is no list of that name.
    pub(super) unknown_list: Of1,
    pub(super) none: Text,
    pub(super) started: Text,
    pub(super) no_start: Text,
    pub(super) white: Text,
    pub(super) black: Text,
    pub(super) result: Text,
    pub(super) time_control: Text,
    pub(super) status: Text,
    pub(super) again_at: Text,
    pub(super) all: Text,
    pub(super) to_fetch: Text,
    pub(super) to_post: Text,
    pub(super) posted: Text,
    pub(super) waiting: Text,
    pub(super) rejected: Text,
    pub(super) parked: Text,
    pub(super) skipped: Text,
    pub(super) by_start: Text,
    pub(super) by_timer: Text,
    pub(super) by_discovery: Text,
}

/// One game.
pub(super) struct Game {
    pub(super) unreadable: Text,
    pub(super) refused: Text,
    pub(super) facts: Text,
    pub(super) raw: Text,
    pub(super) board: Text,
    pub(super) dice: Text,
    pub(super) stake: Text,
    pub(super) moves: Text,
    pub(super) pass: Text,
    pub(super) controls: Text,
    pub(super) first: Text,
    pub(super) turn_back: Text,
    pub(super) back: Text,
    pub(super) play: Text,
    pub(super) forward: Text,
    pub(super) turn_forward: Text,
    pub(super) last: Text,
    pub(super) flip: Text,
    pub(super) keys: Text,
    pub(super) key_list: &'static [(Text, Text)],
    /// What the script says of a step: at the start, before the turn's number, and whose it is.
    pub(super) at_start: Text,
    pub(super) turn: Text,
    pub(super) event: fn(EventType, Color) -> Text,
    pub(super) ending: fn(Termination) -> Text,
    pub(super) mode: Text,
    pub(super) ratings: Text,
    pub(super) termination: Text,
    pub(super) fetched: Text,
    pub(super) from_browser: Text,
    pub(super) archived: Text,
    pub(super) revisions: Text,
    pub(super) id: Text,
}

/// What does not go on by itself.
pub(super) struct Parked {
    pub(super) title: Text,
    pub(super) lead: Text,
    pub(super) parked: Text,
    pub(super) parked_hint: Text,
    pub(super) without_moves: Text,
    pub(super) rejected: Text,
    pub(super) rejected_hint: Text,
    pub(super) waiting: Text,
    pub(super) waiting_hint: Text,
    pub(super) none: Text,
    pub(super) replay: Text,
    pub(super) replay_all: Text,
    pub(super) retry_fetch: Text,
    pub(super) retry_post: Text,
    pub(super) more: Text,
    pub(super) done: fn(Action, &str) -> String,
    pub(super) sign_in_first: Text,
    pub(super) no_admin: Text,
}

/// Questions before an act.
pub(super) struct Actions {
    pub(super) title: Text,
    /// Whether it is about one game.
    pub(super) question: fn(Action, bool) -> Text,
    pub(super) yes: Text,
    pub(super) no: Text,
    pub(super) foreign: Text,
    pub(super) not_signed_in: Text,
}

/// Signing in.
pub(super) struct SignIn {
    pub(super) title: Text,
    pub(super) hint: Text,
    pub(super) token: Text,
    pub(super) wrong: Text,
    pub(super) too_often: Text,
}

/// Reports of the embedded analytics.
pub(super) struct Reports {
    pub(super) elsewhere: Of1,
    pub(super) working: Text,
    pub(super) failed: Text,
    pub(super) no_games: Text,
    pub(super) computed_at: Text,
}

/// The dice report.
pub(super) struct Dice {
    pub(super) title: Text,
    pub(super) lead: Text,
    pub(super) verdict: Text,
    pub(super) too_few: Text,
    pub(super) fair: Of1,
    pub(super) remarkable: Text,
    pub(super) counted: Of2,
    pub(super) groups: Text,
    pub(super) groups_hint: Text,
    pub(super) group: Text,
    pub(super) rolled: Text,
    pub(super) doubles: Text,
    pub(super) share: Text,
    pub(super) p_value: Text,
    pub(super) all_rolls: Text,
    pub(super) first_roll: Text,
    pub(super) rolls: Text,
    pub(super) rolls_hint: Text,
    pub(super) notes_title: Text,
    pub(super) notes: &'static [Text],
}
