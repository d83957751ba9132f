//! Writing a game into the tables that answer questions.
//!
//! Decides the order of the rows and what becomes of a game that is replaced. Always runs in the
//! transaction of its caller, so that readers see a game whole or not at all. What the rows say is
//! [`crate::gold`]'s matter.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::Number;

use crate::gold::{self, GoldGame, GoldPlayer, GoldPosition};

/// Writes games that are not there. `now` is the time that their rows are dated with.
pub(super) fn insert<'a>(
    transaction: &Transaction<'_>,
    games: impl IntoIterator<Item = &'a GoldGame> + Clone,
    now: &str,
) -> rusqlite::Result<()> {
    let ids = position_ids(transaction, games.clone())?;
    for game in games {
        let positions: Vec<i64> =
            game.positions.iter().map(|position| ids[position.fen.as_str()]).collect();
        let [white, black] = [&game.players[0], &game.players[1]].map(|player| {
            player.as_ref().map(|player| player_id(transaction, player, now)).transpose()
        });
        insert_game(transaction, game, [white?, black?], &positions, now)?;
        insert_turns(transaction, game, &positions)?;
        insert_events(transaction, game)?;
    }
    Ok(())
}

/// Writes a game in place of the one that is there, if one is.
pub(super) fn replace(
    transaction: &Transaction<'_>,
    game: &GoldGame,
    now: &str,
) -> rusqlite::Result<()> {
    retract(transaction, &game.document.id.to_string())?;
    insert(transaction, [game], now)
}

/// Whether a game is there.
pub(super) fn contains(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<bool> {
    transaction.prepare_cached("SELECT 1 FROM games WHERE id = ?1")?.exists([id])
}

/// Takes a game's turns and events out, with what they added to the tallies. Its row stays for
/// [`insert_game`], its players and positions for others.
fn retract(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
    const COUNTED: &str = "SELECT position_id, slice_id FROM turns \
                           WHERE game_id = ?1 AND novelty = 3 AND slice_id IS NOT NULL";
    const DISCOUNT: &str = "UPDATE position_tallies SET games = games - 1 \
                            WHERE position_id = ?1 AND slice_id = ?2";
    const CLEAR: &str = "DELETE FROM position_tallies \
                         WHERE position_id = ?1 AND slice_id = ?2 AND games <= 0";
    let mut counted = transaction.prepare_cached(COUNTED)?;
    let mut rows = counted.query([id])?;
    while let Some(row) = rows.next()? {
        let key: (i64, i64) = row.try_into()?;
        transaction.prepare_cached(DISCOUNT)?.execute(key)?;
        transaction.prepare_cached(CLEAR)?.execute(key)?;
    }
    transaction.prepare_cached("DELETE FROM turns WHERE game_id = ?1")?.execute([id])?;
    transaction.prepare_cached("DELETE FROM game_events WHERE game_id = ?1")?.execute([id])?;
    Ok(())
}

/// The id of a player, who is made or learns a new name.
fn player_id(
    transaction: &Transaction<'_>,
    player: &GoldPlayer,
    now: &str,
) -> rusqlite::Result<String> {
    const SELECT: &str = "SELECT id, username FROM players WHERE external_id = ?1";
    const RENAME: &str =
        "UPDATE players SET username = ?2, username_folded = ?3, updated_at = ?4 WHERE id = ?1";
    const INSERT: &str = "INSERT INTO players (id, external_id, username, username_folded, \
                          player_type, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
    let folded = player.username.as_deref().map(gold::fold_name);
    let known: Option<(String, Option<String>)> = transaction
        .prepare_cached(SELECT)?
        .query_row([&player.external_id], |row| row.try_into())
        .optional()?;
    let Some((id, name)) = known else {
        let GoldPlayer { id, external_id, username, player_type } = player;
        let values = (id, external_id, username, folded, player_type, now);
        transaction.prepare_cached(INSERT)?.execute(values)?;
        return Ok(player.id.clone());
    };
    if player.username.is_some() && player.username != name {
        transaction.prepare_cached(RENAME)?.execute((&id, &player.username, folded, now))?;
    }
    Ok(id)
}

/// The ids of all positions of some games. They are looked up in the order of their index, which
/// keeps the part of it that is worked on in memory.
fn position_ids<'a>(
    transaction: &Transaction<'_>,
    games: impl IntoIterator<Item = &'a GoldGame>,
) -> rusqlite::Result<HashMap<&'a str, i64>> {
    let mut positions: Vec<&GoldPosition> =
        games.into_iter().flat_map(|game| &game.positions).collect();
    positions.sort_unstable_by(|one, other| one.fen.cmp(&other.fen));
    positions.dedup_by(|one, other| one.fen == other.fen);
    let id = |position: &'a GoldPosition| {
        Ok((position.fen.as_str(), position_id(transaction, position)?))
    };
    positions.into_iter().map(id).collect()
}

