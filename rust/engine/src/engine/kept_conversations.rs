//! Answers requests about kept conversations, on the thread of [`super::disk_lookups`].

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::Engine;
use crate::confine::Confinement;
use crate::event::{self, ErrorKind, EventBody, History, HistoryExported, PastConversation};
use crate::history::{self, Archive, Listed};

/// How long an answer waits for lines that are still to be written.
const WRITING: Duration = Duration::from_secs(2);
/// Conversations of an answer.
const MOST: usize = 200;

impl Engine {
    pub(super) fn list_history(&mut self, session: u64, query: Option<String>) {
        let project = match self.sessions.get(&session) {
            Some(found) => Some(found.project()),
            None => self.shared.config.project.clone(),
        };
        self.ask_archive(session, project, move |archive| {
            let listed = match &query {
                Some(text) => archive.matching(text)?,
                None => archive.list()?,
            };
            let conversations = listed.into_iter().take(MOST).map(past).collect();
            Ok(EventBody::History(History {
                query,
                conversations,
            }))
        });
    }

    pub(super) fn export_history(&mut self, conversation: String) {
        let project = self.shared.config.project.clone();
        self.ask_archive(0, project, move |archive| {
            let kept = archive.read(&conversation)?;
            Ok(EventBody::HistoryExported(HistoryExported {
                conversation: kept.listed.head.id.clone(),
                markdown: history::markdown(&kept, history::date),
            }))
        });
    }

    fn ask_archive(
        &mut self,
        session: u64,
        project: Option<PathBuf>,
        ask: impl FnOnce(&Archive) -> io::Result<EventBody> + Send + 'static,
    ) {
        let Some(project) = project else {
            let error = io::Error::other("no project is open");
            return self.shared.emit(0, 0, unreadable(&error));
        };
        let state_dir = self.shared.config.state_dir.clone();
        let written = self.shared.history.written();
        self.look_up(move || {
            // That of a session that is being prepared is as it was given.
            let project = Confinement::new(&project).map_or(project, |of| of.root().to_owned());
            let archive = Archive::of_project(&state_dir, &project);
            // What was said before is in the answer.
            written.iter().for_each(|written| written.wait(WRITING));
            match ask(&archive) {
                Ok(body) => (session, body),
                Err(error) => (0, unreadable(&error)),
            }
        });
    }
}

fn past(listed: Listed) -> PastConversation {
    PastConversation {
        id: listed.head.id,
        agent: listed.head.agent,
        title: listed.title,
        started_ms: listed.began,
        turns: listed.prompts as u64,
    }
}

/// Reported outside of all sessions: nothing of theirs has failed.
fn unreadable(error: &io::Error) -> EventBody {
    EventBody::Error(event::Error {
        kind: ErrorKind::History,
        text: format!("the history cannot be read: {error}"),
        hint: None,
    })
}
