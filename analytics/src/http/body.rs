//! How the body of a request is read.
//!
//! Decides that a body costs bounded memory and bounded time, and that a client whose body is not
//! read still sees its answer. Leaves to others which bodies are wanted and how large they may be.

use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use futures_util::StreamExt;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFault {
    /// It is longer than it may be.
    TooLarge,
    /// It did not arrive within 30 seconds.
    TooSlow,
    /// The client broke off.
    Broken,
}

/// Reads a body of at most `limit` bytes. What is left of one that is refused is discarded.
///
/// # Errors
/// See [`BodyFault`].
pub async fn read_body(body: Body, limit: usize) -> Result<Bytes, BodyFault> {
    if body.size_hint().lower() > limit as u64 {
        discard_body(body);
        return Err(BodyFault::TooLarge);
    }
    let mut chunks = body.into_data_stream();
    match tokio::time::timeout(LONGEST_READ, collect(&mut chunks, limit)).await {
        Ok(Err(BodyFault::TooLarge)) => {
            discard(chunks);
            Err(BodyFault::TooLarge)
        }
        Ok(read) => read,
        Err(_) => Err(BodyFault::TooSlow),
    }
}

/// Reads a body that nobody wants while its answer is on the way. A connection that is closed
/// with bytes unread is reset, and a client that is still sending would see that and no answer.
pub fn discard_body(body: Body) {
    discard(body.into_data_stream());
}

async fn collect(chunks: &mut BodyDataStream, limit: usize) -> Result<Bytes, BodyFault> {
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| BodyFault::Broken)?;
        if bytes.len() + chunk.len() > limit {
            return Err(BodyFault::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}

fn discard(mut chunks: BodyDataStream) {
    const MOST: usize = 32 << 20;
    const LONGEST: Duration = Duration::from_secs(10);
    let drain = async move {
        let mut left = MOST;
        while let Some(Ok(chunk)) = chunks.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                break;
            }
        }
    };
    tokio::spawn(async move { tokio::time::timeout(LONGEST, drain).await });
}

const LONGEST_READ: Duration = Duration::from_secs(30);
