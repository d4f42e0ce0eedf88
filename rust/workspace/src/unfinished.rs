//! The name of a file while it is being written, for the code that writes it and the code that leaves such files out.

/// How the unfinished files are named: this, the process, a dash, a number.
pub(crate) const UNFINISHED: &str = ".siderail-tmp-";
