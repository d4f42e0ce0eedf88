//! Takes new content roots of the project: looked up on disk, then narrowed to what the session may count as its own.

use std::path::PathBuf;

use crate::confine::Private;
use crate::session::Session;
use crate::session::content_roots::{Named, only_named};
use crate::session::effect::Effect;
use crate::shared::Shared;

impl Session {
    /// The project has these content roots now.
    pub(crate) fn set_content_roots(&mut self, roots: Vec<PathBuf>, shared: &mut Shared) {
        only_named(&mut self.carried.options.content_roots, &roots);
        let confinement = self.folders.confinement.clone();
        let (home, own) = (shared.config.home(), shared.config.own_folders());
        self.look_up(
            shared,
            move |sight| {
                let (home, own) = (home.as_deref(), &own);
                let private = Private { home, own };
                Named::new(confinement.clone(), &roots, private, sight)
            },
            move |session, named, shared| {
                let folders = &mut session.folders;
                let (now, told) = named.narrow(&folders.confinement, &mut folders.waiting_roots);
                folders.confinement = now;
                session.apply(told.into_iter().map(Effect::Notice), shared);
            },
        );
    }
}
