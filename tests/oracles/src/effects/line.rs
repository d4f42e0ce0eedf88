//! A line that is judged, and what it is made of.

use siderail_shell::Dialect;

/// A line; [`super::grammar`] makes them.
#[derive(Clone, Debug)]
pub struct Line {
    /// The program that runs it.
    pub shell: &'static str,
    /// The line.
    pub text: String,
    /// The command and the constructs around it, as the tables write them.
    pub parts: Vec<&'static str>,
    /// The ruling that allows what it does.
    pub exception: Option<&'static str>,
    /// It is made of benign commands alone.
    pub benign: bool,
}

impl Line {
    /// The shell as the guard is told about it.
    pub fn dialect(&self) -> Dialect {
        Dialect::from_name(self.shell).expect("a shell of the grammar")
    }
}
