//! What of a session outlives its agent's process: how it was started, its prompts, its counts, what was told and what
//! was found out.
//!
//! It is a set of parts of the session ([`Denials`], [`AgentPlanning`], [`Changes`] and others), which do not know each
//! other, and of plain values; it decides nothing itself but what a new process begins with. That is the whole of it, so
//! that nothing is told twice and nothing is counted anew. A new field is kept as it is, unless
//! [`Carried::into_new_process`] says otherwise. It knows no process and no connection.

use std::collections::VecDeque;
use std::time::Instant;

use siderail_guard::canary::Canary;
use siderail_guard::denial::DenialTracker;

use crate::command::SessionOptions;
use crate::confine::Confined;
use crate::event::{EventBody, Reverted};
use crate::memory::Memory;
use crate::session::changes::Changes;
use crate::session::effect::Effect;
use crate::session::guidance::denials::Denials;
use crate::session::modes::Due;
use crate::session::planning::AgentPlanning;
use crate::session::prompt_turn::prompt::Prompt;
use siderail_traffic::agent_notices::AgentNotices;

/// What a session is, whichever process of its agent works for it.
pub(in crate::session) struct Carried {
    /// The host's number of the session.
    pub(in crate::session) number: u64,
    /// How it was started, and what was set since.
    pub(in crate::session) options: SessionOptions,
    /// Prompts that wait for the running turn.
    pub(in crate::session) queue: VecDeque<Prompt>,
    /// The first prompt that waits belongs to a turn that is not over yet: it is sent again after a login.
    pub(in crate::session) sends_again: bool,
    /// Number of the prompt turn; 0 before the first.
    pub(in crate::session) n_turns: u32,
    pub(in crate::session) started: Instant,
    /// What was reported of usage and title.
    pub(in crate::session) agent_notices: AgentNotices,
    pub(in crate::session) denials: Denials,
    pub(in crate::session) canary: Canary,
    pub(in crate::session) planning: AgentPlanning,
    /// What the person allowed for good in this project, with what could not be saved and counts until the session's end.
    pub(in crate::session) memory: Memory,
    /// Settings that are wanted from the start.
    pub(in crate::session) due: Due,
    /// What the user's last prompt has changed.
    pub(in crate::session) changes: Changes,
    pub(in crate::session) files_written: Vec<String>,
    /// The agent's own id of this conversation in an earlier process, where nothing else keeps it.
    pub(in crate::session) earlier: Option<String>,
    /// What was said before is before the person already, and not shown again.
    pub(in crate::session) seen: bool,
}

impl Carried {
    /// A session that begins now.
    pub(in crate::session) fn new(
        number: u64,
        started: Instant,
        options: SessionOptions,
        tracker: DenialTracker,
        canary: Canary,
        memory: Memory,
    ) -> Self {
        Self {
            number,
            options,
            queue: VecDeque::new(),
            sends_again: false,
            n_turns: 0,
            started,
            agent_notices: AgentNotices::default(),
            denials: Denials::new(tracker),
            canary,
            planning: AgentPlanning::default(),
            memory,
            due: Due::default(),
            changes: Changes::default(),
            files_written: Vec::new(),
            earlier: None,
            seen: false,
        }
    }

    /// Prompts that waited for the running turn go to nobody any more, and their author learns of it.
    pub(in crate::session) fn drop_queue(&mut self) -> Option<Effect> {
        let text = match std::mem::take(&mut self.queue).len() {
            0 => return None,
            1 => "a queued prompt was not sent: the session ends".to_owned(),
            n => format!("{n} queued prompts were not sent: the session ends"),
        };
        Some(Effect::Notice(text))
    }

    /// These files of the project were written.
    pub(in crate::session) fn wrote(&mut self, files: impl IntoIterator<Item = String>) {
        for file in files {
            if !self.files_written.contains(&file) {
                self.files_written.push(file);
            }
        }
    }

    /// The change of a file was taken back. What the session had written before the prompt stays written.
    fn taken_back(&mut self, file: &Confined) {
        let since = self.changes.taken_back(&file.absolute);
        let mut written = self
            .files_written
            .split_off(since.min(self.files_written.len()));
        written.retain(|name| *name != file.relative);
        self.files_written.append(&mut written);
    }

    /// The change of a file was to be taken back; what is reported of it. `file`: what was taken back, where it was.
    pub(in crate::session) fn reverted(
        &mut self,
        mut path: String,
        file: Option<Confined>,
        outcome: Result<(), String>,
    ) -> Effect {
        let done = outcome.is_ok();
        if let (true, Some(file)) = (done, file) {
            self.taken_back(&file);
            path = file.relative;
        }
        let text = outcome.err().unwrap_or_default();
        Effect::emit(EventBody::Reverted(Reverted { path, done, text }))
    }

