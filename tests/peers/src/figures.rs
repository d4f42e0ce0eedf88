//! Rounds of one quantity, and what is said of them.

use std::fmt;

/// What one contender reached in each round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series(Vec<f64>);

impl Series {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    pub(crate) fn median(&self) -> f64 {
        percentile(&self.0, 0.5)
    }

    fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn most(&self) -> f64 {
        self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The smallest figure that a share of all figures does not exceed.
pub(crate) fn percentile(figures: &[f64], share: f64) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.max(1) - 1).copied().unwrap_or(f64::NAN)
}

/// Which way a figure has to lie from its aim.
#[derive(Clone, Copy)]
pub(crate) enum Aim {
    AtLeast(f64),
    Below(f64),
}

impl Aim {
    fn is_met(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(aim) => figure >= aim,
            Self::Below(aim) => figure < aim,
        }
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(aim) => write!(formatter, "at least {aim}"),
            Self::Below(aim) => write!(formatter, "below {aim}"),
        }
    }
}

/// Prints as it goes, and keeps what has an aim for the end.
#[derive(Default)]
pub(crate) struct Report {
    aims: Vec<(String, f64, Aim)>,
}

impl Report {
    pub(crate) fn heading(&self, what: &str) {
        println!(
            "\n{what}\n{:44} {:>11} {:>11} {:>11}",
            "", "min", "median", "max"
        );
    }

    pub(crate) fn row(&self, name: &str, series: &Series) {
        let [least, median, most] = [series.least(), series.median(), series.most()].map(short);
        println!("{name:44} {least:>11} {median:>11} {most:>11}");
    }

    /// A figure that is worth a line of its own.
    pub(crate) fn figure(&self, name: &str, figure: f64) {
        println!("{name:44} {:>11} {:>11}", "", short(figure));
    }

    pub(crate) fn aim(&mut self, name: &str, figure: f64, aim: Aim) {
        self.aims.push((name.to_owned(), figure, aim));
    }

    pub(crate) fn close(&self) {
        println!("\naims");
        for (name, figure, aim) in &self.aims {
            let met = if aim.is_met(*figure) { "met" } else { "MISSED" };
            println!("{met:6} {name}: {}, aim {aim}", short(*figure));
        }
        let n_met = self
            .aims
            .iter()
            .filter(|(_, figure, aim)| aim.is_met(*figure))
            .count();
        println!("{n_met} of {} aims met", self.aims.len());
    }
}

/// Three digits that matter, and groups of thousands.
fn short(figure: f64) -> String {
    if figure.abs() < 1000.0 {
        let n_decimals = if figure.abs() < 10.0 {
            2
        } else {
            usize::from(figure.abs() < 100.0)
        };
        return format!("{figure:.n_decimals$}");
    }
    let digits = format!("{figure:.0}");
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::{Aim, percentile, short};

    #[test]
    fn a_percentile_is_one_of_the_figures() {
        let figures = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(percentile(&figures, 0.5), 3.0);
        assert_eq!(percentile(&figures, 0.99), 5.0);
    }

    #[test]
    fn an_aim_that_is_just_missed_is_missed() {
        assert!(Aim::AtLeast(5.0).is_met(5.0) && !Aim::AtLeast(5.0).is_met(4.99));
        assert!(!Aim::Below(5.0).is_met(5.0));
    }

    #[test]
    fn figures_are_written_for_people() {
        assert_eq!(short(1_234_567.8), "1 234 568");
        assert_eq!(short(1.23456), "1.23");
    }
}
