//! The program `dicechess-sync`.

fn main() {}
