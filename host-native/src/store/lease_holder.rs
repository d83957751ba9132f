//! Who holds a lease, and whether that process still lives.
//!
//! Decides what identifies a process: the machine with its boot and its process namespace, the
//! process id, and when the process started, as ids are used again. In doubt a process counts as
//! alive, and its lease ends by itself.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A process that holds a lease, or wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseHolder {
    /// A name that no other holder has.
    pub name: String,
    /// The machine, its boot and its process namespace. Ids of processes mean nothing elsewhere.
    pub host: String,
    /// The process id.
    pub pid: i32,
    /// When the process started, in clock ticks since the boot, where the system tells.
    pub process_start: Option<i64>,
}

/// As a person is told of it: without the numbers that only tell machines apart.
impl fmt::Display for LeaseHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, machine_name(&self.host))
    }
}

/// The machine's own name, of what tells it from all others.
pub fn machine_name(host: &str) -> &str {
    host.split_whitespace().next().unwrap_or("an unnamed machine")
}

impl LeaseHolder {
    /// A new holder in this process. Two of one process are two holders.
    #[must_use]
    pub fn this_process() -> Self {
        static COUNTER: AtomicU64 = AtomicU64::new(1);
        let host = system::host();
        let pid = std::process::id().cast_signed();
        let process_start = system::process_of(pid).and_then(|process| process.start);
        let counter = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{host}/{pid}/{}/{counter}", process_start.unwrap_or_default());
        Self { name, host, pid, process_start }
    }

    /// Whether this was a process of the same machine as `me` and no longer lives.
    pub(super) fn is_dead(&self, me: &Self) -> bool {
        if self.host != me.host || self.host.is_empty() {
            return false;
        }
        if system::is_gone(self.pid) {
            return true;
        }
        let Some(process) = system::process_of(self.pid) else { return false };
        process.has_ended || (self.process_start.is_some() && self.process_start != process.start)
    }
}

/// What the system tells about a process.
struct Process {
    start: Option<i64>,
    /// It has ended and only waits for its parent to take note.
    has_ended: bool,
}

#[cfg(unix)]
mod system {
    use std::fs;

    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    use super::Process;

    pub(super) fn host() -> String {
        let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let parts = [name, boot.trim().to_owned(), namespace.to_string_lossy().into_owned()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn is_gone(pid: i32) -> bool {
        // A process of another user counts as alive: the system refuses the signal.
        Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
    }

    pub(super) fn process_of(pid: i32) -> Option<Process> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the command in parentheses, which may contain anything.
        let (_, fields) = stat.rsplit_once(") ")?;
        let mut fields = fields.split(' ');
        let has_ended = matches!(fields.next(), Some("Z" | "X"));
        Some(Process { start: fields.nth(START_FIELD)?.parse().ok(), has_ended })
    }

    /// Field 22 of the file is the 19th after the state.
    const START_FIELD: usize = 18;
}

#[cfg(not(unix))]
mod system {
    use super::Process;

    /// Nothing identifies the machine, so no holder ever counts as dead.
    pub(super) fn host() -> String {
        String::new()
    }

    pub(super) fn is_gone(_pid: i32) -> bool {
        false
    }

    pub(super) fn process_of(_pid: i32) -> Option<Process> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn this_process_lives_and_an_ended_child_does_not() {
        let me = LeaseHolder::this_process();
        assert_ne!(me.name, LeaseHolder::this_process().name);
        assert!(!me.is_dead(&LeaseHolder::this_process()));

        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let process_start = system::process_of(pid).and_then(|process| process.start);
        let holder = LeaseHolder { pid, process_start, ..me.clone() };
        assert!(!holder.is_dead(&me));
        let earlier =
            LeaseHolder { process_start: process_start.map(|at| at - 1), ..holder.clone() };
        assert_eq!(earlier.is_dead(&me), process_start.is_some());
        let elsewhere = LeaseHolder { host: "elsewhere".to_owned(), ..earlier };
        assert!(!elsewhere.is_dead(&me));

        child.kill().unwrap();
        child.wait().unwrap();
        assert!(holder.is_dead(&me));

        let elsewhere = LeaseHolder { host: "pi 0b5f1c3e ns4026531836".to_owned(), pid: 7, ..me };
        assert_eq!(elsewhere.to_string(), "process 7 on pi");
    }
}
