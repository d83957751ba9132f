//! Text tables that fit 80 columns.
//!
//! Decides alignment, rules and how numbers are spelled. Which rows there are is each report's
//! matter.

use super::inference::Interval;

/// The width that no line exceeds.
pub(super) const WIDTH: usize = 80;

/// A table under construction: the first column is set left, the others right.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    left: usize,
}

impl Table {
    /// A table with these column heads.
    pub(super) fn new(heads: &[&str]) -> Self {
        Self { rows: vec![heads.iter().map(ToString::to_string).collect()], left: 1 }
    }

    /// Sets the first `columns` columns left.
    pub(super) fn left(mut self, columns: usize) -> Self {
        self.left = columns;
        self
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, heads underlined; the first column is cut where a line would be too long.
    pub(super) fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width_of = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..columns).map(width_of).collect();
        let total: usize = widths.iter().map(|width| width + 2).sum::<usize>().saturating_sub(2);
        if let Some(first) = widths.first_mut() {
            *first = first.saturating_sub(total.saturating_sub(WIDTH)).max(4);
        }
        let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("  ");
        let mut lines: Vec<String> = self.rows.iter().map(|row| self.line(row, &widths)).collect();
        lines.insert(1, rule.trim_end().to_owned());
        lines
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cell = |(column, (cell, width)): (usize, (&String, &usize))| {
            let cell = shorten(cell, *width);
            if column < self.left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        };
        let cells: Vec<String> = row.iter().zip(widths).enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    }
}

/// The lines as a text. Names come from strangers: control characters, which could steer the
/// terminal, and those that turn the writing direction are shown as replacement characters.
pub(super) fn finish(lines: &[String]) -> String {
    let harmless = |letter: char| match letter {
        '\n' => letter,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        _ if letter.is_control() => char::REPLACEMENT_CHARACTER,
        _ => letter,
    };
    let line = |line: &String| line.replace('\n', "\u{fffd}") + "\n";
    lines.iter().map(line).collect::<String>().chars().map(harmless).collect()
}

/// The text, cut to `width` characters with an ellipsis.
pub(super) fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Breaks a paragraph into lines of at most [`WIDTH`] characters, later ones indented.
pub(super) fn wrap(paragraph: &str, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in paragraph.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// Notes as a list, each wrapped.
pub(super) fn notes(notes: &[String]) -> Vec<String> {
    notes.iter().flat_map(|note| wrap(&format!("* {note}"), "  ")).collect()
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share as a percentage with `places` decimals.
pub(super) fn percent(share: f64, places: usize) -> String {
    format!("{:.places$}%", share * 100.0)
}

/// An interval of percentages, e.g. `42.1–47.9%`; a dash when there is none.
pub(super) fn range(interval: Option<Interval>, places: usize) -> String {
    interval.map_or_else(
        || "–".to_owned(),
        |Interval { low, high }| format!("{:.places$}–{:.places$}%", low * 100.0, high * 100.0),
    )
}

/// A p-value: three decimals, or the power of ten when it is smaller.
pub(super) fn p_value(p: f64) -> String {
    if p == 0.0 {
        "<1e-300".to_owned()
    } else if p < 0.001 {
        format!("{p:.0e}")
    } else {
        format!("{p:.3}")
    }
}

/// One game, two games.
pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_cut_to_the_width() {
        let mut table = Table::new(&["name", "games"]);
        table.row(["x".repeat(100), "7".to_owned()]);
        let lines = table.lines();
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{lines:?}");
        assert!(lines[2].ends_with("…      7"), "{lines:?}");
    }

    #[test]
    fn paragraphs_are_wrapped() {
        let lines = wrap(&"word ".repeat(40), "  ");
        assert!(lines.len() == 3 && lines.iter().all(|line| line.chars().count() <= WIDTH));
        assert!(lines[1].starts_with("  word"), "{lines:?}");
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let lines = ["a\u{1b}[31m\nb\u{202e}".to_owned(), "Ann 🎲 日本".to_owned()];
        assert_eq!(finish(&lines), "a\u{fffd}[31m\u{fffd}b\u{fffd}\nAnn 🎲 日本\n");
    }

    #[test]
    fn numbers() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(p_value(0.0423), "0.042");
        assert_eq!(p_value(8.4e-14), "8e-14");
        assert_eq!(range(Interval::wilson(10.0, 20), 1), "29.9–70.1%");
    }
}
