//! The rules of Dice Chess a second time, slow and obvious, to compare the crate with.
//!
//! Written from the text of the rules alone, on a plain board of 64 characters, and sharing nothing
//! with the crate. A turn is legal here when it is found in the full list of sequences.

use std::collections::BTreeSet;

/// A square: 0 is a1, 7 is h1, 63 is h8.
type Square = usize;

const EMPTY: char = '.';

/// A position, between or inside turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Board {
    squares: [char; 64],
    white_to_move: bool,
    /// The squares of the rooks that may still castle.
    castling_rooks: BTreeSet<Square>,
    /// Every en-passant target: those of the last turn and those made in this one.
    targets: BTreeSet<Square>,
}

/// A micro-move.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Move {
    from: Square,
    to: Square,
    promotion: Option<char>,
    castling: Option<Castling>,
    /// The dice it uses, as upper-case letters.
    dice: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Castling {
    rook_from: Square,
    rook_to: Square,
}

/// A complete sequence of micro-moves and where it leads.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    moves: Vec<Move>,
    /// For each move every accepted spelling, the default one first.
    spellings: Vec<Vec<String>>,
    dice_used: usize,
    takes_king: bool,
    /// The position after the last micro-move, the turn not yet ended.
    pub(crate) after: Board,
}

/// What a spelled sequence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A legal turn, or a pass.
    Legal,
    /// A non-empty proper prefix of a legal turn.
    Partial,
    /// Neither.
    Illegal,
}

/// All legal turns of one roll.
#[derive(Debug)]
pub(crate) struct Turns {
    /// The legal turns; none means a pass.
    pub(crate) lines: Vec<Line>,
}

impl Turns {
    /// The legal turns as spelled by default.
    pub(crate) fn spelled(&self) -> BTreeSet<Vec<String>> {
        self.lines.iter().map(Line::spelled).collect()
    }

    pub(crate) fn verdict(&self, moves: &[String]) -> Verdict {
        if self.is_legal(moves) {
            Verdict::Legal
        } else if self.is_partial(moves) {
            Verdict::Partial
        } else {
            Verdict::Illegal
        }
    }

    /// Where the moves can lead from `start` in the legal turns that begin with them: to several
    /// positions only when a move reads both as a king step and as castling.
    pub(crate) fn positions_after(&self, start: &Board, moves: &[String]) -> BTreeSet<String> {
        let mut readings: Vec<&[Move]> = Vec::new();
        for line in &self.lines {
            if line.moves.len() >= moves.len() && line.starts_with(moves) {
                let reading = &line.moves[..moves.len()];
                if !readings.contains(&reading) {
                    readings.push(reading);
                }
            }
        }
        let boards = readings.into_iter().map(|reading| {
            let mut board = start.clone();
            for one in reading {
                board.play(one);
            }
            board.four_fields()
        });
        boards.collect()
    }

    pub(crate) fn is_pass(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn is_legal(&self, moves: &[String]) -> bool {
        if moves.is_empty() {
            return self.is_pass();
        }
        self.lines.iter().any(|line| line.moves.len() == moves.len() && line.starts_with(moves))
    }

    /// A non-empty proper prefix of a legal turn.
    pub(crate) fn is_partial(&self, moves: &[String]) -> bool {
        !moves.is_empty()
            && self
                .lines
                .iter()
                .any(|line| line.moves.len() > moves.len() && line.starts_with(moves))
    }
}

impl Line {
    /// The moves as spelled by default.
    pub(crate) fn spelled(&self) -> Vec<String> {
        self.spellings.iter().map(|texts| texts[0].clone()).collect()
    }

    /// The moves with every castling spelled the other way; `None` when no move castles.
    pub(crate) fn spelled_otherwise(&self) -> Option<Vec<String>> {
        let castles = self.moves.iter().any(|one| one.castling.is_some());
        castles.then(|| self.spellings.iter().map(|texts| texts.last().unwrap().clone()).collect())
    }

