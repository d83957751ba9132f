//! The embedded analytics receiver.
