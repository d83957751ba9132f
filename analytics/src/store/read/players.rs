//! Players and their present ratings.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row};

use crate::gold::fold_name;
use crate::model::PlayerSummary;
use crate::query::Mode;

/// A player's row.
#[derive(Debug, Clone)]
pub(crate) struct PlayerRow {
    pub(crate) id: String,
    pub(crate) username: Option<String>,
    pub(crate) player_type: String,
}

/// A player, if there is one.
pub(crate) fn player(connection: &Connection, id: &str) -> rusqlite::Result<Option<PlayerRow>> {
    const SELECT: &str = "SELECT id, username, player_type FROM players WHERE id = ?1";
    connection.prepare_cached(SELECT)?.query_row([id], player_row).optional()
}

/// A player with his classic rating, if there is one.
pub(crate) fn summary(
    connection: &Connection,
    id: &str,
) -> rusqlite::Result<Option<PlayerSummary>> {
    player(connection, id)?.map(|player| with_rating(connection, player)).transpose()
}

/// Players whose names contain a text in any case, in the order of their names; without a text,
/// all players.
pub(crate) fn search(
    connection: &Connection,
    name: Option<&str>,
    limit: i64,
) -> rusqlite::Result<Vec<PlayerSummary>> {
    const SELECT: &str = "SELECT id, username, player_type FROM players \
                          WHERE ?1 = '' OR instr(username_folded, ?1) > 0 \
                          ORDER BY username_folded NULLS LAST, id LIMIT ?2";
    let mut select = connection.prepare_cached(SELECT)?;
    let players = select
        .query_map((fold_name(name.unwrap_or_default()), limit), player_row)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    players.into_iter().map(|player| with_rating(connection, player)).collect()
}

/// A player's rating in the most recent rated game of a mode.
pub(crate) fn latest_rating(
    connection: &Connection,
    id: &str,
    mode: Mode,
) -> rusqlite::Result<Option<i64>> {
    const WHITE: &str = "SELECT started_at_ms, id, white_rating FROM games \
        WHERE white_player_id = ?1 AND mode = ?2 AND white_rating IS NOT NULL \
        ORDER BY started_at_ms DESC, id DESC LIMIT 1";
    const BLACK: &str = "SELECT started_at_ms, id, black_rating FROM games \
        WHERE black_player_id = ?1 AND mode = ?2 AND black_rating IS NOT NULL \
        ORDER BY started_at_ms DESC, id DESC LIMIT 1";
    let latest = |sql| {
        let mut select = connection.prepare_cached(sql)?;
        // A game without a start is older than all others, as nothing is less than something.
        let row = select.query_row((id, mode.as_str()), |row| {
            Ok(((row.get::<_, Option<i64>>(0)?, row.get::<_, String>(1)?), row.get::<_, i64>(2)?))
        });
        row.optional()
    };
    let (white, black) = (latest(WHITE)?, latest(BLACK)?);
    Ok(white.into_iter().chain(black).max().map(|(_, rating)| rating))
}

/// The players of a list, each looked up once.
#[derive(Debug, Default)]
pub(super) struct Summaries(HashMap<String, Option<PlayerSummary>>);

impl Summaries {
    pub(super) fn get(
        &mut self,
        connection: &Connection,
        id: Option<String>,
    ) -> rusqlite::Result<Option<PlayerSummary>> {
        let Some(id) = id else { return Ok(None) };
        if let Some(known) = self.0.get(&id) {
            return Ok(known.clone());
        }
        let found = summary(connection, &id)?;
        self.0.insert(id, found.clone());
        Ok(found)
    }
}

fn player_row(row: &Row<'_>) -> rusqlite::Result<PlayerRow> {
    Ok(PlayerRow { id: row.get(0)?, username: row.get(1)?, player_type: row.get(2)? })
}

fn with_rating(connection: &Connection, player: PlayerRow) -> rusqlite::Result<PlayerSummary> {
    let rating_classic = latest_rating(connection, &player.id, Mode::Classic)?;
    let PlayerRow { id, username, player_type } = player;
    Ok(PlayerSummary { id, username, player_type, rating_classic })
}
