//! A command as the families of programs are asked about it: a name and its words.

use super::ir::Arg;
use super::program::Program;
use super::programs;
use siderail_syntax::excerpt::Excerpt;

/// A command whose name is known.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    /// Without folder and extension.
    pub(super) name: &'c str,
    /// A program of the project, whatever its name is.
    pub(super) is_local: bool,
    pub(super) args: &'c [Arg],
    /// The part of the line that findings name.
    pub(super) text: &'c Excerpt,
    pub(super) program: &'static Program,
}

impl<'c> Call<'c> {
    pub(super) fn new(name: &'c str, is_local: bool, args: &'c [Arg], text: &'c Excerpt) -> Self {
        Self {
            name,
            is_local,
            args,
            text,
            program: programs::find(name),
        }
    }

    /// The argument at a place, as text; empty when there is none.
    pub(super) fn word(&self, index: usize) -> &'c str {
        self.args.get(index).map_or("", |arg| arg.text.as_str())
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.args.iter().any(|arg| arg.is(text))
    }
}
