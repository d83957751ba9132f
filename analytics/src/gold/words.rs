//! The words of the document's vocabulary, as they are stored.

use dicechess_core::ingest::{EventType, Mode, Side, Termination};

pub(crate) const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Classic => "classic",
        Mode::X2 => "x2",
    }
}

pub(crate) const fn side(side: Side) -> &'static str {
    match side {
        Side::White => "w",
        Side::Black => "b",
    }
}

/// A termination that was not told is `unknown`.
pub(crate) const fn termination(termination: Option<Termination>) -> &'static str {
    match termination {
        Some(Termination::KingCaptured) => "king_captured",
        Some(Termination::Timeout) => "timeout",
        Some(Termination::Resign) => "resign",
        Some(Termination::DrawAgreement) => "draw_agreement",
        Some(Termination::DoubleDeclined) => "double_declined",
        Some(Termination::Unknown) | None => "unknown",
    }
}

pub(crate) const fn event_type(event: EventType) -> &'static str {
    match event {
        EventType::DoubleOffer => "DOUBLE_OFFER",
        EventType::DoubleAccept => "DOUBLE_ACCEPT",
        EventType::DoubleDecline => "DOUBLE_DECLINE",
        EventType::DrawOffer => "DRAW_OFFER",
        EventType::DrawAccept => "DRAW_ACCEPT",
    }
}
