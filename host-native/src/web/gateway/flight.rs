//! One effect for equal posts at the same moment.
//!
//! Decides who of those that post one game at once goes to analytics: one after the other, and
//! whoever waited behind an equal body takes that one's answer, whatever it was. What was answered
//! is forgotten when nobody waits any more; the answers that are kept for ever are the store's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use dicechess_core::ids::GameId;
use tokio::sync::Mutex as Turn;

use super::games::Answer;

/// The games that are being posted.
#[derive(Default)]
pub(super) struct Flights(Mutex<HashMap<GameId, Arc<Turn<Landed>>>>);

/// The last body that went to analytics, and its answer.
type Landed = Option<(Bytes, Answer)>;

impl Flights {
    /// The answer to a post: that of an equal one that went before while this one waited, or else
    /// that of `send`.
    pub(super) async fn join(
        &self,
        game: GameId,
        body: Bytes,
        send: impl AsyncFnOnce(&Bytes) -> Answer,
    ) -> Answer {
        let seat = Seat { flights: self, game, turn: self.turn_of(game) };
        let mut landed = seat.turn.lock().await;
        if let Some((_, answer)) = landed.as_ref().filter(|(earlier, _)| *earlier == body) {
            return answer.clone();
        }
        let answer = send(&body).await;
        *landed = Some((body, answer.clone()));
        answer
    }

    fn turn_of(&self, game: GameId) -> Arc<Turn<Landed>> {
        Arc::clone(self.games().entry(game).or_default())
    }

    fn games(&self) -> MutexGuard<'_, HashMap<GameId, Arc<Turn<Landed>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue of a game. The last one to leave takes the queue away.
struct Seat<'a> {
    flights: &'a Flights,
    game: GameId,
    turn: Arc<Turn<Landed>>,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut games = self.flights.games();
        // Ours and the map's.
        if Arc::strong_count(&self.turn) == 2 {
            games.remove(&self.game);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU16, Ordering};

    use super::*;

    const GAME: GameId = GameId::from_bits(1);

    #[tokio::test]
    async fn equal_posts_go_once_and_others_take_turns() {
        let flights = Arc::new(Flights::default());
        let sent = Arc::new(AtomicU16::new(0));
        let gate = Arc::new(tokio::sync::Semaphore::new(0));
        let posts: Vec<_> = (0..30)
            .map(|number| {
                let (flights, sent) = (Arc::clone(&flights), Arc::clone(&sent));
                let gate = Arc::clone(&gate);
                // A third of them differ among themselves and from the others.
                let body = if number % 3 == 0 { number.to_string() } else { "equal".to_owned() };
                tokio::spawn(async move {
                    let body = Bytes::from(body);
                    flights
                        .join(GAME, body, async |_| {
                            gate.acquire().await.unwrap().forget();
                            let status = sent.fetch_add(1, Ordering::SeqCst);
                            Answer { status, body: String::new() }
                        })
                        .await
                        .status
                })
            })
            .collect();
        gate.add_permits(100);
        for post in posts {
            post.await.unwrap();
        }
        let sent = sent.load(Ordering::SeqCst);
        assert!((11..=30).contains(&sent), "{sent}");
        assert!(flights.games().is_empty());
    }

    #[tokio::test]
    async fn those_who_wait_behind_an_equal_body_take_its_answer() {
        let flights = Arc::new(Flights::default());
        let gate = Arc::new(tokio::sync::Semaphore::new(0));
        let post = |status| {
            let (flights, gate) = (Arc::clone(&flights), Arc::clone(&gate));
            async move {
                let answer = flights.join(GAME, Bytes::from_static(b"equal"), async |_| {
                    gate.acquire().await.unwrap().forget();
                    Answer { status, body: String::new() }
                });
                answer.await.status
            }
        };
        let leader = tokio::spawn(post(201));
        while gate.available_permits() == 0 && flights.games().is_empty() {
            tokio::task::yield_now().await;
        }
        let others: Vec<_> = (0..9).map(|_| tokio::spawn(post(500))).collect();
        while Arc::strong_count(flights.games().get(&GAME).unwrap()) < 11 {
            tokio::task::yield_now().await;
        }
        gate.add_permits(1);
        assert_eq!(leader.await.unwrap(), 201);
        for other in others {
            assert_eq!(other.await.unwrap(), 201);
        }
        assert!(flights.games().is_empty());
    }
}