    /// The same session in a new process, started as `fresh` says; calls and hooks begin anew, too.
    pub(in crate::session) fn into_new_process(self, fresh: Self) -> Self {
        Self {
            options: fresh.options,
            canary: self.canary.goes_on(fresh.canary),
            memory: match self.memory.project() == fresh.memory.project() {
                true => self.memory,
                false => fresh.memory,
            },
            due: self.due.anew(),
            planning: self.planning.in_new_process(),
            seen: self.seen || self.n_turns > 0,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::event::PromptOrigin;
    use crate::memory::Allowed;
    use crate::session::Sent;

    fn carried() -> Carried {
        let tracker = DenialTracker::new(2, "/p");
        Carried::new(
            1,
            Instant::now(),
            SessionOptions::default(),
            tracker,
            Canary::new(&[], true),
            memory("/p"),
        )
    }

    /// With nothing on disk.
    fn memory(project: &str) -> Memory {
        Memory::of_project(Path::new("/nowhere"), Path::new(project))
    }

    fn prompt() -> Prompt {
        Prompt {
            text: "go on".to_owned(),
            origin: PromptOrigin::User,
            sent: Sent::default(),
            plan: false,
        }
    }

    #[test]
    fn prompts_that_are_never_sent_are_counted_once_for_their_author() {
        let mut session = carried();
        assert!(session.drop_queue().is_none());
        session.queue.extend([prompt(), prompt()]);
        let told = session.drop_queue();
        assert!(matches!(told, Some(Effect::Notice(text)) if text.starts_with("2 queued prompts")));
        assert!(session.drop_queue().is_none());
    }

    #[test]
    fn a_new_process_goes_on_with_prompts_counts_and_findings() {
        let mut old = carried();
        old.queue.push_back(prompt());
        old.sends_again = true;
        old.n_turns = 3;
        old.denials.tracker.on_denial("Bash");
        old.files_written.push("a.rs".to_owned());
        old.denials.refusal_failed = true;
        old.planning.state.begin();
        old.planning.mode.is_seen_to = true;
        let began = old.started;
        let new = old.into_new_process(carried());
        assert_eq!(
            (new.queue.len(), new.sends_again, new.n_turns),
            (1, true, 3)
        );
        assert_eq!(
            (new.denials.tracker.consecutive(), new.files_written.len()),
            (1, 1)
        );
        assert!(new.denials.refusal_failed && new.started == began);
        assert!(new.seen, "what was said is before the person");
        let planning = &new.planning;
        assert!(planning.state.closes_writing() && !planning.mode.is_seen_to);
    }

    #[test]
    fn what_could_not_be_saved_is_allowed_until_the_end_of_the_session_and_in_its_project_alone() {
        let action = Allowed::Command {
            command: "make".to_owned(),
            folder: "/p".to_owned(),
        };
        let allows_in = |project: &str| {
            let mut old = carried();
            old.memory.believe(action.clone());
            let fresh = Carried {
                memory: memory(project),
                ..carried()
            };
            old.into_new_process(fresh).memory.allows(&action)
        };
        assert!(allows_in("/p"), "after a login or a restart");
        assert!(!allows_in("/q"));
    }

    #[test]
    fn a_file_that_is_taken_back_was_written_only_where_an_earlier_prompt_wrote_it() {
        let mut session = carried();
        session.wrote(["a".to_owned(), "a".to_owned(), "b".to_owned()]);
        session.changes.forget(1);
        let file = |name: &str| Confined {
            absolute: format!("/p/{name}").into(),
            relative: name.to_owned(),
            exists: true,
        };
        let mut revert = |name: &str, outcome| {
            let given = format!("./{name}");
            match session.reverted(given, Some(file(name)), outcome) {
                Effect::Emit(body) => *body,
                _ => panic!("it is told"),
            }
        };
        let (path, done, text) = ("./b".to_owned(), false, "no".to_owned());
        let stays = EventBody::Reverted(Reverted { path, done, text });
        assert_eq!(revert("b", Err("no".to_owned())), stays);
        for name in ["a", "b"] {
            let (path, done, text) = (name.to_owned(), true, String::new());
            let taken_back = EventBody::Reverted(Reverted { path, done, text });
            assert_eq!(revert(name, Ok(())), taken_back);
        }
        assert_eq!(session.files_written, ["a"]);
    }

    #[test]
    fn what_nobody_was_told_is_shown_by_the_new_process() {
        assert!(!carried().into_new_process(carried()).seen);
        let mut shown = carried();
        shown.seen = true;
        assert!(shown.into_new_process(carried()).seen, "once is enough");
    }
}
