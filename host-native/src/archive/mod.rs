//! See the crate's table of modules.
