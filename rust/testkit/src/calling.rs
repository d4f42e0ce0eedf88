//! Carries out a tool call, from its announcement to what the model reads.
//!
//! Order: hidden? – announce – hook – read ahead – ask – hook after the allow – work – report. An
//! agent's shape says what it sends at each point; the questions are in `calling/ask.rs`.

mod ask;

use std::time::Duration;

use serde_json::json;

use crate::call_vars;
use crate::hook::{HookCall, HookEvent};
use crate::mcp_client::McpServer;
use crate::outcome::{End, Outcome};
use crate::peer::Reply;
use crate::perform::Work;
use crate::script::{Purpose, Step};
use crate::shape::Tool;
use crate::template::{fill, fill_text};
use crate::tool_call::ToolCall;
use crate::turn::Turn;

/// How long the client may take to hand over texts of the user.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// The end of a call.
struct Report {
    outcome: Outcome,
    /// What the model reads.
    text: String,
    /// The end of the turn, where the call brings it.
    end: Option<End>,
}

impl<'a> ToolCall<'a> {
    /// Prepares a call; it gets the session's next call id.
    #[must_use]
    pub(crate) fn new(turn: &'a Turn, purpose: Purpose, target: &'a str, step: &'a Step) -> Self {
        let tool = turn.agent.shape.tools.get(&purpose);
        let has_tool = |server: &&McpServer| match &step.server {
            Some(name) => &server.name == name,
            None => server.tool(target).is_some(),
        };
        let server = match purpose {
            Purpose::Mcp => turn.session.servers.iter().find(has_tool),
            _ => None,
        };
        let name = if purpose == Purpose::Mcp {
            target
        } else {
            purpose.as_str()
        }
        .to_owned();
        let vars = turn.vars();
        let mut call = Self {
            turn,
            purpose,
            step,
            tool,
            server,
            vars,
            name,
            target,
        };
        call_vars::set(&mut call, target);
        if let Some(tool) = tool {
            for (name, template) in &tool.vars {
                let value = fill_text(template, &call.vars);
                call.vars.set(name, value);
            }
            if server.is_some() || purpose != Purpose::Mcp {
                call.name = fill_text(&tool.name, &call.vars);
            }
            call.vars
                .set("kind", tool.kind.as_deref().unwrap_or("other"));
        }
        let provenance = if purpose == Purpose::Mcp {
            "mcp"
        } else {
            "builtin"
        };
        call.vars
            .set("name", call.name.as_str())
            .set("provenance", provenance);
        call_vars::set_id(&mut call);
        call
    }

    /// Carries the call out.
    ///
    /// # Errors
    /// The turn ends with it.
    pub(crate) fn run(mut self) -> Result<Outcome, End> {
        if let Some(seconds) = self.step.delay {
            self.turn.sleep(seconds)?;
        }
        let report = self.stages()?;
        self.check(&report);
        self.turn
            .updates(&self.turn.agent.shape.model_called, &self.vars);
        match report.end {
            Some(end) => Err(end),
            None => {
                self.drain_queue()?;
                Ok(report.outcome)
            }
        }
    }

    fn stages(&mut self) -> Result<Report, End> {
        let Some(tool) = self.tool.filter(|tool| !self.is_hidden(tool)) else {
            let text = fill_text(&self.turn.agent.shape.hidden, &self.vars);
            self.turn.shown("hidden", Some(&self.name), &text);
            return Ok(Report {
                outcome: Outcome::Hidden,
                text,
                end: None,
            });
        };
        let questions = self.questions(tool);
        let unasked = tool.announce_unasked.as_ref().unwrap_or(&tool.announce);
        let announce = if questions.is_empty() {
            unasked
        } else {
            &tool.announce
        };
        self.turn.updates(announce, &self.vars);
        let hooks_after_allow = self.turn.agent.shape.hooks_after_allow;
        if !hooks_after_allow && let Some(denied) = self.hook(tool, HookEvent::PreTool) {
            return Ok(denied);
        }
        if let Err(why) = Work::new(self).operations(&tool.before_ask)? {
            if announce.is_empty() {
                self.turn.updates(unasked, &self.vars);
            }
            return Ok(self.failed("failed", "failure", why, Outcome::Failed));
        }
        if !questions.is_empty() {
            if let Some(denied) = self.hook(tool, HookEvent::PermissionRequest) {
                return Ok(denied);
            }
            if let Some(stopped) = self.ask(tool, &questions)? {
                return Ok(stopped);
            }
        }
        if hooks_after_allow && let Some(denied) = self.hook(tool, HookEvent::PreTool) {
            return Ok(denied);
        }
        self.turn.updates(&tool.started, &self.vars);
        self.work(tool)
    }

