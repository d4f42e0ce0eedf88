//! Where a session works: the project and what is inside of it, and what is kept elsewhere until the session ends.

use std::path::{Path, PathBuf};

use crate::confine::Confinement;
use crate::launch::Overlay;

/// The folders of a session.
pub(in crate::session) struct Folders {
    /// The project's base folder, canonical, and what lies inside it.
    pub(in crate::session) confinement: Confinement,
    /// Content roots that were named since the start, and count from the next one on.
    pub(in crate::session) waiting_roots: Vec<PathBuf>,
    /// The user's home, as the agent knows it.
    pub(in crate::session) home: Option<String>,
    /// The session's own folder for launch files; removed at the end.
    pub(in crate::session) folder: PathBuf,
    /// The stand-in for a folder of the user's.
    pub(in crate::session) overlay: Option<Overlay>,
    /// A file of the user's was changed for this session.
    pub(in crate::session) consented: bool,
}

impl Folders {
    /// The project's base folder.
    pub(in crate::session) fn root(&self) -> &Path {
        self.confinement.root()
    }

    /// The project's content roots elsewhere.
    pub(in crate::session) fn further_roots(&self) -> Vec<PathBuf> {
        self.confinement.further().map(Path::to_owned).collect()
    }

    /// The same as text.
    pub(in crate::session) fn further_roots_text(&self) -> Vec<String> {
        let roots = self.confinement.further();
        roots.map(|root| root.display().to_string()).collect()
    }
}
