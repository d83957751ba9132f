//! Doubles offered, accepted and declined.

/// An event about doubling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoubleEvent {
    /// A double is offered.
    Offer,
    /// It is accepted.
    Accept,
    /// It is declined.
    Decline,
}

/// How offers were answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answers {
    /// Offers that were accepted.
    pub accepted: u64,
    /// Offers that were declined.
    pub declined: u64,
}

/// The answers to a player's offers and to those of his opponents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Doubling {
    /// What the player offered.
    pub player_offered: Answers,
    /// What his opponents offered.
    pub opponent_offered: Answers,
}

impl Doubling {
    /// Adds one game's events in order, each with whether the player is its actor.
    ///
    /// An answer belongs to the latest offer before it, whoever gave it. An earlier offer that was
    /// not answered and an answer without an offer count nowhere.
    pub fn add_game(&mut self, events: impl IntoIterator<Item = (DoubleEvent, bool)>) {
        let mut open = None;
        for (event, by_player) in events {
            match (event, open) {
                (DoubleEvent::Offer, _) => open = Some(by_player),
                (_, None) => {}
                (answer, Some(player_offered)) => {
                    self.answer(answer, player_offered);
                    open = None;
                }
            }
        }
    }

    fn answer(&mut self, answer: DoubleEvent, player_offered: bool) {
        let answers =
            if player_offered { &mut self.player_offered } else { &mut self.opponent_offered };
        match answer {
            DoubleEvent::Accept => answers.accepted += 1,
            DoubleEvent::Decline => answers.declined += 1,
            DoubleEvent::Offer => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DoubleEvent::{Accept, Decline, Offer};
    use super::*;

    #[test]
    fn an_answer_belongs_to_the_latest_offer() {
        let mut doubling = Doubling::default();
        doubling.add_game([(Offer, true), (Accept, false), (Offer, false), (Decline, true)]);
        doubling.add_game([(Offer, true), (Offer, false), (Accept, true), (Accept, false)]);
        doubling.add_game([(Decline, true), (Offer, true)]);
        doubling.add_game([(Accept, false)]);
        assert_eq!(doubling.player_offered, Answers { accepted: 1, declined: 0 });
        assert_eq!(doubling.opponent_offered, Answers { accepted: 1, declined: 1 });
    }
}
