//! The native host: it acts on what the core decides.
//!
//! | module | does |
//! |---|---|
//! | [`store`] | keeps catalogue, frontier, raw answers and the site's memory in SQLite |
//! | [`site`] | asks the site, through one limiter |
//! | [`archive`] | mirrors raw bundles |

pub mod archive;
pub mod site;
pub mod store;
