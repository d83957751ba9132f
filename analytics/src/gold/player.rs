//! A player as analytics knows one.
//!
//! Decides a player's id: the UUID version 5 (RFC 9562) of his external id in a namespace of ours.
//! Whoever builds the store anew from the bodies gets the same ids.

use dicechess_core::ingest::{IngestPlayer, IngestPlayerType};
use uuid::Uuid;

/// The namespace of player ids: the UUID version 5 of `dicechess.com` in the namespace of domain
/// names.
const NAMESPACE: Uuid = Uuid::from_u128(0x0a380cc9_3675_561a_a99b_0ba2d6b9fdfc);

/// One side's player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GoldPlayer {
    /// His UUID.
    pub(crate) id: String,
    /// The id that the source knows him by.
    pub(crate) external_id: String,
    /// His name, whole.
    pub(crate) username: Option<String>,
    /// `human` or `bot`.
    pub(crate) player_type: &'static str,
}

impl GoldPlayer {
    pub(super) fn of(player: &IngestPlayer) -> Self {
        Self {
            id: player_id(&player.external_id).to_string(),
            external_id: player.external_id.clone(),
            username: player.username.clone(),
            player_type: match player.player_type {
                IngestPlayerType::Human => "human",
                IngestPlayerType::Bot => "bot",
            },
        }
    }
}

/// The form in which names are compared.
pub(crate) fn fold_name(name: &str) -> String {
    name.to_lowercase()
}

fn player_id(external_id: &str) -> Uuid {
    Uuid::new_v5(&NAMESPACE, external_id.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_DNS, "dicechess.com"), "12345")` in Python.
    #[test]
    fn ids_are_those_of_any_other_implementation() {
        assert_eq!(NAMESPACE, Uuid::new_v5(&Uuid::NAMESPACE_DNS, b"dicechess.com"));
        assert_eq!(player_id("12345").to_string(), "5793d907-6fb4-5f8a-a5e2-6475c4a0b442");
    }
}
