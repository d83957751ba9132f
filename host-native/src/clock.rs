//! The host's clock, the only place where time is asked for.

use std::time::{SystemTime, UNIX_EPOCH};

use dicechess_core::time::UnixMillis;

/// The present time.
pub fn now() -> UnixMillis {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
