//! What a receiver answered, what goes next and what is let go.

use dicechess_core::delivery::{
    self, Kept, KeptRaw, PostAnswer, Receiver, Sending, Standing, Target, Waiting, make_room,
};
use dicechess_core::ids::GameId;
use dicechess_core::time::UnixMillis;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::Failure;
use crate::json::{Fields, List, Object, quoted, read, time};
use crate::shapes::{print_event, state, status};

/// How a receiver stands, by its name.
const STANDINGS: [(&str, Standing); 4] = [
    ("works", Standing::Works),
    ("fails", Standing::Fails),
    ("away", Standing::Away),
    ("unauthorized", Standing::Unauthorized),
];

/// What an answer of a receiver amounts to; `target`: `analytics` or `daemon`, status 0: no answer,
/// and the body says why. Gives an `AnswerReading`.
///
/// # Errors
/// An unknown target, or the game id is none.
#[wasm_bindgen]
pub fn answer(target: &str, status: u16, body: &str, game_id: &str) -> Result<String, Failure> {
    let target = match target {
        "analytics" => Target::Analytics,
        "daemon" => Target::Daemon,
        other => return Err(Failure::bad_input("target", &other)),
    };
    let game: GameId = game_id.parse().map_err(|error| Failure::bad_input("game id", &error))?;
    let answer = PostAnswer::of_response(target, status, body.to_owned(), game);
    let standing = Standing::of(status, &answer);
    let object = match answer.into_event() {
        Some(event) => Object::of_kind("event").json("event", &print_event(&event)),
        None => Object::of_kind("pause")
            .text("reason", Some("unauthorized"))
            .text("message", Some(&delivery::one_line(body, 200))),
    };
    let name = STANDINGS.iter().find(|(_, known)| *known == standing).map(|(name, _)| *name);
    Ok(object.text("standing", name).print())
}

/// A receiver after an answer; `next_retry_at_ms`: the timer of the game that was sent. Takes and
/// gives a `Receiver`; `null` is one of which nothing is known.
///
/// # Errors
/// The receiver or the standing cannot be read.
#[wasm_bindgen]
pub fn receiver_after(
    receiver_json: &str,
    standing: &str,
    next_retry_at_ms: Option<f64>,
) -> Result<String, Failure> {
    let before = match receiver_json {
        "null" => Receiver::default(),
        json => read("receiver", json, receiver)?,
    };
    let known = STANDINGS.iter().find(|(name, _)| *name == standing);
    let (_, standing) = known.ok_or_else(|| Failure::bad_input("standing", &standing))?;
    let after = before.after(*standing, next_retry_at_ms.map(time));
    Ok(Object::new()
        .whole("failures", Some(after.failures.into()))
        .time("paused_until_ms", after.paused_until)
        .flag("is_unauthorized", after.is_unauthorized)
        .print())
}

fn receiver(fields: &Fields<'_>) -> Receiver {
    Receiver {
        failures: fields.count("failures") as u32,
        paused_until: fields.optional_time("paused_until_ms"),
        is_unauthorized: fields.flag("is_unauthorized"),
    }
}

/// Which game is sent next. Takes an `Outbox`, gives a `NextSending`.
///
/// # Errors
/// The outbox cannot be read.
#[wasm_bindgen]
pub fn next_sending(outbox_json: &str, now_ms: f64) -> Result<String, Failure> {
    let (receiver, games) = read("outbox", outbox_json, |fields| {
        let has_receiver = fields.has("receiver");
        let receiver = has_receiver.then(|| fields.object("receiver", receiver));
        let games = fields.list("games", |fields| Waiting {
            game_id: fields.game_id(),
            seen_at: UnixMillis(fields.whole("seen_at_ms")),
            state: fields.object("state", state),
        });
        (receiver, games)
    })?;
    let next = delivery::next_sending(&games, receiver.unwrap_or_default(), time(now_ms));
    Ok(match next {
        Sending::Now(game_id) => Object::of_kind("send").game_id(game_id),
        Sending::At(until) => Object::of_kind("wait").time("until_ms", Some(until)),
        Sending::Unauthorized => Object::of_kind("unauthorized"),
        Sending::Nothing => Object::of_kind("nothing"),
    }
    .print())
}

/// What is let go to make room. Takes a `Storage`, gives a `Room`.
///
/// # Errors
/// The storage cannot be read.
#[wasm_bindgen]
pub fn to_drop(storage_json: &str) -> Result<String, Failure> {
    let (kept, incoming, most) = read("storage", storage_json, |fields| {
        let kept = fields.list("stored", kept_raw);
        (kept, fields.count("incoming_bytes"), fields.count("most_bytes"))
    })?;
    let room = make_room(&kept, incoming, most);
    let (mut drop_moves, mut drop_games) = (List::new(), List::new());
    for raw in &room.dropped {
        let list = match raw.kept {
            Kept::Posted | Kept::Rejected => &mut drop_moves,
            Kept::Part | Kept::Remnant | Kept::Waiting => &mut drop_games,
        };
        list.push(&quoted(&raw.game_id.to_string()));
    }
    Ok(Object::new()
        .json("drop_moves", &drop_moves.print())
        .json("drop_games", &drop_games.print())
        .whole("bytes", i64::try_from(room.bytes).ok())
        .flag("is_free", room.is_free)
        .print())
}

fn kept_raw(fields: &Fields<'_>) -> KeptRaw {
    let has_moves = fields.flag("has_moves");
    // Without a status nothing but moves is known of it.
    let kept = fields.has("status").then(|| status(fields).map(|it| Kept::of(it, has_moves)));
    if kept == Some(None) {
        fields.refuse("status");
    }
    KeptRaw {
        game_id: fields.game_id(),
        kept: kept.flatten().unwrap_or(Kept::Part),
        since: UnixMillis(fields.whole("since_ms")),
        bytes: fields.count("bytes"),
    }
}
