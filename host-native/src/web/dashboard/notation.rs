//! A micro-move as players write it: ♘b1–c3, ♟b2×a1=♛, O-O.
//!
//! Decides the spelling, and which dice the micro-move used, by comparing the boards before and
//! after it.

use dicechess_core::rules::{Position, UciMove};
use shakmaty::{Color, Role};

/// A micro-move with what the boards before and after it tell.
pub(super) struct Played {
    uci: UciMove,
    role: Role,
    color: Color,
    takes: bool,
    /// Towards which wing the king castled.
    castles: Option<&'static str>,
}

impl Played {
    pub(super) fn of(before: &Position, after: &Position, uci: UciMove) -> Self {
        let piece = before.board().piece_at(uci.from);
        let role = piece.map_or(Role::Pawn, |piece| piece.role);
        let color = before.turn();
        let rooks = |position: &Position| {
            position.board().by_role(Role::Rook) & position.board().by_color(color)
        };
        let others = |position: &Position| position.board().by_color(color.other()).count();
        // A king that steps leaves the rooks where they are.
        let has_castled = role == Role::King && rooks(before) != rooks(after);
        let is_short = uci.to.file() > uci.from.file();
        Self {
            uci,
            role,
            color,
            takes: others(after) < others(before),
            castles: has_castled.then_some(if is_short { "O-O" } else { "O-O-O" }),
        }
    }

    /// The dice it uses.
    pub(super) fn dice(&self) -> impl Iterator<Item = Role> {
        [Some(self.role), self.castles.map(|_| Role::Rook)].into_iter().flatten()
    }

    /// ♘b1–c3
    pub(super) fn text(&self) -> String {
        if let Some(castling) = self.castles {
            return castling.to_owned();
        }
        let UciMove { from, to, promotion } = self.uci;
        let sign = if self.takes { '×' } else { '–' };
        let own = figure(self.role, self.color);
        match promotion {
            Some(promoted) => {
                format!("{own}{from}{sign}{to}={}", figure(promoted, self.color))
            }
            None => format!("{own}{from}{sign}{to}"),
        }
    }
}

/// A chess figure as text; U+FE0E keeps the black pawn from becoming a picture.
fn figure(role: Role, color: Color) -> String {
    let (white, black) = match role {
        Role::Pawn => ('♙', '♟'),
        Role::Knight => ('♘', '♞'),
        Role::Bishop => ('♗', '♝'),
        Role::Rook => ('♖', '♜'),
        Role::Queen => ('♕', '♛'),
        Role::King => ('♔', '♚'),
    };
    format!("{}\u{fe0e}", color.fold_wb(white, black))
}
