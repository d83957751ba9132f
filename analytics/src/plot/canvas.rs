//! A sheet to draw on.
//!
//! Decides how shapes and words are written as SVG, and that every word from outside is escaped.

use std::fmt::Write as _;

use super::colour;

/// A picture under construction.
pub(crate) struct Canvas {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

/// Which end of a text lies at its point.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// How words are set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text {
    size: f64,
    colour: &'static str,
    anchor: Anchor,
    bold: bool,
    turned: bool,
}

impl Text {
    /// Words of an axis: small and muted.
    pub(crate) const LABEL: Self = Self {
        size: 12.0,
        colour: colour::MUTED,
        anchor: Anchor::Start,
        bold: false,
        turned: false,
    };
    /// Words of the data.
    pub(crate) const VALUE: Self = Self { colour: colour::INK, ..Self::LABEL };
    /// The heading of a part of a picture.
    pub(crate) const HEADING: Self = Self { size: 14.0, bold: true, ..Self::VALUE };

    pub(crate) const fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) const fn sized(self, size: f64) -> Self {
        Self { size, ..self }
    }

    pub(crate) const fn coloured(self, colour: &'static str) -> Self {
        Self { colour, ..self }
    }

    /// Read from bottom to top, for the name of a vertical axis.
    pub(crate) const fn turned(self) -> Self {
        Self { turned: true, ..self }
    }
}

impl Canvas {
    /// A white sheet with a title and a line under it.
    pub(crate) fn new(width: f64, height: f64, title: &str, subtitle: &str) -> Self {
        let mut canvas = Self { width, height, title: title.to_owned(), body: String::new() };
        canvas.rect((0.0, 0.0), (width, height), "#ffffff", 0.0);
        canvas.text((24.0, 34.0), title, Text::HEADING.sized(19.0));
        canvas.text((24.0, 56.0), subtitle, Text::LABEL.sized(13.0));
        canvas
    }

    pub(crate) fn text(&mut self, (x, y): (f64, f64), words: &str, style: Text) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if style.bold { " font-weight=\"600\"" } else { "" };
        let turn = if style.turned {
            format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"")
        } else {
            String::new()
        };
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{}\" fill=\"{}\" \
             text-anchor=\"{anchor}\"{weight}{turn}>{}</text>",
            style.size,
            style.colour,
            escape(words)
        ));
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.stroke(from, to, colour, width, "");
    }

    pub(crate) fn dashed(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        self.stroke(from, to, colour, 1.5, " stroke-dasharray=\"5 4\"");
    }

    fn stroke(&mut self, a: (f64, f64), b: (f64, f64), colour: &str, width: f64, more: &str) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"{more}/>",
            a.0, a.1, b.0, b.1
        ));
    }

    pub(crate) fn rect(&mut self, at: (f64, f64), size: (f64, f64), fill: &str, radius: f64) {
        self.push(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius}\" \
             fill=\"{fill}\"/>",
            at.0, at.1, size.0, size.1
        ));
    }

    /// A point, with words that a browser shows when it is pointed at.
    pub(crate) fn point(&mut self, (x, y): (f64, f64), radius: f64, fill: &str, words: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\">\
             <title>{}</title></circle>",
            escape(words)
        ));
    }

    /// A line through points.
    pub(crate) fn path(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let mut list = String::new();
        for (x, y) in points {
            let _ = write!(list, "{x:.1},{y:.1} ");
        }
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"/>",
            list.trim_end()
        ));
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a String cannot fail.
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
    }

    /// The whole document.
    pub(crate) fn finish(self) -> String {
        let Self { width, height, title, body } = self;
        let title = escape(&title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\" \
             font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', Arial, sans-serif\">\n\
             <title>{title}</title>\n{body}</svg>\n"
        )
    }
}

/// Words as XML text; control characters, which XML does not allow, and those that turn the writing
/// direction are left out.
fn escape(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {}
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_from_outside_are_escaped() {
        let mut canvas = Canvas::new(100.0, 50.0, "<script>", "a & b");
        canvas.text((1.0, 2.0), "\"\u{0}x", Text::LABEL);
        let svg = canvas.finish();
        assert!(!svg.contains("<script>") && !svg.contains('\u{0}'), "{svg}");
        assert!(svg.contains("&lt;script&gt;") && svg.contains("&quot;x"), "{svg}");
    }
}
