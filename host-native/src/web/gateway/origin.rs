//! Whose pages and extensions may ask.
//!
//! Decides that pages are let in by `ALLOWED_ORIGINS` alone, and extensions also by a pairing that
//! is not revoked. A browser states the origin and no page can change it; other programs can, so an
//! origin keeps strangers' pages out and nobody else.

use std::sync::Arc;

use dicechess_analytics::is_extension_origin;

use crate::web::WebContext;

/// Whether an origin is configured or paired.
pub(in crate::web) async fn is_allowed_origin(context: &WebContext, origin: &str) -> bool {
    if context.config.allowed_origins.contains(origin) {
        return true;
    }
    if !is_extension_origin(origin) {
        return false;
    }
    let (store, origin) = (Arc::clone(&context.store), origin.to_owned());
    match tokio::task::spawn_blocking(move || store.is_paired_origin(&origin)).await {
        Ok(Ok(is_paired)) => is_paired,
        Ok(Err(error)) => {
            tracing::error!("{error}");
            false
        }
        Err(_) => false,
    }
}

/// Whether an origin may ask to be paired.
pub(super) fn may_be_paired(context: &WebContext, origin: &str) -> bool {
    is_extension_origin(origin) || context.config.allowed_origins.contains(origin)
}
