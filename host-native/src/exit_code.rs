//! The program's exit codes (contract, section 14).

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything was done.
    Done,
    /// The command line was wrong.
    Usage,
    /// A stage stopped early: circuit breaker, archive down, analytics refused the token.
    StoppedEarly,
    /// The site refused access: token or challenge.
    SiteRefused,
    /// Another process crawls this database.
    LeaseHeld,
    /// The input was bad.
    BadInput,
    /// A bug of ours.
    Bug,
    /// The database, or another file, could not be read or written.
    Storage,
    /// The configuration is wrong.
    Configuration,
}

impl Exit {
    /// The number that the shell sees.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Usage => 2,
            Self::StoppedEarly => 3,
            Self::SiteRefused => 4,
            Self::LeaseHeld => 5,
            Self::BadInput => 65,
            Self::Bug => 70,
            Self::Storage => 74,
            Self::Configuration => 78,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
