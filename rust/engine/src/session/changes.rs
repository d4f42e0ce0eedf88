//! Which files a user's prompt has changed, with what they were before, and taking such a change back.
//!
//! A file's text is kept just before it may be changed: by one of our tools, by the agent through us, or after a
//! permission that names it. What a command changes by itself is not seen here. A change is taken back only where the
//! file is still what the turn left.

#[cfg(test)]
mod tests;
mod watched;

use std::path::{Path, PathBuf};

pub(in crate::session) use watched::Changes;

use serde_json::json;
use siderail_guard::Tool;

use watched::{Content, MOST_FILE, Watched};

use crate::confine::{Confined, Confinement, written};
use crate::event::{ChangeKind, ChangedFile, EventBody};
use crate::host::{FileBefore, HostReply, HostRequest};
use crate::session::effect::Effect;
use crate::session::own_calls::host_work::HostWork;
use crate::session::worker::Sight;
use crate::session::{Input, Session};
use crate::shared::Shared;
use crate::tools::Touch;

/// Bytes of a text that an event carries.
const MOST_SHOWN: usize = 128 << 10;
/// Why a change stays.
const CHANGED_SINCE: &str = "it has changed since; nothing was done";
const NO_ANSWER: &str = "the file system gives no answer; nothing was done";

impl Session {
    /// Keeps what these files are, which are about to change, and goes on.
    pub(in crate::session) fn watch(
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
            move |sight| watched::before(&new, room, sight),
            move |session, found, shared| {
                session.carried.changes.watch(found);
                then(session, shared);
            },
        );
    }

    /// Keeps what files were that a tool of the host has changed and tells of afterwards, and goes on.
    pub(in crate::session) fn watch_told(
        &mut self,
        told: Vec<FileBefore>,
        shared: &mut Shared,
        then: impl FnOnce(&mut Self, &mut Shared) + Send + 'static,
    ) {
        if told.is_empty() {
            return then(self, shared);
        }
        let confinement = self.place.confinement.clone();
        self.look_up(
            shared,
            move |sight| match sight {
                Sight::Clear => watched::told(&told, &confinement),
                Sight::Blind => Vec::new(),
            },
            move |session, found, shared| {
                session.carried.changes.watch_told(found);
                then(session, shared);
            },
        );
    }

    /// Looks at what the turn may have changed, if one runs, and goes on.
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
            move |sight| watched::now(&paths, sight),
            move |session, found, shared| {
                session.carried.changes.found(found);
                then(session, shared);
            },
        );
    }

    /// Tells which files the turn has changed so far.
    pub(in crate::session) fn tell_changes(&mut self, shared: &mut Shared) {
        let told = self.carried.changes.told(&self.place.confinement);
        self.apply(told, shared);
    }

    /// Takes the change of a file back.
    pub(crate) fn revert(&mut self, given: String, shared: &mut Shared) {
        let confinement = self.place.confinement.clone();
        let path = given.clone();
        let find = move |sight| match sight {
            Sight::Clear => Some((confinement.resolve(&path), confinement.resolve_entry(&path))),
            Sight::Blind => None,
        };
        self.look_up(shared, find, move |session, found, shared| match found {
            Some((file, entry)) => session.revert_file(given, file.ok(), entry.ok(), shared),
            None => session.reverted(given, None, Err(NO_ANSWER.to_owned()), shared),
        });
    }

    fn revert_file(
        &mut self,
        given: String,
        file: Option<Confined>,
        entry: Option<Confined>,
        shared: &mut Shared,
    ) {
        let changes = &self.carried.changes;
        let (file, watched) = match changes.to_take_back(file, entry, self.is_prompting()) {
            Ok(found) => found,
            Err(why) => return self.reverted(given, None, Err(why.to_owned()), shared),
        };
        let host_work = HostWork::new(self.carried.number, shared.inputs.clone());
        let (session, inputs) = (self.carried.number, shared.inputs.clone());
        tokio::spawn(async move {
            let outcome = take_back(&host_work, &file.absolute, watched).await;
            // The engine outlives its sessions' tasks; without it nobody waits.
            let _ = inputs
                .send(Input::Reverted {
                    session,
                    path: given,
                    file: Some(file),
                    outcome,
                })
                .await;
        });
    }

    /// `file`: what was taken back, where it was.
    pub(in crate::session) fn reverted(
        &mut self,
        mut path: String,
        file: Option<Confined>,
        outcome: Result<(), String>,
        shared: &mut Shared,
    ) {
        let done = outcome.is_ok();
        if let (true, Some(file)) = (done, file) {
            self.carried.taken_back(&file);
            path = file.relative;
        }
        let text = outcome.err().unwrap_or_default();
        self.emit(EventBody::Reverted { path, done, text }, shared);
    }
}