fn position_id(transaction: &Transaction<'_>, position: &GoldPosition) -> rusqlite::Result<i64> {
    const INSERT: &str = "INSERT INTO positions (normalized_fen, fen_hash, piece_placement, \
                          active_color, castling, en_passant) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                          ON CONFLICT (normalized_fen) DO NOTHING";
    const SELECT: &str = "SELECT id FROM positions WHERE normalized_fen = ?1";
    let mut fields = position.fen.split(' ');
    let mut field = || fields.next().unwrap_or_default();
    let values = (&position.fen, position.hash, field(), field(), field(), field());
    if transaction.prepare_cached(INSERT)?.execute(values)? == 1 {
        return Ok(transaction.last_insert_rowid());
    }
    transaction.prepare_cached(SELECT)?.query_row([&position.fen], |row| row.get(0))
}

fn insert_game(
    transaction: &Transaction<'_>,
    game: &GoldGame,
    [white, black]: [Option<String>; 2],
    positions: &[i64],
    now: &str,
) -> rusqlite::Result<()> {
    let document = &game.document;
    let [white_rating, black_rating] = game.ratings();
    transaction.prepare_cached(UPSERT_GAME)?.execute(params![
        document.id.to_string(),
        document.source,
        white,
        black,
        white_rating,
        black_rating,
        gold::mode(document.mode),
        document.result,
        gold::termination(document.termination),
        positions.first(),
        positions.last(),
        game.turns.len() as i64,
        document.time_initial_sec,
        document.time_increment_sec,
        document.initial_stake_amount,
        document.final_stake_amount,
        document.white_money_delta.as_ref().map(number),
        document.black_money_delta.as_ref().map(number),
        document.stake_currency,
        game.started_at.map(|time| time.to_string()),
        game.started_at.map(|time| time.0),
        now,
    ])?;
    Ok(())
}

fn insert_turns(
    transaction: &Transaction<'_>,
    game: &GoldGame,
    positions: &[i64],
) -> rusqlite::Result<()> {
    const INSERT: &str = "INSERT INTO turns (game_id, turn_number, active_color, position_id, \
         dice_sorted, played_moves, position_after_id, thinking_time_ms, is_partial, novelty, \
         slice_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    const COUNT: &str = "INSERT INTO position_tallies VALUES (?1, ?2, 1) \
                         ON CONFLICT DO UPDATE SET games = games + 1";
    let id = game.document.id.to_string();
    let slice = slice_id(transaction, game)?;
    let mut insert = transaction.prepare_cached(INSERT)?;
    let mut count = transaction.prepare_cached(COUNT)?;
    let steps = positions.windows(2).zip(&game.turns).zip(&game.document.turns);
    for ((step, turn), sent) in steps {
        insert.execute(params![
            id,
            sent.turn_number,
            gold::side(sent.active_color),
            step[0],
            turn.dice,
            json_array(&sent.moves),
            step[1],
            sent.thinking_time_ms,
            turn.is_partial,
            turn.novelty,
            slice,
        ])?;
        if turn.novelty == 3 {
            count.execute((step[0], slice))?;
        }
    }
    Ok(())
}