    fn work(&mut self, tool: &Tool) -> Result<Report, End> {
        match Work::new(self).operations(&tool.perform)? {
            Ok(()) => {
                let text = fill_text(&tool.result, &self.vars);
                self.vars.set("text", text.as_str());
                self.turn.updates(&tool.completed, &self.vars);
                self.turn.shown("result", Some(&self.name), &text);
                Ok(Report {
                    outcome: Outcome::Allowed,
                    text,
                    end: None,
                })
            }
            Err(why) => {
                let refused = self.vars.get("refused").is_some();
                let outcome = if refused {
                    Outcome::Denied
                } else {
                    Outcome::Failed
                };
                let source = if refused { "refused" } else { "failure" };
                Ok(self.failed("failed", source, why, outcome))
            }
        }
    }

    fn is_hidden(&self, tool: &Tool) -> bool {
        let is_missing = |server: &McpServer| server.tool(self.target).is_none();
        if self.purpose == Purpose::Mcp && self.server.is_none_or(is_missing) {
            return true;
        }
        let server = self.server.map(|server| server.name.as_str());
        let hidden = &self.turn.session.hidden;
        let key = tool.permission_key.as_deref().unwrap_or(&self.name);
        hidden.denies(key) || hidden.hides(&self.name, &tool.hide_names, server)
    }

    /// Runs the hooks of an event; `Some` where one denied.
    fn hook(&mut self, tool: &Tool, event: HookEvent) -> Option<Report> {
        let input = fill(&tool.arguments, &self.vars).unwrap_or_else(|| json!({}));
        let name = match &tool.hook_name {
            Some(name) if name.is_empty() => return None,
            Some(name) => fill_text(name, &self.vars),
            None => self.name.clone(),
        };
        let call = HookCall {
            session: &self.turn.session.id,
            cwd: &self.turn.session.cwd,
            tool: &name,
            input: &input,
            call_id: &self.vars.text("id"),
            turn: self.turn.number,
        };
        let mut hooks = self
            .turn
            .session
            .hooks
            .iter()
            .filter(|hook| hook.event == event);
        let reason = hooks.find_map(|hook| hook.run(&call))?;
        self.vars
            .set("reason", reason.as_str())
            .set("hook_tool", name);
        let text = match event {
            HookEvent::PreTool => fill_text(&self.turn.agent.shape.hook_denied, &self.vars),
            HookEvent::PermissionRequest => reason,
        };
        Some(self.failed("denied", "hook", text, Outcome::Denied))
    }

    /// Reports a failure to client and model.
    fn failed(
        &mut self,
        code: &str,
        source: &'static str,
        text: String,
        outcome: Outcome,
    ) -> Report {
        self.failed_updates(code, &text, outcome == Outcome::Denied);
        self.turn.shown(source, Some(&self.name), &text);
        Report {
            outcome,
            text,
            end: None,
        }
    }

    fn failed_updates(&mut self, code: &str, text: &str, denied: bool) {
        self.vars.set("text", text).set("code", code);
        if denied {
            self.vars.set("non_execution", "permission-rule");
        }
        let own = self.tool.map_or(&[][..], |tool| &tool.failed);
        let templates = if own.is_empty() {
            &self.turn.agent.shape.failed
        } else {
            own
        };
        self.turn.updates(templates, &self.vars);
    }

    /// Asks for texts that the user has typed meanwhile, as Qwen does.
    fn drain_queue(&self) -> Result<(), End> {
        if !self.turn.agent.shape.drains_queue || self.turn.session.state().drain_refused {
            return Ok(());
        }
        let params = json!({"sessionId": self.turn.session.id});
        let peer = &self.turn.agent.peer;
        let call = peer.request(&self.turn.session.id, "craft/drainMidTurnQueue", params);
        match peer.wait_for(&call, DRAIN_LIMIT) {
            Some(Reply::Result(result)) => {
                for message in result["messages"].as_array().into_iter().flatten() {
                    let text = message
                        .as_str()
                        .or(message["text"].as_str())
                        .unwrap_or_default();
                    let text = format!("[User message received during tool execution]: {text}");
                    self.turn.shown("steering", None, &text);
                }
            }
            Some(Reply::Error(_)) => self.turn.session.state().drain_refused = true,
            Some(Reply::Cancelled) => return Err(End::Cancelled),
            Some(Reply::Closed | Reply::Feedback(_)) | None => {}
        }
        Ok(())
    }

    fn check(&self, report: &Report) {
        let (name, text) = (&self.name, &report.text);
        if let Some(expected) = &self.step.expect {
            let found = format!("{:?}", report.outcome).to_lowercase();
            if *expected != found {
                self.turn
                    .expectation_failed(&format!("{name} was {found}, not {expected}: {text}"));
            }
        }
        if let Some(part) = &self.step.expect_result_contains
            && !text.contains(part)
        {
            self.turn
                .expectation_failed(&format!("the result of {name} lacks {part:?}: {text}"));
        }
        if let Some(part) = &self.step.expect_result_lacks
            && text.contains(part)
        {
            self.turn
                .expectation_failed(&format!("the result of {name} has {part:?}: {text}"));
        }
    }
}
