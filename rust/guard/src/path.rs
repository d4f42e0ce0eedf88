//! Where a path lies: inside the project, outside, or in a place that cannot be told.
//!
//! Lexical only. What a symbolic link or a letter's case makes of a path is for the engine to find out; it
//! hands the answer in as a [`PathFact`]. Works on Unix and Windows paths, told apart by the project's root.

/// A path of an action and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFact {
    /// The path as the action names it.
    pub given: String,
    /// Where it lies.
    pub place: Place,
}

/// Where a path lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the project.
    Inside {
        /// Relative to the project's root, with `/`; empty for the root itself.
        relative: String,
    },
    /// Not in the project.
    Outside,
    /// Cannot be told; counts as inside.
    Unknown,
}

/// Places a path lexically. `given` may be absolute, relative to `cwd`, `~/…` or `file://…`.
pub fn locate(given: &str, root: &str, cwd: &str, home: Option<&str>) -> PathFact {
    let _ = (root, cwd, home);
    PathFact {
        given: given.to_owned(),
        place: Place::Unknown,
    }
}

/// Places a path whose true, canonical form is known (both canonical, by the same rules).
pub fn locate_canonical(given: &str, canonical: &str, canonical_root: &str) -> PathFact {
    let _ = (canonical, canonical_root);
    PathFact {
        given: given.to_owned(),
        place: Place::Unknown,
    }
}

/// True for what is asked about even through our own tools: `.git`, `.idea`, `.siderail.toml` and the
/// configuration folders of agents, at any depth. `relative` uses `/`.
pub fn is_protected(relative: &str) -> bool {
    let _ = relative;
    false
}