fn insert_events(transaction: &Transaction<'_>, game: &GoldGame) -> rusqlite::Result<()> {
    const INSERT: &str = "INSERT INTO game_events (game_id, sequence_number, turn_number, \
                          event_type, actor_color, clock_white_ms, clock_black_ms, payload) \
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    if game.document.events.is_empty() {
        return Ok(());
    }
    let id = game.document.id.to_string();
    let mut insert = transaction.prepare_cached(INSERT)?;
    for event in &game.document.events {
        insert.execute(params![
            id,
            event.sequence_number,
            event.turn_number,
            gold::event_type(event.event_type),
            gold::side(event.actor_color),
            event.clock_white_ms,
            event.clock_black_ms,
            event.payload.as_ref().map(ToString::to_string),
        ])?;
    }
    Ok(())
}

/// The id of the slice that a game belongs to.
fn slice_id(transaction: &Transaction<'_>, game: &GoldGame) -> rusqlite::Result<i64> {
    const INSERT: &str = "INSERT INTO slices (source, mode, result, least_rating) \
                          VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    const SELECT: &str = "SELECT id FROM slices WHERE source = ?1 AND mode = ?2 \
         AND ifnull(result, 2) = ifnull(?3, 2) AND ifnull(least_rating, -9223372036854775808) \
         = ifnull(?4, -9223372036854775808)";
    let document = &game.document;
    let mode = gold::mode(document.mode);
    let values = (&document.source, mode, document.result, game.least_rating());
    if transaction.prepare_cached(INSERT)?.execute(values)? == 1 {
        return Ok(transaction.last_insert_rowid());
    }
    transaction.prepare_cached(SELECT)?.query_row(values, |row| row.get(0))
}

/// A number as it was sent, whole or not.
fn number(number: &Number) -> Value {
    number.as_i64().map_or_else(|| Value::from(number.as_f64()), Value::from)
}

/// Moves are letters and digits, so that nothing needs to be escaped.
fn json_array(moves: &[String]) -> String {
    let mut json = String::with_capacity(2 + moves.len() * 8);
    json.push('[');
    for (place, text) in moves.iter().enumerate() {
        json.push_str(if place == 0 { "\"" } else { ",\"" });
        json.push_str(text);
        json.push('"');
    }
    json.push(']');
    json
}

/// A replaced game keeps its place and the time of its first arrival.
const UPSERT_GAME: &str = "\
    INSERT INTO games (id, source, white_player_id, black_player_id, white_rating, black_rating, \
    mode, result, termination, initial_position_id, final_position_id, total_turns, \
    time_initial_sec, time_increment_sec, initial_stake_amount, final_stake_amount, \
    white_money_delta, black_money_delta, stake_currency, started_at, started_at_ms, created_at) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, \
    ?20, ?21, ?22) \
    ON CONFLICT (id) DO UPDATE SET source = excluded.source, \
    white_player_id = excluded.white_player_id, black_player_id = excluded.black_player_id, \
    white_rating = excluded.white_rating, black_rating = excluded.black_rating, \
    mode = excluded.mode, result = excluded.result, termination = excluded.termination, \
    initial_position_id = excluded.initial_position_id, \
    final_position_id = excluded.final_position_id, total_turns = excluded.total_turns, \
    time_initial_sec = excluded.time_initial_sec, \
    time_increment_sec = excluded.time_increment_sec, \
    initial_stake_amount = excluded.initial_stake_amount, \
    final_stake_amount = excluded.final_stake_amount, \
    white_money_delta = excluded.white_money_delta, \
    black_money_delta = excluded.black_money_delta, stake_currency = excluded.stake_currency, \
    started_at = excluded.started_at, started_at_ms = excluded.started_at_ms";
