//! The store seen from outside: what is in the database after each call.

mod frontier;
mod games;
mod lease;
mod pages;
mod schema;
mod support;
