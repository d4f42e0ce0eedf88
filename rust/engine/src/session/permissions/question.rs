//! What a person can be asked: an action of the agent with what is shown of it, a plan, a question of the agent's. Plain
//! data; it knows no session.

use std::path::PathBuf;
use std::sync::Arc;

use siderail_acp::permission::PermissionRequest;
use siderail_guard::Action;
use siderail_guard::decision::{Decision, Verdict};

use crate::command::PermissionAnswer;
use crate::event::{FileDiff, RequestChannel};
use crate::memory::Allowed;
use crate::session::own_calls::expected::OwnCalled;
use crate::session::terminals::command::CommandIn;

/// What a question or a decision is about.
#[derive(Clone, Debug)]
pub(crate) struct RequestedAction {
    pub(crate) request_id: u64,
    pub(crate) tool_call_id: Option<String>,
    /// What tells it from others where no id does.
    pub(crate) fingerprint: String,
    pub(crate) tool: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) paths: Vec<String>,
    /// Where those of them that are inside truly lie, absolute.
    pub(crate) inside: Vec<PathBuf>,
    pub(crate) channel: RequestChannel,
    /// It changes files by a tool of the agent's own.
    pub(crate) writes: bool,
    /// The command of a tool of the agent's own.
    pub(crate) command: Option<CommandIn>,
    /// What `Always` would remember; none for dangerous kinds.
    pub(crate) remember: Option<Allowed>,
    /// What a person is shown besides.
    pub(crate) shown: Preview,
    /// The calls of our tools that it claims to be: they have to arrive at our server once it is allowed.
    pub(in crate::session) own: Vec<OwnCalled>,
}

impl RequestedAction {
    /// The files in the project that it changes by a tool of the agent's own.
    pub(in crate::session) fn changes(&self) -> Vec<PathBuf> {
        match self.writes {
            true => self.inside.clone(),
            false => Vec::new(),
        }
    }
}

/// What a permission request asks for, before anybody judges it.
pub(in crate::session) struct ToJudge {
    pub(in crate::session) action: Arc<Action>,
    /// The call that it is about.
    pub(in crate::session) call: Option<String>,
    /// Other calls that the same answer is for.
    pub(in crate::session) others: Vec<(Arc<Action>, String)>,
}

/// What a permission request asks for.
pub(in crate::session) struct Asked {
    /// The gravest of the actions, by what the guard says of it.
    pub(in crate::session) action: Arc<Action>,
    pub(in crate::session) decision: Decision,
    /// The calls, that of the gravest first.
    pub(in crate::session) calls: Vec<String>,
    /// What else a person says yes to with it.
    pub(in crate::session) also: Vec<Arc<Action>>,
    /// Those of the calls that carry a name of ours.
    pub(in crate::session) own: Vec<OwnCalled>,
}

impl Asked {
    /// What is asked for by one action alone.
    pub(in crate::session) fn new(
        action: Arc<Action>,
        decision: Decision,
        call: Option<String>,
        own: Option<OwnCalled>,
    ) -> Self {
        Self {
            action,
            decision,
            calls: call.into_iter().collect(),
            also: Vec::new(),
            own: own.into_iter().collect(),
        }
    }

    /// Adds another call that the same answer is for. What a hook denies after the answer is no matter here.
    pub(in crate::session) fn with(
        &mut self,
        action: Arc<Action>,
        decision: Decision,
        call: String,
        hook_denies: bool,
    ) {
        self.own
            .extend(OwnCalled::of(&action, decision.reason, Some(&call)));
        let gravity = |verdict: Verdict| match verdict {
            Verdict::Deny if hook_denies => 0,
            Verdict::Allow => 1,
            Verdict::Ask => 2,
            Verdict::Deny => 3,
        };
        let is_graver = gravity(decision.verdict) > gravity(self.decision.verdict);
        let (lesser, verdict) = if is_graver {
            let lesser = std::mem::replace(&mut self.action, action);
            let said = std::mem::replace(&mut self.decision, decision);
            self.calls.insert(0, call);
            (lesser, said.verdict)
        } else {
            self.calls.push(call);
            (action, decision.verdict)
        };
        if gravity(verdict) > gravity(Verdict::Allow) {
            self.also.push(lesser);
        }
    }
}

/// What a question shows beside its words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preview {
    pub(crate) diffs: Vec<FileDiff>,
    /// Paths as the question names them.
    pub(crate) outside: Vec<String>,
    /// In a sentence; a line each where there are several.
    pub(crate) destroys: Option<String>,
}

impl Preview {
    /// With the reasons for asking, where nothing better is told.
    pub(in crate::session) fn because(mut self, reasons: Option<String>) -> Self {
        self.destroys = self.destroys.or(reasons);
        self
    }
}

/// What settles a question.
#[derive(Debug)]
pub(in crate::session) enum Settled {
    /// Whoever was asked.
    ByPerson(PermissionAnswer),
    /// The answer that was given to all questions beforehand.
    BySetting { allows: bool },
}

impl Settled {
    /// True for what certainly allows nothing.
    pub(in crate::session) fn is_a_no(&self) -> bool {
        matches!(
            self,
            Self::BySetting { allows: false } | Self::ByPerson(PermissionAnswer::Deny { .. })
        )
    }
}

/// An open question to the person.
pub(crate) enum Ask {
    /// A permission request of the agent.
    Acp {
        request: Box<PermissionRequest>,
        requested: RequestedAction,
    },
    /// A call at our server that its gate wants a person for.
    Own {
        call: u64,
        requested: RequestedAction,
    },
    /// A plan; the agent's request where it asked, none where it ended its turn.
    Plan {
        request_id: u64,
        request: Option<Box<PermissionRequest>>,
    },
}
