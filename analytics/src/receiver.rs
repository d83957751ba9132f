//! The receiver without HTTP.
//!
//! Decides the order of things: a body is judged before the store is touched, and everything that
//! one call accepts is stored in one transaction. A repeat is judged like any other body, and then
//! changes nothing.

use std::path::Path;
use std::sync::Arc;

use dicechess_core::ids::GameId;
use rayon::prelude::*;
use rusqlite::Connection;

use crate::acceptance::{Rejection, accept};
use crate::gold::GoldGame;
use crate::reply::Reply;
use crate::store::{AnalyticsStoreError, KeptGame, Store};

/// Judges games and keeps the accepted ones. Can be shared between threads.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// use dicechess_analytics::Receiver;
/// let receiver = Receiver::open(&directory.path().join("analytics.db"))?;
/// let body = br#"{"id": "0b5f1c3e-9a77-4c11-8e55-00000000abcd", "source": "dicechess.com",
///     "mode": "classic", "initial_fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "turns": []}"#;
/// assert_eq!(receiver.post(body).status(), 201);
/// assert_eq!(receiver.post(body).status(), 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Receiver {
    store: Store,
}

impl Receiver {
    /// Opens the store at `path`, and makes it with its folder when it is not there.
    ///
    /// # Errors
    /// The file cannot be opened, or is no analytics store of this or an earlier version.
    pub fn open(path: &Path) -> Result<Self, AnalyticsStoreError> {
        Store::open(path).map(|store| Self { store })
    }

    /// A further connection to the store for [`crate::report`]s, which reads only.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open_for_reading(&self) -> Result<Connection, AnalyticsStoreError> {
        self.store.open_for_reading()
    }

    /// `POST /api/games`: keeps a game unless it is there.
    pub fn post(&self, body: &[u8]) -> Reply {
        let game = match judge(body) {
            Ok(game) => game,
            Err(rejection) => return Reply::Rejected(rejection),
        };
        let id = game.id;
        match self.store.insert(&[game]) {
            Ok(created) => inserted(id, created == [true]),
            Err(error) => Reply::Storage(Arc::new(error)),
        }
    }

    /// Several posts with one transaction; the answers are in the order of the bodies.
    ///
    /// Bodies that are not accepted do not keep the others out. When the store fails, no game of
    /// the batch is kept.
    pub fn post_batch(&self, bodies: &[&[u8]]) -> Vec<Reply> {
        // Judging is most of the work and needs no store.
        let judged: Vec<_> = bodies.par_iter().map(|body| judge(body)).collect();
        let ids: Vec<_> = judged
            .iter()
            .map(|judged| judged.as_ref().map(|game| game.id).map_err(Clone::clone))
            .collect();
        let games: Vec<KeptGame<'_>> = judged.into_iter().flatten().collect();
        let stored = self.store.insert(&games).map_err(Arc::new);
        let mut created = stored.iter().flatten();
        let replies = ids.into_iter().map(|id| match (id, &stored) {
            (Err(rejection), _) => Reply::Rejected(rejection),
            (Ok(_), Err(error)) => Reply::Storage(Arc::clone(error)),
            (Ok(id), Ok(_)) => inserted(id, created.next() == Some(&true)),
        });
        replies.collect()
    }

    /// `PUT /api/games/{id}`: keeps a game, in place of the one that is there.
    pub fn replace(&self, path_id: &str, body: &[u8]) -> Reply {
        match judge_replacement(path_id, body) {
            Err(rejection) => Reply::Rejected(rejection),
            Ok(game) => match self.store.replace(&game) {
                Ok(true) => Reply::Created(game.id),
                Ok(false) => Reply::Replaced(game.id),
                Err(error) => Reply::Storage(Arc::new(error)),
            },
        }
    }

    /// The kept body of a game.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn body(&self, id: GameId) -> Result<Option<String>, AnalyticsStoreError> {
        self.store.body(id)
    }

    /// How many games are kept.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn count(&self) -> Result<u64, AnalyticsStoreError> {
        self.store.count()
    }

    /// Answers a question from one state of the store.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, AnalyticsStoreError> {
        self.store.read(work)
    }
}

fn judge(body: &[u8]) -> Result<KeptGame<'_>, Rejection> {
    let accepted = accept(body)?;
    let (id, body) = (accepted.game.id, accepted.body);
    Ok(KeptGame { id, body, gold: GoldGame::of(accepted) })
}

fn judge_replacement<'a>(path_id: &str, body: &'a [u8]) -> Result<KeptGame<'a>, Rejection> {
    let path_id: GameId =
        path_id.parse().map_err(|error| Rejection::Malformed(format!("path: {error}")))?;
    let game = judge(body)?;
    if game.id == path_id {
        Ok(game)
    } else {
        let both = format!("id: {} in the body, {path_id} in the path", game.id);
        Err(Rejection::Malformed(both))
    }
}

fn inserted(id: GameId, created: bool) -> Reply {
    if created { Reply::Created(id) } else { Reply::Existed(id) }
}