impl Changes {
    /// Tells which files the turn has changed so far.
    fn told(&self, confinement: &Confinement) -> Option<Effect> {
        let shown = |content: &Content| {
            let text = content.text().filter(|text| text.len() <= MOST_SHOWN);
            text.map(str::to_owned)
        };
        let file = |(path, watched): (&Path, &Watched)| {
            let after = watched.after.as_ref();
            let kind = match (&watched.before, after) {
                (Content::Absent, _) => ChangeKind::Created,
                (_, Some(Content::Absent)) => ChangeKind::Deleted,
                _ => ChangeKind::Changed,
            };
            ChangedFile {
                path: confinement
                    .relative(path)
                    .unwrap_or_else(|| path.display().to_string()),
                kind,
                old_text: shown(&watched.before),
                new_text: after.and_then(shown),
            }
        };
        let files: Vec<ChangedFile> = self.changed().into_iter().map(file).collect();
        (!files.is_empty()).then(|| Effect::emit(EventBody::Changes { files }))
    }

    /// The file whose change is to be taken back, with what it was, or why it stays. `file`: where the name leads, `entry`:
    /// what stands there itself.
    fn to_take_back(
        &self,
        file: Option<Confined>,
        entry: Option<Confined>,
        turn_runs: bool,
    ) -> Result<(Confined, Watched), &'static str> {
        if turn_runs {
            return Err("a turn is running; wait for it to end, or cancel it");
        }
        let watched = file.and_then(|file| {
            let watched = self.files.get(&file.absolute)?.clone();
            Some((file, watched))
        });
        // Where a link stands now in place of the file, the path leads elsewhere.
        let is_replaced = entry.is_some_and(|entry| self.files.contains_key(&entry.absolute));
        let (file, watched) = watched.ok_or(match is_replaced {
            true => CHANGED_SINCE,
            false => "the last prompt did not change that file",
        })?;
        match (&watched.before, &watched.after) {
            (_, None) => Err("its text after the turn is unknown"),
            (Content::Unknown(..), _) => Err("it is too large, so its earlier text was not saved"),
            (Content::Bytes(_), _) if watched.before.text().is_none() => {
                Err("it is not UTF-8 text")
            }
            _ => Ok((file, watched)),
        }
    }
}

/// Puts back what a file was, unless it is another one by now.
async fn take_back(host_work: &HostWork, path: &Path, watched: Watched) -> Result<(), String> {
    let saved = host_work.before(Touch::Changes).await;
    saved.map_err(|failure| failure.to_string())?;
    let file = path.to_owned();
    let now = tokio::task::spawn_blocking(move || Content::read(&file, MOST_FILE)).await;
    if watched.after != now.ok() {
        return Err(CHANGED_SINCE.to_owned());
    }
    let request = match watched.before.text() {
        Some(text) => HostRequest::WriteText {
            path: path.to_owned(),
            content: text.to_owned(),
            exact: true,
        },
        None => HostRequest::Tool {
            name: Tool::DeleteFile.name().to_owned(),
            arguments: json!({"path": written(path)}),
        },
    };
    match host_work.ask(request).await {
        Some(HostReply::Failed(failure)) => Err(failure.to_string()),
        Some(_) => Ok(()),
        None => Err("the session is over".to_owned()),
    }
}
