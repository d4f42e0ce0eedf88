//! Follows the changes of a prompt: looks at files before they change and after, reports what was changed, and reverts
//! it. What is kept and reported is decided in `changes`.

use std::path::PathBuf;

use crate::confine::Confined;
use crate::host::FileBefore;
use crate::session::changes::{Change, places, take_back, watched_files};
use crate::session::own_calls::host_work::HostWork;
use crate::session::{Input, Session};
use crate::shared::Shared;

impl Session {
    /// Keeps what these files are, which are about to change, and continues.
    pub(super) fn watch(
        &mut self,
        paths: Vec<PathBuf>,
        shared: &mut Shared,
        then: impl FnOnce(&mut Self, &mut Shared) + Send + 'static,
    ) {
        let new = self.carried.changes.new_ones(paths);
        if new.is_empty() {
            return then(self, shared);
        }
        let room = self.carried.changes.room();
        self.look_up(
            shared,
            move |sight| {
                let missing = watched_files::missing_folders(&new, sight);
                (watched_files::before(&new, room, sight), missing)
            },
            move |session, (found, missing), shared| {
                session.carried.changes.watch(found);
                session.carried.changes.lack(missing);
                then(session, shared);
            },
        );
    }

    /// Keeps what files were that a tool of the host has changed and reports afterwards, and continues.
    pub(super) fn watch_told(
        &mut self,
        told: Vec<FileBefore>,
        shared: &mut Shared,
        then: impl FnOnce(&mut Self, &mut Shared) + Send + 'static,
    ) {
        if told.is_empty() {
            return then(self, shared);
        }
        let confinement = self.folders.confinement.clone();
        self.look_up(
            shared,
            move |sight| watched_files::told(&told, &confinement, sight),
            move |session, found, shared| {
                session.carried.changes.watch_told(found);
                then(session, shared);
            },
        );
    }

    /// Looks at what the turn may have changed, if one runs, and continues.
    pub(in crate::session) fn after_a_look(
        &mut self,
        shared: &mut Shared,
        then: impl FnOnce(&mut Self, &mut Shared) + Send + 'static,
    ) {
        if self.carried.changes.is_empty() || !self.is_prompting() {
            return then(self, shared);
        }
        let paths = self.carried.changes.paths();
        self.look_up(
            shared,
            move |sight| watched_files::now(&paths, sight),
            move |session, found, shared| {
                session.carried.changes.found(found);
                then(session, shared);
            },
        );
    }

    /// Reports which files the turn has changed so far.
    pub(in crate::session) fn tell_changes(&mut self, shared: &mut Shared) {
        let told = self.carried.changes.told(&self.folders.confinement);
        self.apply(told, shared);
    }

    /// Takes the change of a file back.
    pub(crate) fn revert(&mut self, given: String, shared: &mut Shared) {
        let (confinement, path) = (self.folders.confinement.clone(), given.clone());
        self.look_up(
            shared,
            move |sight| places(&confinement, &path, sight),
            move |session, found, shared| {
                let turn_runs = session.is_prompting();
                match session.carried.changes.to_take_back(found, turn_runs) {
                    Ok(change) => session.revert_file(given, change, shared),
                    Err(why) => session.reverted(given, None, Err(why.to_owned()), shared),
                }
            },
        );
    }

    /// Puts back what a file was; that ends with [`Input::Reverted`].
    fn revert_file(&mut self, path: String, change: Change, shared: &mut Shared) {
        let host_work = HostWork::new(self.carried.number, shared.inputs.clone());
        let session = self.carried.number;
        shared.spawn(async move {
            let file = Some(change.file.clone());
            let outcome = take_back(&host_work, change).await;
            Input::Reverted {
                session,
                path,
                file,
                outcome,
            }
        });
    }

    /// `file`: what was reverted, where it was.
    pub(super) fn reverted(
        &mut self,
        path: String,
        file: Option<Confined>,
        outcome: Result<(), String>,
        shared: &mut Shared,
    ) {
        let told = self.carried.reverted(path, file, outcome);
        self.apply([told], shared);
    }
}
