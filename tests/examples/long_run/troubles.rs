//! What goes wrong, one after the other.

use dicechess_sim::{Endpoint, Fault, FaultRule, RetryAfter, When};
use dicechess_tests::Scripted;
use rustix::process::Signal;

use super::Run;

/// Something that goes wrong for a while.
pub(super) enum Trouble {
    /// The site answers badly.
    Site(&'static str, FaultRule),
    /// The site refuses until there is a new token.
    Refusal(&'static str, Fault),
    /// The analytics service is down.
    Analytics,
    /// The archive service is down.
    Archive,
    /// The process is killed at once and started again.
    Kill,
    /// The process is stopped cleanly and started again.
    Restart,
}

impl Trouble {
    pub(super) fn all() -> Vec<Self> {
        let retry_after = RetryAfter::Seconds(2);
        let half = |fault| FaultRule { when: When::EveryNth(2), ..FaultRule::new(fault) };
        vec![
            Self::Site("502 for every second request", half(Fault::Status { status: 502 })),
            Self::Site("connections reset", half(Fault::Reset)),
            Self::Site(
                "429 with Retry-After",
                FaultRule::new(Fault::TooManyRequests { retry_after }),
            ),
            Self::Analytics,
            Self::Site("bodies cut off", half(Fault::CutBody)),
            Self::Site("JSON cut off", half(Fault::TruncatedJson)),
            Self::Kill,
            Self::Site("no answer in time", half(Fault::Stall { millis: 5000 })),
            Self::Refusal("the token expired", Fault::Unauthorized),
            Self::Archive,
            Self::Site(
                "broken history entries",
                FaultRule::new(Fault::NoList).on(Endpoint::History),
            ),
            Self::Restart,
            Self::Site("everything fails", FaultRule::new(Fault::Status { status: 500 })),
            Self::Refusal("a Cloudflare challenge", Fault::Challenge { status: 403 }),
        ]
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Site(name, _) | Self::Refusal(name, _) => name,
            Self::Analytics => "analytics down",
            Self::Archive => "archive down",
            Self::Kill => "kill -9",
            Self::Restart => "restart",
        }
    }

    pub(super) fn begin(&self, run: &mut Run) {
        let down = Some(Scripted::new(503, "down"));
        match self {
            Self::Site(_, rule) => run.site.set_fault(rule.clone()),
            Self::Refusal(_, fault) => run.site.set_fault(FaultRule::new(fault.clone())),
            Self::Analytics => run.analytics.always(down),
            Self::Archive => run.archive.always(down),
            Self::Kill | Self::Restart => {
                let signal = if matches!(self, Self::Kill) { Signal::KILL } else { Signal::TERM };
                run.stop(signal);
                run.start();
            }
        }
    }

    pub(super) fn end(&self, run: &mut Run) {
        match self {
            Self::Site(..) => run.site.clear_faults(),
            Self::Refusal(..) => {
                run.site.clear_faults();
                run.renew_token();
            }
            Self::Analytics => run.analytics.always(None),
            Self::Archive => run.archive.always(None),
            Self::Kill | Self::Restart => {}
        }
    }
}
