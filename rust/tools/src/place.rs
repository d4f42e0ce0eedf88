//! The project of a call of the engine's own tools: paths inside of it, and what to say where one is not.
//!
//! Knows no tool.

use std::fs::File;
use std::io;
use std::path::Path;

use siderail_workspace::Project;
use siderail_workspace::confine::{Confined, Confinement, Refusal};
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

/// The project of a call.
pub(super) struct Place(Confinement);

impl Place {
    pub(super) fn new<'a>(project: impl Into<Project<'a>>) -> Result<Self, ToolFailure> {
        let project = project.into();
        let confinement = Confinement::known(project.folder).map_err(|error| {
            ToolFailure::new(
                ToolErrorCode::ProjectDisposed,
                format!(
                    "the project folder {} cannot be used: {error}",
                    project.folder.display()
                ),
            )
        })?;
        Ok(Self(confinement.with_roots(project.roots)))
    }

    pub(super) fn root(&self) -> &Path {
        self.0.root()
    }

    /// Opens a regular file of the project by its canonical path; no link that came meanwhile is followed.
    pub(super) fn file(&self, absolute: &Path) -> io::Result<File> {
        let (root, below) = self.0.folder_of(absolute)?;
        root.file(&below)
    }

    /// A path inside the project, there or not, links followed.
    pub(super) fn inside(&self, given: &str) -> Result<Confined, ToolFailure> {
        self.0.resolve(given).map_err(refused)
    }

    /// The same, where a link is the thing itself.
    pub(super) fn entry(&self, given: &str) -> Result<Confined, ToolFailure> {
        self.0.resolve_entry(given).map_err(refused)
    }

    /// A path inside the project at which there is something.
    pub(super) fn existing(&self, given: &str) -> Result<Confined, ToolFailure> {
        let confined = self.inside(given)?;
        if confined.exists {
            return Ok(confined);
        }
        Err(ToolFailure::new(
            ToolErrorCode::FileNotFound,
            format!(
                "{} does not exist; list_project_files lists the files",
                confined.relative
            ),
        ))
    }
}

fn refused(refusal: Refusal) -> ToolFailure {
    match refusal {
        Refusal::Empty | Refusal::BadAddress(_) | Refusal::NoName { .. } => {
            ToolFailure::invalid(refusal.to_string())
        }
        Refusal::Outside { .. } | Refusal::Unfollowable { .. } => ToolFailure::new(
            ToolErrorCode::OutsideProject,
            format!("{refusal}; name a path inside the project"),
        ),
    }
}
