//! Taking over the bodies of a store that was made before the tables that answer questions.
//!
//! Decides the order (that of arrival, so that of two names the later one wins) and the steps: each
//! batch is one transaction with the number of its last row, so that an interrupted take-over goes
//! on where it was.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use super::gold;
use crate::acceptance::accept;
use crate::gold::GoldGame;

/// How many games one transaction takes over.
const BATCH: i64 = 200;

/// Takes over what is left.
pub(super) fn fill(connection: &mut Connection) -> rusqlite::Result<()> {
    let mut taken = 0;
    loop {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let Some(batch) = step(&transaction)? else { break };
        transaction.commit()?;
        taken += batch;
        tracing::info!("{taken} games taken over into the analytics tables");
    }
    Ok(())
}

/// The next batch and how many games were taken over; `None` when there is nothing left to do.
fn step(transaction: &Transaction<'_>) -> rusqlite::Result<Option<usize>> {
    let mut cursor = transaction.prepare_cached("SELECT last_rowid FROM gold_fill")?;
    let cursor: Option<i64> = cursor.query_row([], |row| row.get(0)).optional()?;
    let Some(cursor) = cursor else { return Ok(None) };
    let bodies = bodies(transaction, cursor)?;
    let Some((last, ..)) = bodies.last() else {
        transaction.execute("DELETE FROM gold_fill", [])?;
        return Ok(Some(0));
    };
    transaction.execute("UPDATE gold_fill SET last_rowid = ?1", [last])?;
    let mut taken = 0;
    for (_, id, body, received_at) in &bodies {
        taken += usize::from(take(transaction, id, body, received_at)?);
    }
    Ok(Some(taken))
}

type Body = (i64, String, String, String);

fn bodies(transaction: &Transaction<'_>, cursor: i64) -> rusqlite::Result<Vec<Body>> {
    const SELECT: &str = "SELECT rowid, id, body, received_at FROM accepted_games \
                          WHERE rowid > ?1 ORDER BY rowid LIMIT ?2";
    let mut select = transaction.prepare_cached(SELECT)?;
    select.query_map([cursor, BATCH], |row| row.try_into())?.collect()
}

fn take(
    transaction: &Transaction<'_>,
    id: &str,
    body: &str,
    received_at: &str,
) -> rusqlite::Result<bool> {
    if gold::contains(transaction, id)? {
        return Ok(false);
    }
    match accept(body.as_bytes()) {
        Ok(accepted) => {
            gold::insert(transaction, [&GoldGame::of(accepted)], received_at)?;
            Ok(true)
        }
        Err(rejection) => {
            tracing::warn!("game {id} was accepted once and is not any more: {rejection}");
            Ok(false)
        }
    }
}
