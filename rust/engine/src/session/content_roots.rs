//! Content roots of the project beside its own folder, as the person's IDE names them while a session runs.
//!
//! A model of a project is made of files, too, which the agent may have edited. So while its session runs a root can only
//! go; one that comes is told, and counts once the person starts the agent anew.

use std::path::{Path, PathBuf};

use crate::confine::{Confinement, Private};
use crate::session::Session;
use crate::session::worker::Sight;
use crate::shared::Shared;

impl Session {
    /// The project has these content roots now. Where the disk gives no answer, it has none.
    pub(crate) fn set_content_roots(&mut self, roots: Vec<PathBuf>, shared: &mut Shared) {
        // A new process of the same session begins with them.
        self.carried.options.content_roots.clone_from(&roots);
        let confinement = self.place.confinement.clone();
        let (home, own) = (shared.config.home(), shared.config.own_folders());
        self.look_up(
            shared,
            move |sight| match sight {
                Sight::Clear => {
                    let (home, own) = (home.as_deref(), &own);
                    confinement
                        .clone()
                        .with_named_roots(&roots, Private { home, own })
                }
                Sight::Blind => (confinement.clone().with_roots(&[]), Vec::new()),
            },
            move |session, (named, refused), shared| {
                let before = &session.place.confinement;
                let now = before.clone().narrowed_to(&named);
                let told = changes(before, &now, &named);
                session.place.confinement = now;
                for text in told.into_iter().chain(refused) {
                    session.notice(&text, shared);
                }
            },
        );
    }
}

/// What is the project's no more, and what will be once its agent is started anew.
fn changes(before: &Confinement, now: &Confinement, named: &Confinement) -> Vec<String> {
    let only = |of: &Confinement, other: &Confinement| -> Vec<String> {
        let is_new = |root: &&Path| other.further().all(|known| known != *root);
        let new = of.further().filter(is_new);
        new.map(|root| root.display().to_string()).collect()
    };
    let came = only(named, now).into_iter().map(|root| {
        format!(
            "{root} is a content root of the project now; its files count as outside until you start the agent anew, \
             since an agent may change what makes it one"
        )
    });
    let went = only(before, now).into_iter().map(|root| {
        format!("{root} is no content root of the project any more: its files count as outside")
    });
    came.chain(went).collect()
}
