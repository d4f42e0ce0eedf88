//! A path and where it leads, as the streams and findings of a line name it. How that is found out is in `paths`.

/// Where a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Inside,
    /// A folder that holds the project.
    Above,
    Temporary,
    Elsewhere,
    /// No file that could be kept: a device, a descriptor, a registry key.
    Special,
}

/// A path and where it leads.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) place: Place,
    /// Absolute; it may hold unknown parts.
    pub(super) path: String,
    /// The same with its `..`, where it has any behind a name: that may be a link, whose folder is another one.
    pub(super) way: Option<String>,
}

impl Target {
    pub(super) fn is_inside(&self) -> bool {
        self.place == Place::Inside
    }

    /// Whether everything below it, or it itself, may hold project files.
    pub(super) fn reaches_inside(&self) -> bool {
        matches!(self.place, Place::Inside | Place::Above)
    }
}
