//! The files that a user's prompt has changed, with their texts before; reverts such changes.
//!
//! A file's text is kept just before it may be changed: by one of our tools, by the agent through us, or after a
//! permission that names it. What a command changes by itself is not seen here. A change is reverted only if the file
//! is still as the turn left it. It knows no session; the ways through it are in [`super::dispatch`].

#[cfg(test)]
mod tests;
pub(in crate::session) mod watched_files;

use std::path::{Path, PathBuf};

pub(in crate::session) use watched_files::Changes;

use serde_json::json;
use siderail_guard::Tool;

use watched_files::{Content, MOST_FILE, Watched, is_empty_folder};

use crate::confine::{Confined, Confinement, written};
use crate::event::{self, ChangeKind, ChangedFile, EventBody};
use crate::host::{HostReply, HostRequest};
use crate::session::effect::Effect;
use crate::session::own_calls::host_work::HostWork;
use crate::session::worker::Sight;
use crate::tools::Touch;

/// Bytes of a text that an event carries.
const MOST_SHOWN: usize = 128 << 10;
/// Why a change stays.
const CHANGED_SINCE: &str = "it has changed since; nothing was done";
const NO_ANSWER: &str = "the file system gives no answer; nothing was done";

/// Where a path leads, and what is at the path itself.
pub(in crate::session) struct Places {
    file: Option<Confined>,
    entry: Option<Confined>,
}

/// A change that can be reverted.
#[derive(Debug)]
pub(in crate::session) struct Change {
    pub(in crate::session) file: Confined,
    watched: Watched,
    /// The folders that came with a new file, the innermost first.
    folders: Vec<PathBuf>,
}

/// Looks up a path whose change is to be reverted; none if the disk gives no answer.
pub(in crate::session) fn places(
    confinement: &Confinement,
    path: &str,
    sight: Sight,
) -> Option<Places> {
    (sight == Sight::Clear).then(|| Places {
        file: confinement.resolve(path).ok(),
        entry: confinement.resolve_entry(path).ok(),
    })
}

impl Changes {
    /// Reports which files the turn has changed so far.
    pub(in crate::session) fn told(&self, confinement: &Confinement) -> Option<Effect> {
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
        (!files.is_empty()).then(|| Effect::emit(EventBody::Changes(event::Changes { files })))
    }

    /// The change that is to be reverted, or why it stays. `found`: the places of its path, where they could be looked
    /// up.
    pub(in crate::session) fn to_take_back(
        &self,
        found: Option<Places>,
        turn_runs: bool,
    ) -> Result<Change, &'static str> {
        let Places { file, entry } = found.ok_or(NO_ANSWER)?;
        if turn_runs {
            return Err("a turn is running; wait for it to end, or cancel it");
        }
        let watched = file.and_then(|file| {
            let watched = self.files.get(&file.absolute)?.clone();
            Some((file, watched))
        });
        // If a link is now in place of the file, the path leads elsewhere.
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
            _ => Ok(Change {
                folders: match watched.before {
                    Content::Absent => self.new_folders_of(&file.absolute),
                    _ => Vec::new(),
                },
                file,
                watched,
            }),
        }
    }
}

/// Puts back what a file was, unless it is another one by now. The folders that came with a new file go with it, where
/// nothing else is in them.
pub(in crate::session) async fn take_back(
    host_work: &HostWork,
    change: Change,
) -> Result<(), String> {
    let Change {
        file,
        watched,
        folders,
    } = change;
    let path = file.absolute;
    let saved = host_work.before(Touch::Changes).await;
    saved.map_err(|failure| failure.to_string())?;
    let file = path.clone();
    let now = tokio::task::spawn_blocking(move || Content::read(&file, MOST_FILE)).await;
    if watched.after != now.ok() {
        return Err(CHANGED_SINCE.to_owned());
    }
    let request = match watched.before.text() {
        Some(text) => HostRequest::WriteText {
            path,
            content: text.to_owned(),
            exact: true,
        },
        None => deletion(&path),
    };
    match host_work.ask(request).await {
        Some(HostReply::Failed(failure)) => Err(failure.to_string()),
        Some(_) => {
            remove_empty(host_work, folders).await;
            Ok(())
        }
        None => Err("the session is over".to_owned()),
    }
}

/// Removes folders, up to the first in which there is something.
async fn remove_empty(host_work: &HostWork, folders: Vec<PathBuf>) {
    for folder in folders {
        let looked_at = folder.clone();
        let is_empty = tokio::task::spawn_blocking(move || is_empty_folder(&looked_at)).await;
        if !is_empty.unwrap_or(false) {
            return;
        }
        // One that gets something meanwhile stays, since nobody deletes it with what is in it.
        if let Some(HostReply::Failed(failure)) = host_work.ask(deletion(&folder)).await {
            tracing::debug!("an empty folder stays: {failure}");
            return;
        }
    }
}

fn deletion(path: &Path) -> HostRequest {
    HostRequest::Tool {
        tool: Tool::DeleteFile,
        arguments: json!({"path": written(path)}),
    }
}
