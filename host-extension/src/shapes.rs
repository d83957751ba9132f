//! The shapes that several functions share: rows, players, states, events.

use dicechess_core::catalogue::{CatalogueRow, PlayerType, map_history_entry};
use dicechess_core::ids::UserId;
use dicechess_core::ingest::KnownPlayer;
use dicechess_core::lifecycle::{GameEvent, GameState, GameStatus, PostResult};
use dicechess_core::site::HistoryEntry;

use crate::failure::Failure;
use crate::json::{Fields, Object, read};

/// A game as a page of history told of it.
pub(crate) struct Row {
    pub(crate) entry_json: String,
    pub(crate) queried: UserId,
    pub(crate) entry: HistoryEntry,
    pub(crate) catalogued: CatalogueRow,
}

impl Row {
    /// Reads a `HistoryRow`: its entry and whose it is; the rest follows from these.
    pub(crate) fn read(what: &'static str, json: &str) -> Result<Self, Failure> {
        let (entry_json, queried) = read(what, json, |fields| {
            (fields.text("entry_json").to_owned(), fields.user_id("queried_user_id"))
        })?;
        let entry = HistoryEntry::parse(&entry_json)?;
        let (catalogued, _) = map_history_entry(&entry, queried, 0);
        Ok(Self { entry_json, queried, entry, catalogued })
    }

    pub(crate) fn print(&self) -> String {
        print_row(&self.entry_json, &self.entry, self.queried)
    }
}

/// Prints a `HistoryRow`.
pub(crate) fn print_row(entry_json: &str, entry: &HistoryEntry, queried: UserId) -> String {
    let (row, opponent) = map_history_entry(entry, queried, 0);
    let opponent = Object::new()
        .whole("user_id", Some(opponent.user_id.0))
        .text("username", opponent.username.as_deref())
        .text("player_type", Some(opponent.player_type.as_str()));
    Object::new()
        .game_id(row.game_id)
        .text("entry_json", Some(entry_json))
        .whole("queried_user_id", Some(queried.0))
        .whole("white_user_id", Some(row.white_user_id.0))
        .whole("black_user_id", Some(row.black_user_id.0))
        .flag("is_cancelled", row.is_cancelled)
        .flag("has_result", row.result.is_some())
        .whole("result", row.result.map(i64::from))
        .flag("allow_doubling", row.allow_doubling)
        .time("started_at_ms", row.started_at)
        .json("opponent", &opponent.print())
        .print()
}

/// Reads a `KnownPlayer`.
pub(crate) fn known_player(fields: &Fields<'_>) -> (UserId, KnownPlayer) {
    let player_type = PlayerType::parse(fields.text("player_type"));
    if player_type.is_none() {
        fields.refuse("player_type");
    }
    let player = KnownPlayer {
        username: fields.optional_text("username").map(str::to_owned),
        player_type: player_type.unwrap_or(PlayerType::Human),
    };
    (fields.user_id("user_id"), player)
}

/// Reads a `GameState`, whose fields are the columns of the daemon's store.
pub(crate) fn state(fields: &Fields<'_>) -> GameState {
    let post_result = fields.has("post_result").then(|| post_result(fields, "post_result"));
    GameState {
        status: status(fields).unwrap_or_else(|| {
            fields.refuse("status");
            GameStatus::Skipped
        }),
        attempts: fields.count("attempts") as u32,
        last_error: fields.optional_text("last_error").map(str::to_owned),
        next_retry_at: fields.optional_time("next_retry_at_ms"),
        post_result: post_result.flatten(),
        reject_reason: fields.optional_text("reject_reason").map(str::to_owned),
        replace: fields.flag("replace"),
    }
}

/// Reads the status of a game with its stage.
pub(crate) fn status(fields: &Fields<'_>) -> Option<GameStatus> {
    GameStatus::parse(fields.text("status"), fields.optional_text("error_stage"))
}

fn post_result(fields: &Fields<'_>, name: &'static str) -> Option<PostResult> {
    let result = PostResult::parse(fields.text(name));
    if result.is_none() {
        fields.refuse(name);
    }
    result
}

/// Reads the state of an argument.
pub(crate) fn read_state(json: &str) -> Result<GameState, Failure> {
    read("state", json, state)
}

/// Prints a `GameState`.
pub(crate) fn print_state(state: &GameState) -> String {
    Object::new()
        .text("status", Some(state.status.as_str()))
        .text("error_stage", state.status.error_stage().map(|stage| stage.as_str()))
        .whole("attempts", Some(state.attempts.into()))
        .text("last_error", state.last_error.as_deref())
        .time("next_retry_at_ms", state.next_retry_at)
        .text("post_result", state.post_result.map(PostResult::as_str))
        .text("reject_reason", state.reject_reason.as_deref())
        .flag("replace", state.replace)
        .print()
}

/// Reads a `GameEvent`.
pub(crate) fn event(fields: &Fields<'_>) -> GameEvent {
    let message = || fields.text("message").to_owned();
    match fields.text("event") {
        "fetched" => GameEvent::Fetched,
        "fetch_failed" => GameEvent::FetchFailed { message: message() },
        "post_accepted" => {
            GameEvent::PostAccepted(post_result(fields, "result").unwrap_or(PostResult::Exists))
        }
        "post_refused" => GameEvent::PostRefused { reason: fields.text("reason").to_owned() },
        "post_failed" => GameEvent::PostFailed { message: message() },
        "normalize_failed" => GameEvent::NormalizeFailed { message: message() },
        "replay" => GameEvent::Replay,
        _ => {
            fields.refuse("event");
            GameEvent::Replay
        }
    }
}

/// Prints a `GameEvent`.
pub(crate) fn print_event(event: &GameEvent) -> String {
    let named = |name: &str| Object::new().text("event", Some(name));
    let with_message = |name: &str, message: &str| named(name).text("message", Some(message));
    let object = match event {
        GameEvent::Fetched => named("fetched"),
        GameEvent::FetchFailed { message } => with_message("fetch_failed", message),
        GameEvent::PostAccepted(result) => {
            named("post_accepted").text("result", Some(result.as_str()))
        }
        GameEvent::PostRefused { reason } => named("post_refused").text("reason", Some(reason)),
        GameEvent::PostFailed { message } => with_message("post_failed", message),
        GameEvent::NormalizeFailed { message } => with_message("normalize_failed", message),
        GameEvent::Replay => named("replay"),
        GameEvent::Refetch { .. } => named("refetch"),
        GameEvent::Contradicted => named("contradicted"),
    };
    object.print()
}