    fn starts_with(&self, moves: &[String]) -> bool {
        self.spellings.iter().zip(moves).all(|(texts, text)| texts.contains(text))
    }

    pub(crate) fn takes_king(&self) -> bool {
        self.takes_king
    }
}

impl Move {
    /// Every accepted spelling, the default one first.
    fn spellings(&self) -> Vec<String> {
        let kings_move = format!("{}{}", name(self.from), name(self.to));
        match (&self.castling, self.promotion) {
            (Some(castling), _) => {
                let takes_rook = format!("{}{}", name(self.from), name(castling.rook_from));
                if self.from.abs_diff(self.to) > 1 {
                    vec![kings_move, takes_rook]
                } else {
                    vec![takes_rook, kings_move]
                }
            }
            (None, Some(promotion)) => vec![format!("{kings_move}{promotion}")],
            (None, None) => vec![kings_move],
        }
    }
}

impl Board {
    /// Reads a FEN of four to six fields.
    pub(crate) fn from_fen(fen: &str) -> Self {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        assert!((4..=6).contains(&fields.len()), "{fen}");
        let mut board = Self {
            squares: [EMPTY; 64],
            white_to_move: fields[1] == "w",
            castling_rooks: BTreeSet::new(),
            targets: BTreeSet::new(),
        };
        for (row, text) in fields[0].split('/').enumerate() {
            let mut file = 0;
            for letter in text.chars() {
                if let Some(gap) = letter.to_digit(10) {
                    file += gap as usize;
                } else {
                    board.squares[(7 - row) * 8 + file] = letter;
                    file += 1;
                }
            }
            assert_eq!(file, 8, "{fen}");
        }
        for letter in fields[2].chars().filter(|letter| *letter != '-') {
            board.castling_rooks.extend(board.rook_of_right(letter));
        }
        let targets: Vec<char> = fields[3].chars().filter(|letter| *letter != '-').collect();
        for pair in targets.chunks(2) {
            let square = square_at(pair[0], pair[1]);
            if board.is_possible_target(square) {
                board.targets.insert(square);
            }
        }
        board
    }

    /// The rook that a letter of the castling field means, or `None` when the right is void.
    fn rook_of_right(&self, letter: char) -> Option<Square> {
        let white = letter.is_ascii_uppercase();
        let king = self.king_at_home(white)?;
        let rooks = self.home_rooks(white);
        match letter.to_ascii_uppercase() {
            'K' => rooks.into_iter().rfind(|rook| *rook > king),
            'Q' => rooks.into_iter().find(|rook| *rook < king),
            file => {
                let square = square_at(file.to_ascii_lowercase(), if white { '1' } else { '8' });
                rooks.into_iter().find(|rook| *rook == square)
            }
        }
    }

    fn king_at_home(&self, white: bool) -> Option<Square> {
        let home = if white { 0..8 } else { 56..64 };
        home.into_iter().find(|square| self.squares[*square] == colored('K', white))
    }

    /// The rooks on the side's first rank, from the a-file on.
    fn home_rooks(&self, white: bool) -> Vec<Square> {
        let home = if white { 0..8 } else { 56..64 };
        home.into_iter().filter(|square| self.squares[*square] == colored('R', white)).collect()
    }

    /// Whether a pawn that has just passed the square stands in front of it.
    fn is_possible_target(&self, square: Square) -> bool {
        self.squares[square] == EMPTY
            && match square / 8 {
                2 => self.squares[square + 8] == 'P',
                5 => self.squares[square - 8] == 'p',
                _ => false,
            }
    }

    /// Whether the side still has its king.
    pub(crate) fn has_king(&self, white: bool) -> bool {
        self.squares.contains(&colored('K', white))
    }

