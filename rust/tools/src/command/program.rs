//! A program to run: which, where, and for how long.

use std::path::PathBuf;
use std::time::Duration;

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// First part of the run's id, `run` or `test`.
    pub prefix: &'static str,
    /// A shell command line, or a program with its arguments.
    pub command: ProgramCommand,
    /// The project it belongs to.
    pub project: PathBuf,
    /// The folder it runs in.
    pub working_dir: PathBuf,
    /// Variables beside the runner's own.
    pub env: Vec<(String, String)>,
    /// After this it is ended.
    pub timeout: Duration,
}

/// A program in one of two forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramCommand {
    /// For `bash`, or `sh` if it is missing.
    Shell(String),
    /// Program and arguments, as they are.
    Plain(Vec<String>),
}
