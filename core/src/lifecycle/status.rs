//! The vocabulary of a game's state and its spelling in the store.
//!
//! Leaves to [`super::GameState`] how one status follows another.

use std::fmt;

/// The stages of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameStatus {
    /// Known from a history page; its moves are wanted.
    Discovered,
    /// The raw moves are stored; analytics has yet to get them.
    Fetched,
    /// Analytics has it.
    Posted,
    /// Analytics refused it for what it says.
    Rejected,
    /// A stage failed.
    Error(ErrorStage),
    /// Cancelled on the site: never fetched.
    Skipped,
}

/// The stage that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorStage {
    /// Fetching the moves; tried again by the timer.
    Fetch,
    /// Posting to analytics; tried again by the timer.
    Post,
    /// Reading the raw moves; parked until the code is fixed and the game is replayed.
    Normalize,
}

/// What analytics did with an accepted game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PostResult {
    /// 201: stored now.
    Created,
    /// 200: it was there already.
    Exists,
}

impl GameStatus {
    /// Every status, in the order a report shows them.
    pub const ALL: [Self; 8] = [
        Self::Discovered,
        Self::Fetched,
        Self::Posted,
        Self::Rejected,
        Self::Error(ErrorStage::Fetch),
        Self::Error(ErrorStage::Post),
        Self::Error(ErrorStage::Normalize),
        Self::Skipped,
    ];

    /// The column `games.status`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Discovered => "discovered",
            Self::Fetched => "fetched",
            Self::Posted => "posted",
            Self::Rejected => "rejected",
            Self::Error(_) => "error",
            Self::Skipped => "skipped",
        }
    }

    /// The column `games.error_stage`.
    #[must_use]
    pub const fn error_stage(self) -> Option<ErrorStage> {
        match self {
            Self::Error(stage) => Some(stage),
            Self::Discovered | Self::Fetched | Self::Posted | Self::Rejected | Self::Skipped => {
                None
            }
        }
    }

    /// Reads both columns. The stage of a status other than `error` is ignored, an error without
    /// a known stage is `None`.
    pub fn parse(status: &str, error_stage: Option<&str>) -> Option<Self> {
        match status {
            "discovered" => Some(Self::Discovered),
            "fetched" => Some(Self::Fetched),
            "posted" => Some(Self::Posted),
            "rejected" => Some(Self::Rejected),
            "error" => error_stage.and_then(ErrorStage::parse).map(Self::Error),
            "skipped" => Some(Self::Skipped),
            _ => None,
        }
    }
}

/// The status with its stage, as in `error/fetch`.
impl fmt::Display for GameStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        self.error_stage().map_or(Ok(()), |stage| write!(f, "/{}", stage.as_str()))
    }
}

impl ErrorStage {
    /// The column `games.error_stage`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Post => "post",
            Self::Normalize => "normalize",
        }
    }

    /// Reads the column.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Fetch, Self::Post, Self::Normalize].into_iter().find(|stage| stage.as_str() == text)
    }
}

impl PostResult {
    /// The column `games.post_result`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Exists => "exists",
        }
    }

    /// Reads the column.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Created, Self::Exists].into_iter().find(|result| result.as_str() == text)
    }
}
