//! The binary: built once a process, run with a deadline.
//!
//! Decides that no setting of the caller's environment reaches the binary, and that no test hangs:
//! a run that takes too long is killed and fails the test with what it had printed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// How long a run may take unless a test says otherwise.
const DEADLINE: Duration = Duration::from_secs(120);

/// The binary, built from the present sources for the profile and target of the running test.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(build)
}

/// Cargo itself decides whether the binary is fresh and says where it is, so that it is never a
/// stale one, whichever runner runs the tests.
fn build() -> PathBuf {
    let place = BuildPlace::of_running_test();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "--package", "dicechess-sync", "--bin", "dicechess-sync"])
        .args(["--message-format", "json-render-diagnostics", "--profile", &place.profile])
        .arg("--target-dir")
        .arg(&place.target_dir)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    if let Some(triple) = &place.triple {
        cargo.args(["--target", triple]);
    }
    // What the runner says of this test. Some build scripts look at such variables, and their
    // crates would be built again.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "dicechess-sync does not build");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "dicechess-sync")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo names the executable it built")
}

/// Where the running test was built: `<target dir>[/<triple>]/<profile>/deps/<test>`.
struct BuildPlace {
    target_dir: PathBuf,
    triple: Option<String>,
    profile: String,
}

impl BuildPlace {
    fn of_running_test() -> Self {
        let test = std::env::current_exe().unwrap();
        let profile_dir = test.ancestors().nth(2).unwrap();
        let above = profile_dir.parent().unwrap();
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let profile = match name(profile_dir).as_str() {
            "debug" => "dev".to_owned(),
            other => other.to_owned(),
        };
        // Only the root of a target directory has this file.
        if above.join(".rustc_info.json").exists() {
            return Self { target_dir: above.to_owned(), triple: None, profile };
        }
        let target_dir = above.parent().unwrap().to_owned();
        Self { target_dir, triple: Some(name(above)), profile }
    }
}

/// A run to be.
#[derive(Debug, Clone)]
pub struct Invocation {
    args: Vec<OsString>,
    settings: BTreeMap<OsString, OsString>,
    directory: PathBuf,
    stdin: Option<Vec<u8>>,
    deadline: Duration,
}

impl Invocation {
    /// The binary with arguments, in a directory, without any setting.
    pub fn new<I: IntoIterator<Item: AsRef<OsStr>>>(directory: &Path, args: I) -> Self {
        Self {
            args: args.into_iter().map(|arg| arg.as_ref().to_owned()).collect(),
            settings: BTreeMap::new(),
            directory: directory.to_owned(),
            stdin: None,
            deadline: DEADLINE,
        }
    }

    /// Other arguments in place of those it has.
    #[must_use]
    pub fn instead<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, args: I) -> Self {
        self.args = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        self
    }

    /// One more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// An environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.settings.insert(name.into(), value.as_ref().to_owned());
        self
    }

    /// No such environment variable.
    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.settings.remove(OsStr::new(name));
        self
    }

    /// What the run reads from standard input; nothing by default.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// How long the run may take.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Runs to the end.
    pub fn run(self) -> Finished {
        self.start().wait()
    }

    /// Starts the run and lets it go on.
    pub fn start(self) -> Running {
        let mut child = spawn(&mut self.command());
        if let Some(bytes) = self.stdin {
            let mut stdin = child.stdin.take().unwrap();
            // The run may end without reading all of it.
            thread::spawn(move || stdin.write_all(&bytes));
        }
        let stdout = Printed::collect(child.stdout.take().unwrap());
        let stderr = Printed::collect(child.stderr.take().unwrap());
        Running { child, stdout: Some(stdout), stderr: Some(stderr), deadline: self.deadline }
    }

    /// The command itself, for tests that handle the process on their own.
    pub fn command(&self) -> Command {
        let mut command = Command::new(binary());
        command.args(&self.args).current_dir(&self.directory).env_clear();
        // What a process needs to run at all, and coverage needs to be written.
        for name in ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let stdin = if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        command.envs(&self.settings).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Another build may replace the file at this very moment.
fn spawn(command: &mut Command) -> Child {
    let mut tries = 0;
    loop {
        match command.spawn() {
            Ok(child) => return child,
            Err(error) => {
                let passes =
                    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ExecutableFileBusy);
                assert!(passes && tries < 100, "{command:?}: {error}");
                tries += 1;
                thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

/// What a run has printed so far.
#[derive(Debug)]
struct Printed {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Printed {
    fn collect(mut pipe: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                kept.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Self { bytes, reader }
    }

    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    fn whole(self) -> String {
        self.reader.join().unwrap();
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }
}

/// A run under way. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: Option<Printed>,
    stderr: Option<Printed>,
    deadline: Duration,
}

impl Running {
    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has logged so far.
    pub fn logged(&self) -> String {
        self.stderr.as_ref().unwrap().so_far()
    }

    /// Waits until it has logged a text.
    #[track_caller]
    pub fn until_logged(&mut self, text: &str) {
        let begun = Instant::now();
        while !self.logged().contains(text) {
            let (is_late, has_ended) = (begun.elapsed() > self.deadline, self.has_ended());
            let logged = self.logged();
            assert!(!is_late && (!has_ended || logged.contains(text)), "no {text:?}:\n{logged}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Where a `serve` serves its pages, once it does: `http://127.0.0.1:…`.
    #[track_caller]
    pub fn pages(&mut self) -> String {
        self.until_logged("dashboard at http://");
        let logged = self.logged();
        let (_, rest) = logged.split_once("dashboard at ").unwrap();
        let url = rest.split(|c: char| c.is_whitespace() || c == '"').next().unwrap();
        url.trim_end_matches('/').to_owned()
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Kills it at once, as `kill -9` does, and waits until it is gone.
    pub fn kill(mut self) -> Finished {
        self.child.kill().unwrap();
        self.wait()
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until a condition holds; fails after the deadline, or when the run ends before.
    pub fn until(&mut self, what: &str, mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < self.deadline, "not in time: {what}");
            if self.has_ended() {
                assert!(holds(), "the run ended before: {what}");
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for the end; kills it and fails the test after the deadline.
    pub fn wait(mut self) -> Finished {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() > self.deadline {
                self.child.kill().unwrap();
                self.child.wait().unwrap();
                break None;
            }
            thread::sleep(Duration::from_millis(3));
        };
        let whole = |printed: Option<Printed>| printed.unwrap().whole();
        let (stdout, stderr) = (whole(self.stdout.take()), whole(self.stderr.take()));
        let Some(status) = status else {
            panic!("no end within {:?}\n{stdout}\n{stderr}", self.deadline)
        };
        Finished { status, stdout, stderr, took: begun.elapsed() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A run that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    status: ExitStatus,
    /// What it printed for scripts and people.
    pub stdout: String,
    /// What it logged.
    pub stderr: String,
    /// How long the end was waited for.
    pub took: Duration,
}

impl Finished {
    /// The exit code; `None` after a signal.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Fails the test unless the run ended with this code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code(),
            Some(code),
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// Standard output as one JSON value a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
