//! Which file it is, and how many names it has: plain values.

/// Which file it is, whatever its names are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileId {
    /// The file system that it is on.
    pub device: u64,
    /// Its number there.
    pub number: u64,
}

/// A file, and how many names it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Which file it is.
    pub id: FileId,
    /// Its names: hard links, itself included.
    pub n_names: u64,
}
