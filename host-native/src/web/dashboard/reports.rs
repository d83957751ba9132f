//! Answers of the embedded analytics, which can take long over millions of turns.
//!
//! Decides that they are computed in the background, one at a time, and how long one is shown before
//! it is computed anew: at least a minute, and twenty times as long as it took.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dicechess_analytics::Receiver;
use dicechess_analytics::report::{self, DiceQuery, DiceReport, PlayerReport, ReportError};
use dicechess_core::ids::UserId;
use dicechess_core::time::UnixMillis;
use tokio::sync::Notify;

use crate::clock::now;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Are the dice fair?
    Dice,
    /// How does this player do?
    Player(UserId),
}

/// The answer.
pub(super) enum Report {
    Dice(DiceReport),
    Player(PlayerReport),
    /// The player has no game in analytics yet.
    NoGames,
    /// There is no answer, and why.
    Failed(String),
}

/// An answer and its age.
pub(super) struct Answered {
    pub(super) report: Report,
    pub(super) at: UnixMillis,
    took: Duration,
    ended: Instant,
}

/// What there is to show.
pub(super) enum Answer {
    /// An answer; it may be computed anew meanwhile.
    Ready(Arc<Answered>),
    /// None yet: ask again.
    Working,
}

/// The answers of late.
#[derive(Default)]
pub(super) struct Reports {
    inner: Mutex<Inner>,
    finished: Notify,
}

#[derive(Default)]
struct Inner {
    /// The latest last.
    answers: VecDeque<(Question, Arc<Answered>)>,
    is_working: bool,
}

impl Reports {
    /// The answer, after a short wait where there is none yet.
    pub(super) async fn ask(self: &Arc<Self>, receiver: &Arc<Receiver>, asked: Question) -> Answer {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let finished = self.finished.notified();
            let known = self.begin_if_due(receiver, asked);
            if let Some(answer) = known {
                return Answer::Ready(answer);
            }
            if tokio::time::timeout_at(deadline, finished).await.is_err() {
                return Answer::Working;
            }
        }
    }

    /// What is known; begins to compute what is missing or old, unless something is computed now.
    fn begin_if_due(
        self: &Arc<Self>,
        receiver: &Arc<Receiver>,
        asked: Question,
    ) -> Option<Arc<Answered>> {
        let mut inner = self.lock();
        let known = inner.answers.iter().find(|(question, _)| *question == asked);
        let known = known.map(|(_, answer)| Arc::clone(answer));
        let is_due = known.as_ref().is_none_or(|answer| answer.is_old());
        if is_due && !inner.is_working {
            inner.is_working = true;
            let (reports, receiver) = (Arc::clone(self), Arc::clone(receiver));
            tokio::task::spawn_blocking(move || {
                // Puts the flag back whatever happens.
                let working = Working(reports);
                let answered = answer(&receiver, asked);
                working.0.keep(asked, answered);
            });
        }
        known
    }

    fn keep(&self, asked: Question, answered: Answered) {
        let mut inner = self.lock();
        inner.answers.retain(|(question, _)| *question != asked);
        if inner.answers.len() >= MOST_ANSWERS {
            inner.answers.pop_front();
        }
        inner.answers.push_back((asked, Arc::new(answered)));
    }

    /// No change is left half done by a panic.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stands for the one computation.
struct Working(Arc<Reports>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.lock().is_working = false;
        self.0.finished.notify_waiters();
    }
}

impl Answered {
    fn is_old(&self) -> bool {
        self.ended.elapsed() >= (self.took * SHARE).max(FRESH)
    }
}

fn answer(receiver: &Receiver, asked: Question) -> Answered {
    let began = Instant::now();
    let report = compute(receiver, asked).unwrap_or_else(|error| Report::Failed(error.to_string()));
    Answered { report, at: now(), took: began.elapsed(), ended: Instant::now() }
}

fn compute(receiver: &Receiver, asked: Question) -> Result<Report, Box<dyn std::error::Error>> {
    let connection = receiver.open_for_reading()?;
    match asked {
        Question::Dice => Ok(Report::Dice(report::dice(&connection, &DiceQuery::default())?)),
        Question::Player(user) => match report::player(&connection, &user.to_string()) {
            Ok(report) => Ok(Report::Player(report)),
            Err(ReportError::UnknownPlayer(_)) => Ok(Report::NoGames),
            Err(error) => Err(error.into()),
        },
    }
}

const PATIENCE: Duration = Duration::from_millis(1500);
const FRESH: Duration = Duration::from_mins(1);
/// For each second of work so many of rest.
const SHARE: u32 = 20;
/// A player's report is a few kilobytes.
const MOST_ANSWERS: usize = 64;