    /// All legal turns, or `None` when there are more than `limit` complete sequences.
    pub(crate) fn turns(&self, dice: &[u8], limit: usize) -> Option<Turns> {
        let dice: Vec<char> = dice.iter().map(|die| DIE_LETTERS[*die as usize - 1]).collect();
        let mut lines = Vec::new();
        let start = Line {
            moves: Vec::new(),
            spellings: Vec::new(),
            dice_used: 0,
            takes_king: false,
            after: self.clone(),
        };
        if !complete_lines(&start, &dice, limit, &mut lines) {
            return None;
        }
        // Of those that take no king, only those that use the greatest number of dice.
        let quiet = lines.iter().filter(|line| !line.takes_king);
        let greatest = quiet.map(|line| line.dice_used).max().unwrap_or(0);
        lines.retain(|line| line.takes_king || line.dice_used == greatest);
        lines.retain(|line| !line.moves.is_empty());
        for line in &mut lines {
            line.spellings = line.moves.iter().map(Move::spellings).collect();
        }
        Some(Turns { lines })
    }

    pub(crate) fn has_micro_move(&self, dice: &[u8]) -> bool {
        let dice: Vec<char> = dice.iter().map(|die| DIE_LETTERS[*die as usize - 1]).collect();
        !self.moves(&dice).is_empty()
    }

    /// Micro-moves that follow one another until the dice allow no more, whether or not they make
    /// a legal turn; `choose` picks one of so many.
    pub(crate) fn sequence(
        &self,
        dice: &[u8],
        mut choose: impl FnMut(usize) -> usize,
    ) -> Vec<String> {
        let mut left: Vec<char> = dice.iter().map(|die| DIE_LETTERS[*die as usize - 1]).collect();
        let mut board = self.clone();
        let mut sequence = Vec::new();
        loop {
            let mut moves = board.moves(&left);
            if moves.is_empty() {
                return sequence;
            }
            let one = moves.swap_remove(choose(moves.len()));
            sequence.push(one.spellings()[0].clone());
            if board.play(&one) {
                return sequence;
            }
            remove_dice(&mut left, one.dice);
        }
    }

    /// Every micro-move that the dice allow.
    fn moves(&self, dice: &[char]) -> Vec<Move> {
        let mut moves = Vec::new();
        for from in 0..64 {
            let piece = self.squares[from];
            let die = piece.to_ascii_uppercase();
            if !self.is_own(from) || !dice.contains(&die) {
                continue;
            }
            let (die_used, targets) = match die {
                'P' => ("P", self.pawn_moves(from)),
                'N' => ("N", self.leaps(from, &KNIGHT)),
                'B' => ("B", self.slides(from, &DIAGONAL)),
                'R' => ("R", self.slides(from, &STRAIGHT)),
                'Q' => ("Q", [self.slides(from, &DIAGONAL), self.slides(from, &STRAIGHT)].concat()),
                _ => ("K", [self.leaps(from, &DIAGONAL), self.leaps(from, &STRAIGHT)].concat()),
            };
            for to in targets {
                let promotes =
                    die == 'P' && !(8..56).contains(&to) && !"Kk".contains(self.squares[to]);
                let promotions: &[Option<char>] =
                    if promotes { &[Some('q'), Some('r'), Some('b'), Some('n')] } else { &[None] };
                for promotion in promotions {
                    let promotion = *promotion;
                    moves.push(Move { from, to, promotion, castling: None, dice: die_used });
                }
            }
        }
        if dice.contains(&'K') && dice.contains(&'R') {
            moves.extend(self.castlings());
        }
        moves
    }

    fn castlings(&self) -> Vec<Move> {
        let Some(king) = self.king_at_home(self.white_to_move) else { return Vec::new() };
        let mut moves = Vec::new();
        for rook in self.castling_rooks.iter().copied().filter(|rook| rook / 8 == king / 8) {
            let first = king - king % 8;
            let (king_to, rook_to) =
                if rook > king { (first + 6, first + 5) } else { (first + 2, first + 3) };
            let mut crossed = [between(king, king_to), between(rook, rook_to)].concat();
            crossed.retain(|square| *square != king && *square != rook);
            if crossed.iter().all(|square| self.squares[*square] == EMPTY) {
                moves.push(Move {
                    from: king,
                    to: king_to,
                    promotion: None,
                    castling: Some(Castling { rook_from: rook, rook_to }),
                    dice: "KR",
                });
            }
        }
        moves
    }

