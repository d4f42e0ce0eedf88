//! What is run: plain data. It looks at no file and starts nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// A command and everything it runs with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// A name to look up on the environment's PATH, or a path (relative to `cwd`).
    pub program: String,
    /// Arguments; names of files among them need be no text.
    pub args: Vec<OsString>,
    /// The complete environment; nothing is inherited.
    pub env: BTreeMap<String, String>,
    /// The folder it runs in.
    pub cwd: PathBuf,
}
