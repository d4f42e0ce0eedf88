//! Watches for built-in edits and commands that ran although nobody was asked. Observes only.
//!
//! Knows call ids and identities, no session and no protocol. Says at most once that a session is
//! unguarded; what to do about it is part of the message.

use std::collections::HashSet;

use crate::action::{ActionKind, Identity};
use crate::tool::Tool;

/// A session that the guard does not see all of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unguarded {
    /// What ran.
    pub why: String,
    /// What the user can do about it.
    pub what_to_do: String,
}

/// The watch over one session.
#[derive(Clone, Debug, Default)]
pub struct Canary {
    /// The agent's tools, by name or ACP kind, that run unasked by its design.
    unasked_by_design: Vec<String>,
    /// A pre-tool hook was registered at launch.
    hook_registered: bool,
    /// The hook fired at least once.
    hook_fired: bool,
    /// Calls that were asked for or seen by the hook, by id.
    seen: HashSet<String>,
    /// Hook calls without an id that no finished call has used up yet.
    seen_without_id: usize,
    /// The user knows already.
    told: bool,
    /// A call allowed as one of ours never arrived.
    own_call_missing: bool,
}

impl Canary {
    /// A watch with the profile's list of what runs unasked, and whether a hook was registered.
    pub fn new(unasked_by_design: &[String], hook_registered: bool) -> Self {
        Self {
            unasked_by_design: unasked_by_design.to_vec(),
            hook_registered,
            ..Self::default()
        }
    }

    /// The hook is off, as the agent says itself: the session is unguarded from the start. True if the user has yet to
    /// hear of it, which is then the one time.
    pub fn hook_is_off(&mut self) -> bool {
        self.hook_registered = false;
        !std::mem::replace(&mut self.told, true)
    }

    /// The agent asked for permission for this call.
    pub fn asked(&mut self, id: &str) {
        self.seen.insert(id.to_owned());
    }

    /// The agent's hook was called, for whatever became of it.
    pub fn hook_called(&mut self) {
        self.hook_fired = true;
    }

    /// A call that was asked for or seen by the hook failed: it no longer counts as one that ran.
    pub fn failed(&mut self, id: &str) {
        if !self.seen.remove(id) {
            self.use_up_one_without_id();
        }
    }

    /// The agent's hook reported this call.
    pub fn hook_saw(&mut self, id: &str) {
        self.hook_fired = true;
        self.seen.insert(id.to_owned());
    }

    /// The agent's hook reported a call without naming its id (as Copilot's does). It counts for one finished call, so
    /// it must only be reported for calls that were not denied.
    pub fn hook_saw_without_id(&mut self) {
        self.hook_fired = true;
        self.seen_without_id += 1;
    }

    /// A call was carried out: any call, reads and own tools too. Says once if nobody could have
    /// stopped it.
    pub fn ran(&mut self, id: &str, identity: &Identity, kind: ActionKind) -> Option<Unguarded> {
        let seen = self.seen.remove(id) | self.use_up_one_without_id();
        if self.told || !touches_something(kind) || !is_the_agents(identity) {
            return None;
        }
        let tool = identity.label();
        let why = if self.hook_registered && !self.hook_fired {
            format!("the agent ran {tool}, but the hook that was registered with it never fired")
        } else if !seen && !self.is_unasked_by_design(identity, kind) {
            format!("the agent ran {tool} without asking and without its hook being called")
        } else {
            return None;
        };
        self.told = true;
        Some(unguarded(why))
    }

    /// A call was carried out that had been denied. Says so once, where it may have done something.
    pub fn ran_although_denied(
        &mut self,
        id: &str,
        tool: &str,
        kind: ActionKind,
    ) -> Option<Unguarded> {
        self.seen.remove(id);
        if self.told || !touches_something(kind) {
            return None;
        }
        self.told = true;
        Some(unguarded(format!(
            "the agent ran {tool} although it had been denied"
        )))
    }

    /// A call that was allowed as one of ours never arrived at our server. Says so once.
    pub fn own_call_never_came(&mut self, tool: Tool) -> Option<Unguarded> {
        self.own_call_missing = true;
        if self.told {
            return None;
        }
        self.told = true;
        Some(unguarded(format!(
            "a call that was allowed as {tool} never reached Siderail's server, so the agent ran \
             something else"
        )))
    }

    /// False once the hook has let a call run without having been called.
    pub fn hook_works(&self) -> bool {
        self.hook_registered && !self.told
    }

    /// True once the session is known to be unguarded.
    pub fn is_unguarded(&self) -> bool {
        self.told
    }

    /// False once a call allowed by an own tool's name turned out to be another: names say nothing
    /// in this session any more (`name_trusted` of [`crate::Context`]).
    pub fn trusts_names(&self) -> bool {
        !self.own_call_missing
    }

    /// The watch over the same session in a new process of its agent: what was found out stays, and calls and hooks
    /// begin anew, as their ids do.
    #[must_use]
    pub fn goes_on(&self, fresh: Self) -> Self {
        Self {
            told: self.told,
            own_call_missing: self.own_call_missing,
            ..fresh
        }
    }

    fn use_up_one_without_id(&mut self) -> bool {
        let some_left = self.seen_without_id > 0;
        self.seen_without_id = self.seen_without_id.saturating_sub(1);
        some_left
    }

    fn is_unasked_by_design(&self, identity: &Identity, kind: ActionKind) -> bool {
        let label = identity.label();
        self.unasked_by_design
            .iter()
            .any(|name| name.eq_ignore_ascii_case(&label) || name == kind.acp())
    }
}

fn touches_something(kind: ActionKind) -> bool {
    kind.changes_files() || kind.is_command()
}

fn is_the_agents(identity: &Identity) -> bool {
    matches!(identity, Identity::Builtin(_) | Identity::Unknown)
}

fn unguarded(why: String) -> Unguarded {
    Unguarded {
        why,
        what_to_do: "Look at the changes before going on. Then restart the session with a tested \
                     version of the agent and in its asking mode (`siderail doctor` says what is \
                     missing), or leave its own tools hidden."
            .to_owned(),
    }
}
