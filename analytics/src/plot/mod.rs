//! Pictures as SVG text, without a dependency.
//!
//! Decides how every picture looks: colours, type, axes. What is drawn is each report's matter.
//! A picture has a title and a line under it, is described for screen readers, and does not rely on
//! colour alone.

mod canvas;
mod scale;

pub(crate) use canvas::{Anchor, Canvas, Text};
pub(crate) use scale::Scale;

/// The colours, readable on white and told apart by the colour-blind.
pub(crate) mod colour {
    /// Titles and values.
    pub(crate) const INK: &str = "#1f2933";
    /// Labels of axes.
    pub(crate) const MUTED: &str = "#5b6673";
    /// Lines behind the data.
    pub(crate) const GRID: &str = "#e3e8ee";
    /// The first series.
    pub(crate) const BLUE: &str = "#2a6fbb";
    /// The second series.
    pub(crate) const ORANGE: &str = "#c96a12";
    /// What is expected or gained.
    pub(crate) const GREEN: &str = "#2b8a57";
    /// What is lost.
    pub(crate) const RED: &str = "#c0392b";
}
