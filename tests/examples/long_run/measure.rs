//! Memory and processor time of the daemon, second by second.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What was measured in one second.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Duration,
    pid: u32,
    resident_kib: u64,
    cpu_seconds: f64,
}

/// Measures a process until it is dropped.
pub(super) struct Meter {
    began: Instant,
    pid: Arc<AtomicU32>,
    samples: Arc<Mutex<Vec<Sample>>>,
    phases: Vec<(Duration, String)>,
    starts: Vec<Duration>,
    is_over: Arc<AtomicBool>,
    sampler: Option<JoinHandle<()>>,
}

impl Meter {
    pub(super) fn new() -> Self {
        let pid = Arc::new(AtomicU32::new(0));
        let samples: Arc<Mutex<Vec<Sample>>> = Arc::default();
        let is_over = Arc::new(AtomicBool::new(false));
        let began = Instant::now();
        let (process, kept, over) = (Arc::clone(&pid), Arc::clone(&samples), Arc::clone(&is_over));
        let sampler = thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_secs(1));
                let sample = sample(process.load(Ordering::Relaxed), began.elapsed());
                kept.lock().unwrap().extend(sample);
            }
        });
        let (phases, starts) = (vec![(Duration::ZERO, "calm".to_owned())], Vec::new());
        Self { began, pid, samples, phases, starts, is_over, sampler: Some(sampler) }
    }

    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_secs(self.began.elapsed().as_secs())
    }

    /// From now on this process is measured; its start took so long.
    pub(super) fn started(&mut self, took: Duration, pid: u32) {
        self.starts.push(took);
        self.pid.store(pid, Ordering::Relaxed);
    }

    /// A phase begins.
    pub(super) fn phase(&mut self, name: &str) {
        self.phases.push((self.began.elapsed(), name.to_owned()));
    }

    /// Prints the table.
    pub(super) fn print(&self) {
        let starts: Vec<_> = self.starts.iter().map(|took| took.as_millis()).collect();
        println!("\nStart-up, ms: {starts:?}");
        println!("\n| minutes | memory, MiB (median) | memory, MiB (most) | processor, % |");
        println!("|---|---|---|---|");
        let samples = self.samples.lock().unwrap();
        let end = samples.last().map_or(0, |sample| sample.at.as_secs());
        for window in 0..end.div_ceil(300) {
            let range = window * 300..(window + 1) * 300;
            let within: Vec<_> =
                samples.iter().filter(|sample| range.contains(&sample.at.as_secs())).collect();
            print_row(&format!("{} to {}", window * 5, window * 5 + 5), &within);
        }
        let idle = self.phases.iter().position(|(_, name)| name == "idle").unwrap();
        let range = self.phases[idle].0..self.phases[idle + 1].0;
        let within: Vec<_> = samples.iter().filter(|sample| range.contains(&sample.at)).collect();
        print_row("idle", &within);
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(sampler) = self.sampler.take() {
            let _ = sampler.join();
        }
    }
}

fn print_row(name: &str, samples: &[&Sample]) {
    let mut resident: Vec<_> = samples.iter().map(|sample| sample.resident_kib).collect();
    resident.sort_unstable();
    let (Some(most), Some(median)) = (resident.last(), resident.get(resident.len() / 2)) else {
        return;
    };
    // Differences within one process, as each start counts from zero.
    let pairs = samples.windows(2).filter(|pair| pair[0].pid == pair[1].pid);
    let (cpu, time) = pairs.fold((0.0, 0.0), |(cpu, time), pair| {
        let passed = (pair[1].at - pair[0].at).as_secs_f64();
        (cpu + pair[1].cpu_seconds - pair[0].cpu_seconds, time + passed)
    });
    let mib = |kib: &u64| *kib as f64 / 1024.0;
    println!("| {name} | {:.1} | {:.1} | {:.2} |", mib(median), mib(most), 100.0 * cpu / time);
}

/// What the system says of a process that lives.
fn sample(pid: u32, at: Duration) -> Option<Sample> {
    /// Linux counts processor time in hundredths of a second.
    const TICKS_A_SECOND: f64 = 100.0;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let resident_kib = resident.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<_> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    let cpu_seconds = (ticks(11)? + ticks(12)?) / TICKS_A_SECOND;
    Some(Sample { at, pid, resident_kib, cpu_seconds })
}