    fn pawn_moves(&self, from: Square) -> Vec<Square> {
        let (forward, second_rank, target_rank) =
            if self.white_to_move { (1, 1, 5) } else { (-1, 6, 2) };
        let mut moves = Vec::new();
        if let Some(one) = shifted(from, 0, forward).filter(|to| self.squares[*to] == EMPTY) {
            moves.push(one);
            if from / 8 == second_rank {
                moves.extend(shifted(one, 0, forward).filter(|to| self.squares[*to] == EMPTY));
            }
        }
        for side in [-1, 1] {
            let Some(to) = shifted(from, side, forward) else { continue };
            if self.is_enemy(to) || (to / 8 == target_rank && self.targets.contains(&to)) {
                moves.push(to);
            }
        }
        moves
    }

    fn leaps(&self, from: Square, steps: &[(i32, i32)]) -> Vec<Square> {
        let reached = steps.iter().filter_map(|(file, rank)| shifted(from, *file, *rank));
        reached.filter(|to| !self.is_own(*to)).collect()
    }

    fn slides(&self, from: Square, directions: &[(i32, i32)]) -> Vec<Square> {
        let mut moves = Vec::new();
        for (file, rank) in directions {
            let mut at = from;
            while let Some(to) = shifted(at, *file, *rank) {
                if self.is_own(to) {
                    break;
                }
                moves.push(to);
                if self.is_enemy(to) {
                    break;
                }
                at = to;
            }
        }
        moves
    }

    fn is_own(&self, square: Square) -> bool {
        self.squares[square] != EMPTY
            && self.squares[square].is_ascii_uppercase() == self.white_to_move
    }

    fn is_enemy(&self, square: Square) -> bool {
        self.squares[square] != EMPTY && !self.is_own(square)
    }

    /// Plays a micro-move; says whether it took a king.
    fn play(&mut self, one: &Move) -> bool {
        if let Some(castling) = &one.castling {
            let king = std::mem::replace(&mut self.squares[one.from], EMPTY);
            let rook = std::mem::replace(&mut self.squares[castling.rook_from], EMPTY);
            self.squares[one.to] = king;
            self.squares[castling.rook_to] = rook;
            self.lose_rights(self.white_to_move);
            return false;
        }
        let piece = std::mem::replace(&mut self.squares[one.from], EMPTY);
        let is_pawn = "Pp".contains(piece);
        let passes = is_pawn && one.from % 8 != one.to % 8 && self.squares[one.to] == EMPTY;
        let taken_at = match (passes, self.white_to_move) {
            (false, _) => one.to,
            (true, true) => one.to - 8,
            (true, false) => one.to + 8,
        };
        let taken = std::mem::replace(&mut self.squares[taken_at], EMPTY);
        self.squares[one.to] =
            one.promotion.map_or(piece, |role| colored(role, self.white_to_move));

        self.castling_rooks.remove(&one.from);
        self.castling_rooks.remove(&one.to);
        if "Kk".contains(piece) {
            self.lose_rights(self.white_to_move);
        }
        if "Kk".contains(taken) {
            self.lose_rights(!self.white_to_move);
        }

        self.targets.remove(&one.to);
        self.targets.retain(|target| {
            let pawn = if target / 8 == 2 { target + 8 } else { target - 8 };
            pawn != one.from && pawn != taken_at
        });
        if is_pawn && one.from.abs_diff(one.to) == 16 {
            self.targets.insert(usize::midpoint(one.from, one.to));
        }
        "Kk".contains(taken)
    }

    fn lose_rights(&mut self, white: bool) {
        self.castling_rooks.retain(|rook| (*rook < 8) != white);
    }

    /// The targets of the turn before last go, the other side is to move.
    pub(crate) fn end_turn(&mut self) {
        let expired = if self.white_to_move { 5 } else { 2 };
        self.targets.retain(|target| target / 8 != expired);
        self.white_to_move = !self.white_to_move;
    }

