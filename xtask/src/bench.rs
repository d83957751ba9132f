//! The benchmarks as ratios to parsing.
//!
//! Times differ from machine to machine; how long something takes against reading the same game's
//! JSON hardly does. `docs/benchmarks.md` states the bounds.

use anyhow::{Context, Result};

use crate::run::{self, cargo};

/// A benchmark.
struct Measured {
    name: String,
    median_ns: f64,
}

/// Runs the core's benchmarks and prints their medians and ratios; then the same over many games.
///
/// # Errors
/// A benchmark cannot be run, or none is called `parse`.
pub(crate) fn run() -> Result<()> {
    let table = run::stdout(&mut cargo("bench --quiet --package dicechess-core --bench *"))?;
    let measured = read_table(&table);
    let parse = measured.iter().find(|benchmark| benchmark.name == "parse");
    let parse = parse.context("no benchmark is called `parse`")?.median_ns;
    println!("{:<30} {:>12} {:>12}", "one game (15 turns, 29 KB)", "median", "of parsing");
    for Measured { name, median_ns } in &measured {
        println!("{name:<30} {:>9.2} µs {:>10.3} x", median_ns / 1000.0, median_ns / parse);
    }
    println!();
    run::run(&mut cargo("run --quiet --release --package dicechess-sim --example ratios"))
}

/// Reads divan's tables: `├─ name  fastest │ slowest │ median │ mean │ samples │ iters`. A line
/// without times names a group, whose members stand below it, further in.
fn read_table(table: &str) -> Vec<Measured> {
    let mut group = "";
    let mut measured = Vec::new();
    for line in table.lines() {
        let columns: Vec<&str> = line.rsplitn(6, '│').collect();
        let [_, _, _, median, _, first] = columns.as_slice() else { continue };
        let mut words = first.split_ascii_whitespace().filter(|word| word.is_ascii());
        let Some(name) = words.next() else { continue };
        let Some(median_ns) = nanoseconds(median) else {
            group = name;
            continue;
        };
        let is_of_group = !line.starts_with(['├', '╰']);
        let name = if is_of_group { format!("{group} {name}") } else { name.to_owned() };
        measured.push(Measured { name, median_ns });
    }
    measured
}

fn nanoseconds(time: &str) -> Option<f64> {
    let (number, unit) = time.trim().split_once(' ')?;
    let unit = match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_divan() {
        let table = "\
Timer precision: 20 ns
replay       fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ judge     129.7 ns      │ 3.124 µs      │ 139.7 ns      │ 176.4 ns      │ 100     │ 100
├─ turns                   │               │               │               │         │
│  ├─ NNN    7.911 µs      │ 25.9 µs       │ 8.272 µs      │ 8.831 µs      │ 100     │ 100
│  ╰─ QKB    44.63 ns      │ 89.69 ns      │ 44.79 ns      │ 45.29 ns      │ 100     │ 6400
╰─ replay    2.553 ms      │ 7.791 ms      │ 2.673 ms      │ 2.749 ms      │ 100     │ 100

";
        let read: Vec<(String, f64)> =
            read_table(table).into_iter().map(|line| (line.name, line.median_ns)).collect();
        let expected =
            [("judge", 139.7), ("turns NNN", 8272.0), ("turns QKB", 44.79), ("replay", 2.673e6)];
        assert_eq!(read, expected.map(|(name, median)| (name.to_owned(), median)));
    }
}
