//! What a file is called while it is being written: by whoever writes, and by whoever leaves such files out.

/// How the unfinished files are named: this, the process, a dash, a number.
pub(crate) const UNFINISHED: &str = ".siderail-tmp-";
