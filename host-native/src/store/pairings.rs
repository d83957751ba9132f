//! Paired browser extensions and the one-time codes with which they are paired.
//!
//! Decides that neither codes nor secrets are stored, only their hashes, that hashes are compared in
//! constant time, and that a code is used once. How codes look and how long they are good is
//! [`dicechess_core::pairing`]'s decision.

use dicechess_core::pairing::{CODE_LIFE, MOST_FAILED_TRIES, PairingCode};
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, Row, Transaction};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::columns::iso;
use super::error::Fault;
use super::{Store, StoreError};

/// A pairing's number.
pub type PairingId = i64;

/// A paired extension, or one that was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pairing {
    /// Its number.
    pub id: PairingId,
    /// What the operator or the extension called it.
    pub label: Option<String>,
    /// The extension's origin.
    pub origin: String,
    /// When it was paired.
    pub created_at: String,
    /// When it last sent a game.
    pub last_used_at: Option<String>,
    /// When it was revoked.
    pub revoked_at: Option<String>,
}

/// What an extension that redeems a code says of itself.
#[derive(Debug)]
pub struct PairingRequest<'a> {
    /// Where its requests come from.
    pub origin: &'a str,
    /// What it calls itself; the label given with the code goes before.
    pub label: Option<&'a str>,
    /// The secret it will send from now on.
    pub secret: &'a SecretString,
}

impl Store {
    /// Makes a code good for ten minutes. Returns its end.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn add_pairing_code(
        &self,
        code: PairingCode,
        label: Option<&str>,
        now: UnixMillis,
    ) -> Result<UnixMillis, StoreError> {
        const SQL: &str = "INSERT INTO pairing_codes (code_hash, label, created_at, expires_at_ms)
            VALUES (?1, ?2, ?3, ?4)";
        let expires_at = now + CODE_LIFE;
        self.write(|tx| {
            drop_expired(tx, now)?;
            tx.execute(SQL, (hash(&code.to_string()), label, iso(now), expires_at.0))?;
            Ok(expires_at)
        })
    }

    /// Pairs an extension that sends a good code, which is good no more afterwards. `None` for any
    /// other code: it counts against all codes that are good now.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn redeem_pairing_code(
        &self,
        code: PairingCode,
        request: &PairingRequest<'_>,
        now: UnixMillis,
    ) -> Result<Option<PairingId>, StoreError> {
        const USED: &str = "DELETE FROM pairing_codes WHERE code_hash = ?1";
        const SQL: &str = "INSERT INTO pairings (label, origin, secret_hash, created_at)
            VALUES (?1, ?2, ?3, ?4)";
        self.write(|tx| {
            drop_expired(tx, now)?;
            let Some((code_hash, label)) = find_code(tx, &hash(&code.to_string()))? else {
                count_failed_try(tx)?;
                return Ok(None);
            };
            tx.execute(USED, [code_hash])?;
            let label = label.as_deref().or(request.label);
            let secret_hash = hash(request.secret.expose_secret());
            tx.execute(SQL, (label, request.origin, secret_hash, iso(now)))?;
            Ok(Some(tx.last_insert_rowid()))
        })
    }

    /// Whose secret it is; `None` for one that is unknown or revoked.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn pairing_with_secret(
        &self,
        secret: &SecretString,
    ) -> Result<Option<PairingId>, StoreError> {
        const SQL: &str = "SELECT secret_hash, id FROM pairings WHERE revoked_at IS NULL";
        let hash = hash(secret.expose_secret());
        self.read(|connection| Ok(find_by_hash(connection, SQL, &hash)?.map(|(_, id)| id)))
    }

    /// Whether an extension of this origin is paired.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn is_paired_origin(&self, origin: &str) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT EXISTS (SELECT 1 FROM pairings
            WHERE origin = ?1 AND revoked_at IS NULL)";
        self.read(|connection| {
            Ok(connection.prepare_cached(SQL)?.query_row([origin], |row| row.get(0))?)
        })
    }

    /// All pairings, the newest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn pairings(&self) -> Result<Vec<Pairing>, StoreError> {
        const SQL: &str = "SELECT * FROM pairings ORDER BY id DESC";
        self.read(|connection| {
            let mut statement = connection.prepare_cached(SQL)?;
            Ok(statement.query_map([], pairing)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Revokes a pairing: its secret and its origin are not let in any more. Whether there was one
    /// that was not revoked yet.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn revoke_pairing(&self, id: PairingId, now: UnixMillis) -> Result<bool, StoreError> {
        const SQL: &str = "UPDATE pairings SET revoked_at = ?2
            WHERE id = ?1 AND revoked_at IS NULL";
        self.write(|tx| Ok(tx.execute(SQL, (id, iso(now)))? == 1))
    }
}

/// Notes that a pairing is used. Whether it is still good.
pub(super) fn use_pairing(
    tx: &Transaction<'_>,
    id: PairingId,
    now: UnixMillis,
) -> Result<bool, Fault> {
    const SQL: &str = "UPDATE pairings SET last_used_at = ?2
        WHERE id = ?1 AND revoked_at IS NULL";
    Ok(tx.prepare_cached(SQL)?.execute((id, iso(now)))? == 1)
}

fn drop_expired(tx: &Transaction<'_>, now: UnixMillis) -> Result<(), Fault> {
    tx.execute("DELETE FROM pairing_codes WHERE expires_at_ms <= ?1", [now.0])?;
    Ok(())
}

fn find_code(tx: &Transaction<'_>, hash: &str) -> Result<Option<(String, Option<String>)>, Fault> {
    find_by_hash(tx, "SELECT code_hash, label FROM pairing_codes", hash)
}

/// The row whose first column is this hash. All rows are compared, each in constant time.
fn find_by_hash<T: rusqlite::types::FromSql>(
    connection: &Connection,
    sql: &str,
    hash: &str,
) -> Result<Option<(String, T)>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = None;
    for row in statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))? {
        let row = row?;
        if row.0.as_bytes().ct_eq(hash.as_bytes()).into() {
            found = Some(row);
        }
    }
    Ok(found)
}

fn count_failed_try(tx: &Transaction<'_>) -> Result<(), Fault> {
    tx.execute("UPDATE pairing_codes SET failed_tries = failed_tries + 1", [])?;
    tx.execute("DELETE FROM pairing_codes WHERE failed_tries >= ?1", [MOST_FAILED_TRIES])?;
    Ok(())
}

fn pairing(row: &Row<'_>) -> rusqlite::Result<Pairing> {
    Ok(Pairing {
        id: row.get("id")?,
        label: row.get("label")?,
        origin: row.get("origin")?,
        created_at: row.get("created_at")?,
        last_used_at: row.get("last_used_at")?,
        revoked_at: row.get("revoked_at")?,
    })
}

/// Both are random and long enough that nobody can go through all of them while they are good, so
/// they need neither salt nor a slow hash.
fn hash(secret: &str) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(secret.as_bytes()) {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}
