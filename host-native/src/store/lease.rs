//! The lease row: which process may crawl.
//!
//! Decides how the row is read and written, each time in one transaction. Leaves to the core
//! ([`dicechess_core::pacing::take_lease`]) whether it may be taken, and to [`super::lease_holder`]
//! whether its holder still lives.

use dicechess_core::pacing::{Lease, LeaseDecision, take_lease};
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use super::columns::unreadable;
use super::error::Fault;
use super::lease_holder::LeaseHolder;
use super::{Store, StoreError};

/// Whether the lease was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// It is ours until then, unless renewed.
    Taken {
        /// The end.
        until: UnixMillis,
    },
    /// Another process holds it.
    Held {
        /// Who.
        by: LeaseHolder,
        /// When to ask again.
        until: UnixMillis,
    },
}

impl Store {
    /// Takes the lease if it is free, ended, or held by a process of this machine that is dead.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn try_take_lease(
        &self,
        me: &LeaseHolder,
        now: UnixMillis,
    ) -> Result<LeaseOutcome, StoreError> {
        self.write_unguarded(|tx| {
            let current = load(tx)?;
            let is_dead = current.as_ref().is_some_and(|(holder, _)| holder.is_dead(me));
            let lease = current.as_ref().map(|(holder, expires_at)| Lease {
                holder: holder.name.clone(),
                expires_at: *expires_at,
            });
            match (take_lease(lease.as_ref(), &me.name, is_dead, now), current) {
                (LeaseDecision::Held { until }, Some((by, _))) => {
                    Ok(LeaseOutcome::Held { by, until })
                }
                (LeaseDecision::Held { until }, None) => {
                    Err(unreadable("lease", &format!("free and held until {until}")))
                }
                (LeaseDecision::Take(lease), _) => {
                    save(tx, me, lease.expires_at)?;
                    Ok(LeaseOutcome::Taken { until: lease.expires_at })
                }
            }
        })
    }

    /// Renews the lease. Returns its new end.
    ///
    /// # Errors
    /// [`StoreError::LeaseLost`] if another process has taken it, or nobody holds it.
    pub fn renew_lease(&self, me: &LeaseHolder, now: UnixMillis) -> Result<UnixMillis, StoreError> {
        self.write_unguarded(|tx| {
            check_held_by(tx, &me.name)?;
            let LeaseDecision::Take(lease) = take_lease(None, &me.name, false, now) else {
                return Err(Fault::LeaseLost);
            };
            save(tx, me, lease.expires_at)?;
            Ok(lease.expires_at)
        })
    }

    /// Gives the lease back. One that was lost stays with its new holder.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn release_lease(&self, me: &LeaseHolder) -> Result<(), StoreError> {
        self.write_unguarded(|tx| {
            tx.execute("DELETE FROM lease WHERE holder = ?1", [&me.name])?;
            Ok(())
        })
    }

    /// Who holds the lease, and until when.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn lease(&self) -> Result<Option<(LeaseHolder, UnixMillis)>, StoreError> {
        self.read(load)
    }
}

/// Fails unless the named process holds the lease. An end that has passed does not matter as long
/// as nobody else has taken it.
pub(super) fn check_held_by(tx: &Transaction<'_>, holder: &str) -> Result<(), Fault> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM lease WHERE holder = ?1)";
    let is_held: bool = tx.prepare_cached(SQL)?.query_row([holder], |row| row.get(0))?;
    if is_held { Ok(()) } else { Err(Fault::LeaseLost) }
}

/// The row, if there is one.
pub(super) fn load(connection: &Connection) -> Result<Option<(LeaseHolder, UnixMillis)>, Fault> {
    const SQL: &str = "SELECT holder, host, pid, process_start, expires_at_ms FROM lease";
    let read = |row: &Row<'_>| {
        let holder = LeaseHolder {
            name: row.get("holder")?,
            host: row.get("host")?,
            pid: row.get("pid")?,
            process_start: row.get("process_start")?,
        };
        Ok((holder, UnixMillis(row.get("expires_at_ms")?)))
    };
    Ok(connection.prepare_cached(SQL)?.query_row([], read).optional()?)
}

fn save(tx: &Transaction<'_>, holder: &LeaseHolder, until: UnixMillis) -> Result<(), Fault> {
    const SQL: &str = "INSERT OR REPLACE INTO lease
            (id, holder, host, pid, process_start, expires_at_ms)
        VALUES (1, :holder, :host, :pid, :start, :until)";
    tx.prepare_cached(SQL)?.execute(named_params! {
        ":holder": holder.name,
        ":host": holder.host,
        ":pid": holder.pid,
        ":start": holder.process_start,
        ":until": until.0,
    })?;
    Ok(())
}
