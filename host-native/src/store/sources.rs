//! The sources of seeds: leaderboards with the validators of a conditional request.
//!
//! Decides that a body, its validators and the players it names are saved together, and that a
//! `304` changes the time of the check and nothing else.

use dicechess_core::time::UnixMillis;
use rusqlite::{OptionalExtension, Row};

use super::columns::{iso, time_column};
use super::players::{self, PlayerSighting};
use super::{Store, StoreError};

/// What is stored of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRecord {
    /// The header `ETag` of the stored body.
    pub etag: Option<String>,
    /// Its header `Last-Modified`.
    pub last_modified: Option<String>,
    /// The body as received; `None` if the source never answered.
    pub body: Option<String>,
    /// When the source was last asked.
    pub checked_at: UnixMillis,
    /// When the stored body was first received.
    pub changed_at: Option<UnixMillis>,
}

/// A new body of a source.
#[derive(Debug, Clone, Copy)]
pub struct SourceAcceptance<'a> {
    /// Which source.
    pub name: &'a str,
    /// The body as received.
    pub body: &'a str,
    /// Its header `ETag`.
    pub etag: Option<&'a str>,
    /// Its header `Last-Modified`.
    pub last_modified: Option<&'a str>,
    /// The players it names.
    pub players: &'a [PlayerSighting],
}

impl Store {
    /// What is stored of a source; `None` if it was never asked.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn source(&self, name: &str) -> Result<Option<SourceRecord>, StoreError> {
        const SQL: &str = "SELECT etag, last_modified, body, checked_at, changed_at
            FROM sources WHERE name = ?1";
        self.read(|connection| {
            Ok(connection.prepare_cached(SQL)?.query_row([name], source_record).optional()?)
        })
    }

    /// Saves a body, its validators and its players together.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn accept_source(
        &self,
        source: &SourceAcceptance<'_>,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        const SQL: &str = "INSERT INTO sources
                (name, etag, last_modified, body, checked_at, changed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?5)
            ON CONFLICT (name) DO UPDATE SET etag = excluded.etag,
                last_modified = excluded.last_modified, checked_at = excluded.checked_at,
                changed_at = iif(body IS excluded.body, changed_at, excluded.changed_at),
                body = excluded.body";
        self.write(|tx| {
            let SourceAcceptance { name, body, etag, last_modified, players } = source;
            tx.prepare_cached(SQL)?.execute((name, etag, last_modified, body, iso(now)))?;
            for player in *players {
                players::upsert(tx, player, now)?;
            }
            Ok(())
        })
    }

    /// Records that a source was asked and has nothing new.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn touch_source(&self, name: &str, now: UnixMillis) -> Result<(), StoreError> {
        const SQL: &str = "INSERT INTO sources (name, checked_at) VALUES (?1, ?2)
            ON CONFLICT (name) DO UPDATE SET checked_at = excluded.checked_at";
        self.write(|tx| {
            tx.prepare_cached(SQL)?.execute((name, iso(now)))?;
            Ok(())
        })
    }
}

impl SourceRecord {
    /// The headers that make the next request conditional.
    #[must_use]
    pub fn validators(&self) -> Vec<(&'static str, String)> {
        let etag = self.etag.clone().map(|etag| ("if-none-match", etag));
        let since = self.last_modified.clone().map(|since| ("if-modified-since", since));
        etag.into_iter().chain(since).collect()
    }
}

fn source_record(row: &Row<'_>) -> rusqlite::Result<SourceRecord> {
    Ok(SourceRecord {
        etag: row.get("etag")?,
        last_modified: row.get("last_modified")?,
        body: row.get("body")?,
        checked_at: time_column(row, "checked_at")?.unwrap_or_default(),
        changed_at: time_column(row, "changed_at")?,
    })
}
