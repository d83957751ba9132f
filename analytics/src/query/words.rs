//! The closed vocabularies of the parameters.

use serde::Serialize;
use utoipa::ToSchema;

/// An enum of words, with their spelling and the answer to any other word. The spelling is a `tt`,
/// because the derive for the description does not look into a `literal`.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$word_about:meta])* $word:ident = $text:tt,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
        pub(crate) enum $name {
            $($(#[$word_about])* #[serde(rename = $text)] $word,)+
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$word),)+
                    other => Err(super::values::unknown(other, &[$($text),+].join(", "))),
                }
            }
        }

        impl $name {
            /// The word as it is spelled.
            #[allow(dead_code, reason = "not every vocabulary is printed")]
            pub(crate) const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$word => $text,)+
                }
            }
        }
    };
}

words! {
    /// Whether the stake can be doubled.
    Mode {
        /// It is fixed.
        Classic = "classic",
        /// It can be doubled.
        X2 = "x2",
    }
}

words! {
    /// A side.
    Color {
        /// White.
        White = "w",
        /// Black.
        Black = "b",
    }
}

words! {
    /// What a player is.
    PlayerType {
        /// A person.
        Human = "human",
        /// The site itself.
        Bot = "bot",
    }
}

words! {
    /// How much was played for at the start.
    Stake {
        /// Nothing, or nothing known.
        Free = "free",
        /// 1 to 20.
        Low = "low",
        /// 21 to 200.
        Medium = "medium",
        /// More.
        High = "high",
    }
}

words! {
    /// What games are sorted by; those without the value come last in either order.
    Sort {
        /// The start.
        StartedAt = "started_at",
        /// The number of turns.
        TotalTurns = "total_turns",
        /// The stake at the end.
        FinalStakeAmount = "final_stake_amount",
        /// White's rating.
        WhiteRating = "white_rating",
        /// Black's rating.
        BlackRating = "black_rating",
    }
}

words! {
    /// The direction of a sort.
    Order {
        /// Lowest or oldest first.
        Asc = "asc",
        /// Highest or newest first.
        Desc = "desc",
    }
}
