//! The export: files of a small store by hand, a data set read by DuckDB, memory.

// An integration test is all test code; the attribute says so to the lint against `unwrap`.
#[cfg(feature = "parquet")]
#[cfg(test)]
mod data_set;
#[cfg(test)]
mod documented;
#[cfg(all(feature = "parquet", target_os = "linux"))]
#[cfg(test)]
mod memory;
#[cfg(test)]
#[path = "../reports/store.rs"]
#[expect(dead_code, reason = "shared with the reports, which use more of it")]
mod store;
#[cfg(test)]
mod text;
