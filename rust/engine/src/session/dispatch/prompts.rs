//! Sends a prompt to the agent: it waits, its settings are made, its files are looked at, it is sent. `prompt_turn` says
//! what goes out, and when.

use std::time::Instant;

use serde_json::Value;
use siderail_acp::requests;

use crate::event::{EventBody, TurnStarted};
use crate::session::prompt_turn::PromptTurn;
use crate::session::prompt_turn::content::Content;
use crate::session::prompt_turn::outgoing::{self, Outgoing, left_out, text_block};
use crate::session::prompt_turn::prompt::{Prompt, QueueState, Sent};
use crate::session::{Session, Tag};
use crate::shared::Shared;

impl Session {
    /// A user prompt; it waits while a turn runs. `plan`: a plan is wanted first.
    pub(crate) fn prompt(&mut self, text: String, sent: Sent, plan: bool, shared: &mut Shared) {
        let prompt = Prompt::of_user(text, sent, plan);
        self.carried.queue.push_back(prompt);
        self.next_prompt(shared);
    }

    /// Sends the next waiting prompt when the session is idle.
    pub(in crate::session) fn next_prompt(&mut self, shared: &mut Shared) {
        let state = QueueState {
            is_ready: self.lifecycle.is_ready(),
            is_prompting: self.is_prompting(),
            awaits_setting: self.agent_settings.pending.is_some(),
            is_plan_proposed: self.carried.planning.state.is_proposed(),
            lacks_login: self.lifecycle.lacks_login(),
        };
        if let Some(prompt) = state.next(&mut self.carried.queue) {
            if prompt.begins_task() {
                self.begin_task(prompt.plan, shared);
            }
            self.prepare_prompt(prompt, shared);
        }
    }

    /// A user's prompt is a task of its own.
    fn begin_task(&mut self, plan: bool, shared: &mut Shared) {
        self.new_user_prompt(shared);
        let written = self.carried.files_written.len();
        self.carried.changes.forget(written);
        self.planner().task_begins(plan);
    }

    /// The answer to a setting that a prompt waits for.
    pub(super) fn prompt_setting_answered(
        &mut self,
        taken: bool,
        for_plan: bool,
        shared: &mut Shared,
    ) {
        if for_plan && !taken {
            self.carried.planning.mode.refused();
        }
        if let Some(prompt) = self.agent_settings.pending.take() {
            self.prepare_prompt(prompt, shared);
        }
    }

    /// Makes the next setting that is due, and then sends the prompt.
    pub(in crate::session) fn prepare_prompt(&mut self, prompt: Prompt, shared: &mut Shared) {
        let wanted = self.carried.due.next();
        let for_plan = wanted.is_none();
        let closes_writing = self.carried.planning.state.closes_writing();
        let acp = self.lifecycle.peers.acp.as_ref();
        let mode = &mut self.carried.planning.mode;
        let due = wanted.or_else(|| mode.due(closes_writing, acp, &self.agent_facts.profile));
        let Some(setting) = due else {
            return self.send_prompt(prompt, shared);
        };
        self.agent_settings.pending = Some(prompt);
        let tag = Tag::BeforePrompt {
            setting: setting.clone(),
            for_plan,
        };
        self.send_setting(&setting, tag, shared);
    }

    /// Sends a prompt, once the files that go along are looked at.
    pub(super) fn send_prompt(&mut self, prompt: Prompt, shared: &mut Shared) {
        self.goes_on_anew(shared);
        self.carried.sends_again = false;
        let agent = self.lifecycle.peers.initialized.as_ref();
        let files = match Outgoing::of(&prompt, agent.map(|agent| &agent.capabilities)) {
            Outgoing::Now(content) => return self.send_content(prompt, content, shared),
            Outgoing::ToLookAt(files) => files,
        };
        let project = self.folders.confinement.clone();
        let find = move |sight| files.find(&project, sight);
        self.look_up(shared, find, move |session, content, shared| {
            session.send_content(prompt, content, shared);
        });
    }

    fn send_content(&mut self, prompt: Prompt, content: Content, shared: &mut Shared) {
        self.apply(left_out(content.left_out), shared);
        self.send_blocks(prompt, content.blocks, shared);
    }

    fn send_blocks(&mut self, prompt: Prompt, mut blocks: Vec<Value>, shared: &mut Shared) {
        let (text, origin) = (prompt.text.clone(), prompt.origin);
        if prompt.plan {
            let (also, started) = self.planner().started();
            self.apply([started], shared);
            blocks.push(text_block(&also));
        }
        if self.is_prompting() {
            return self.carried.queue.push_front(prompt);
        }
        let Some(acp) = &mut self.lifecycle.peers.acp else {
            return;
        };
        let params = outgoing::params(acp.id(), &blocks, &prompt.sent.meta);
        let (request, line) = self.wire.request(requests::PROMPT, &params, Tag::Prompt);
        acp.begin_turn(request)
            .expect("a prompt is only sent while the session is idle");
        self.carried.n_turns += 1;
        self.wire.heard = Instant::now();
        let over = self.carried.denials.close_refusals(&mut self.turn.denials);
        self.apply(over, shared);
        self.turn = PromptTurn::of(prompt, std::mem::take(&mut self.turn));
        self.emit(EventBody::TurnStarted(TurnStarted { origin, text }), shared);
        self.send(line, shared);
    }

    /// Whether a prompt is in the agent's hands.
    pub(in crate::session) fn is_prompting(&self) -> bool {
        let acp = self.lifecycle.peers.acp.as_ref();
        acp.is_some_and(|acp| acp.running_prompt().is_some())
    }

    /// Whether the turn or the session is to end: nothing is begun for the agent any more.
    pub(super) fn is_stopping(&self) -> bool {
        self.turn.running.cancelling.is_some() || self.is_closing()
    }

    /// The model has continued after whatever was denied.
    pub(super) fn went_on(&mut self) {
        self.turn.denials.reject_stands = false;
    }

    /// The user sends another prompt, or one goes out in their name: what still waits comes too late.
    pub(super) fn new_user_prompt(&mut self, shared: &mut Shared) {
        self.drop_waiting(shared);
        self.carried.denials.user_prompt();
    }

    /// Guidance that found no way to the model comes too late: another task is on, or none.
    pub(in crate::session) fn drop_waiting(&mut self, shared: &mut Shared) {
        let late = self.carried.denials.drop_waiting();
        self.apply(late, shared);
    }
}
