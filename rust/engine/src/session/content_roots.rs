//! Content roots of the project beside its own folder, as the person's IDE names them while a session runs.
//!
//! They come by a command of the host alone, and each change is told: a model of a project is made of files, too, which
//! an agent may have edited.

use std::path::{Path, PathBuf};

use crate::confine::Confinement;
use crate::event::{EventBody, LogKind};
use crate::session::Session;
use crate::session::worker::Sight;
use crate::shared::Shared;

impl Session {
    /// The project has these content roots now. Where the disk gives no answer, it has none.
    pub(crate) fn set_content_roots(&mut self, roots: Vec<PathBuf>, shared: &mut Shared) {
        // A new process of the same session begins with them.
        self.carried.options.content_roots.clone_from(&roots);
        let confinement = self.place.confinement.clone();
        let home = shared.config.home();
        self.look_up(
            shared,
            move |sight| match sight {
                Sight::Clear => confinement
                    .clone()
                    .with_named_roots(&roots, home.as_deref()),
                Sight::Blind => (confinement.clone().with_roots(&[]), Vec::new()),
            },
            move |session, (found, refused), shared| {
                let changes = changes(&session.place.confinement, &found);
                session.place.confinement = found;
                for text in changes.into_iter().chain(refused) {
                    let kind = LogKind::Notice;
                    session.emit(EventBody::AgentLog { kind, text }, shared);
                }
            },
        );
    }
}

/// What is the project's now and was not before, and the other way round.
fn changes(before: &Confinement, now: &Confinement) -> Vec<String> {
    let only = |of: &Confinement, other: &Confinement| -> Vec<String> {
        let is_new = |root: &&Path| other.further().all(|known| known != *root);
        let new = of.further().filter(is_new);
        new.map(|root| root.display().to_string()).collect()
    };
    let came = only(now, before).into_iter().map(|root| {
        format!("{root} is a content root of the project now: its files count as the project's")
    });
    let went = only(before, now).into_iter().map(|root| {
        format!("{root} is no content root of the project any more: its files count as outside")
    });
    came.chain(went).collect()
}
