//! What a script does, in words that no language is needed for.

use crate::ir::Origin;

/// What a script does, as far as its text says.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) reads: Vec<String>,
    pub(crate) writes: Vec<String>,
    pub(crate) removes: Vec<String>,
    /// Texts for a shell.
    pub(crate) commands: Vec<String>,
    /// The same, reading what the script prints.
    pub(crate) fed: Vec<String>,
    /// Programs with their arguments.
    pub(crate) programs: Vec<Vec<String>>,
    /// It runs code of this origin.
    pub(crate) code: Option<Origin>,
    /// It speaks to other machines.
    pub(crate) connects: bool,
}