    /// The first four fields of the FEN with every target.
    pub(crate) fn four_fields(&self) -> String {
        self.fields_with(&self.targets)
    }

    /// The first four fields of the FEN with the targets that a pawn stands ready to capture on.
    pub(crate) fn normalized_fen(&self) -> String {
        let (rank, back, pawn) = if self.white_to_move { (5, -1, 'P') } else { (2, 1, 'p') };
        let mut usable = self.targets.clone();
        usable.retain(|target| {
            let stands = [-1, 1].iter().filter_map(|file| shifted(*target, *file, back));
            target / 8 == rank && stands.into_iter().any(|square| self.squares[square] == pawn)
        });
        self.fields_with(&usable)
    }

    fn fields_with(&self, targets: &BTreeSet<Square>) -> String {
        let rows: Vec<String> = (0..8).rev().map(|rank| self.row(rank)).collect();
        let turn = if self.white_to_move { 'w' } else { 'b' };
        let mut names: Vec<String> = targets.iter().map(|target| name(*target)).collect();
        names.sort();
        let targets = if names.is_empty() { "-".to_owned() } else { names.concat() };
        format!("{} {turn} {} {targets}", rows.join("/"), self.castling_field())
    }

    fn row(&self, rank: usize) -> String {
        let mut row: String = self.squares[rank * 8..rank * 8 + 8].iter().collect();
        for gap in (1..=8).rev() {
            row = row.replace(&EMPTY.to_string().repeat(gap), &gap.to_string());
        }
        row
    }

    fn castling_field(&self) -> String {
        let mut field = String::new();
        for white in [true, false] {
            let rooks = self.castling_rooks.iter().rev().filter(|rook| (**rook < 8) == white);
            for rook in rooks {
                let outermost = "KQ".chars().find(|wing| {
                    let letter = colored(*wing, white);
                    self.rook_of_right(letter) == Some(*rook)
                });
                let file = name(*rook).chars().next().unwrap();
                field.push(colored(outermost.unwrap_or(file), white));
            }
        }
        if field.is_empty() { "-".to_owned() } else { field }
    }
}

/// Adds every complete continuation of a line; stops with `false` beyond `limit` lines.
fn complete_lines(line: &Line, dice: &[char], limit: usize, found: &mut Vec<Line>) -> bool {
    let moves = if line.takes_king { Vec::new() } else { line.after.moves(dice) };
    if moves.is_empty() {
        found.push(line.clone());
        return found.len() <= limit;
    }
    moves.into_iter().all(|one| {
        let mut next = line.clone();
        next.takes_king = next.after.play(&one);
        next.dice_used += one.dice.len();
        let mut left = dice.to_vec();
        remove_dice(&mut left, one.dice);
        next.moves.push(one);
        complete_lines(&next, &left, limit, found)
    })
}

fn remove_dice(dice: &mut Vec<char>, used: &str) {
    for die in used.chars() {
        let index = dice.iter().position(|other| *other == die).unwrap();
        dice.remove(index);
    }
}

const DIE_LETTERS: [char; 6] = ['P', 'N', 'B', 'R', 'Q', 'K'];
const STRAIGHT: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn colored(letter: char, white: bool) -> char {
    if white { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
}

fn shifted(square: Square, files: i32, ranks: i32) -> Option<Square> {
    let file = i32::try_from(square % 8).unwrap() + files;
    let rank = i32::try_from(square / 8).unwrap() + ranks;
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board.then(|| usize::try_from(rank * 8 + file).unwrap())
}

fn between(one: Square, other: Square) -> Vec<Square> {
    (one.min(other)..=one.max(other)).collect()
}

fn square_at(file: char, rank: char) -> Square {
    "12345678".find(rank).unwrap() * 8 + "abcdefgh".find(file).unwrap()
}

fn name(square: Square) -> String {
    let file = "abcdefgh".chars().nth(square % 8).unwrap();
    format!("{file}{}", square / 8 + 1)
}
