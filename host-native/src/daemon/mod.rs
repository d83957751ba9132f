//! The daemon: crawls for months, one cycle after the other.
//!
//! | file | decides |
//! |---|---|
//! | `view` | what others see of it |

mod view;

pub use view::{DaemonHandle, DaemonView, Role, StageView};
