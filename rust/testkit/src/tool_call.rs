//! One tool call of the scripted model, from its announcement to what the model reads.
//!
//! Order: hidden? – read ahead – announce – hook – ask – hook after the allow – work – report. What
//! each agent sends at each point is in its shape.

use serde_json::{Map, Value, json};

use crate::hook::{HookCall, HookEvent};
use crate::mcp_client::McpServer;
use crate::peer::Reply;
use crate::perform::Work;
use crate::script::{Purpose, Step};
use crate::shape::{AfterError, Asks, Reject, Tool};
use crate::template::{Vars, fill, fill_text};
use crate::turn::{End, Turn};
use crate::{call_vars, safe_command};

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was carried out.
    Allowed,
    /// A reject, a hook or a refusal stopped it.
    Denied,
    /// The model does not have the tool.
    Hidden,
    /// It was carried out and failed.
    Failed,
}

/// A call.
pub(crate) struct ToolCall<'a> {
    /// The turn.
    pub(crate) turn: &'a Turn,
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// The step as written.
    pub(crate) step: &'a Step,
    /// The shape's tool; `None` where the agent has none for this.
    pub(crate) tool: Option<&'a Tool>,
    /// The MCP server that has the tool, for MCP calls.
    pub(crate) server: Option<&'a McpServer>,
    /// Variables for the templates.
    pub(crate) vars: Vars,
    name: String,
    target: &'a str,
}

/// What the client answered to a permission request.
enum Answer {
    Allow,
    Reject { option: Option<String> },
    Error(String),
}

impl<'a> ToolCall<'a> {
    /// Prepares a call; it gets the session's next call id.
    #[must_use]
    pub(crate) fn new(turn: &'a Turn, purpose: Purpose, target: &'a str, step: &'a Step) -> Self {
        let tool = turn.agent.shape.tools.get(&purpose);
        let server = (purpose == Purpose::Mcp)
            .then(|| {
                turn.session
                    .servers
                    .iter()
                    .find(|server| match &step.server {
                        Some(name) => &server.name == name,
                        None => server.tool(target).is_some(),
                    })
            })
            .flatten();
        let mut call = Self {
            turn,
            purpose,
            step,
            tool,
            server,
            vars: turn.vars(),
            name: target.to_owned(),
            target,
        };
        call_vars::set(&mut call, target);
        if let Some(tool) = tool {
            call.name = fill_text(&tool.name, &call.vars);
        }
        call.vars.set("name", call.name.as_str());
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
        let (outcome, text, end) = self.stages()?;
        self.check(outcome, &text);
        self.turn
            .updates(&self.turn.agent.shape.model_called, &self.vars);
        end.map_or(Ok(outcome), Err)
    }

    fn stages(&mut self) -> Result<(Outcome, String, Option<End>), End> {
        let Some(tool) = self.tool.filter(|tool| !self.is_hidden(tool)) else {
            let text = fill_text(&self.turn.agent.shape.hidden, &self.vars);
            self.turn.shown("hidden", Some(&self.name), &text);
            return Ok((Outcome::Hidden, text, None));
        };
        let asks = self.step.ask.unwrap_or_else(|| self.asks(tool));
        self.vars.set("asks", asks);
        if let Err(why) = Work::new(self).operations(&tool.before_ask)? {
            self.turn.updates(
                tool.announce_unasked.as_ref().unwrap_or(&tool.announce),
                &self.vars,
            );
            return Ok(self.failed("failed", "failure", why, Outcome::Failed));
        }
        let announce = tool
            .announce_unasked
            .as_ref()
            .filter(|_| !asks)
            .unwrap_or(&tool.announce);
        self.turn.updates(announce, &self.vars);
        let late_hooks = self.turn.agent.shape.hooks_after_allow;
        if !late_hooks && let Some(denied) = self.hook(tool, HookEvent::PreTool) {
            return Ok(denied);
        }
        if asks {
            if let Some(denied) = self.hook(tool, HookEvent::PermissionRequest) {
                return Ok(denied);
            }
            if let Some(stopped) = self.ask(tool)? {
                return Ok(stopped);
            }
        }
        if late_hooks && let Some(denied) = self.hook(tool, HookEvent::PreTool) {
            return Ok(denied);
        }
        self.turn.updates(&tool.started, &self.vars);
        self.work(tool)
    }

    fn work(&mut self, tool: &Tool) -> Result<(Outcome, String, Option<End>), End> {
        match Work::new(self).operations(&tool.perform)? {
            Ok(()) => {
                let text = fill_text(&tool.result, &self.vars);
                self.vars.set("text", text.as_str());
                self.turn.updates(&tool.completed, &self.vars);
                self.turn.shown("result", Some(&self.name), &text);
                Ok((Outcome::Allowed, text, None))
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
        if self.purpose == Purpose::Mcp
            && self
                .server
                .is_none_or(|server| server.tool(self.target).is_none())
        {
            return true;
        }
        let server = self.server.map(|server| server.name.as_str());
        self.turn
            .session
            .hidden
            .hides(&self.name, &tool.hide_names, server)
    }

    fn asks(&self, tool: &Tool) -> bool {
        let state = self.turn.session.state();
        let by_mode = state
            .mode
            .as_ref()
            .and_then(|mode| self.turn.agent.shape.unasked_in_mode.get(mode));
        let unasked = by_mode.is_some_and(|list| {
            list.iter()
                .any(|entry| entry == "*" || entry == self.purpose.as_str())
        });
        if unasked || state.always.contains(&self.name) {
            return false;
        }
        let client = self.turn.agent.client();
        let annotations = self.annotations();
        match tool.asks {
            Asks::Always => true,
            Asks::Never => false,
            Asks::UnlessSafe => !safe_command::is_safe(&self.vars.text("command")),
            Asks::UnlessReadOnly => annotations["readOnlyHint"] != true,
            Asks::UnlessTame => {
                let tame = annotations["destructiveHint"] == false
                    && annotations["openWorldHint"] == false;
                annotations["readOnlyHint"] != true && !tame
            }
            Asks::IfConfigured => self.turn.session.hidden.asks(&self.name, tool),
            Asks::IfServed => client.fs_write || client.terminal,
        }
    }

    fn annotations(&self) -> Value {
        let tool = self.server.and_then(|server| server.tool(self.target));
        tool.and_then(|tool| tool.get("annotations"))
            .cloned()
            .unwrap_or_else(|| json!({}))
    }

    /// Runs the hooks of an event; what a denial comes to.
    fn hook(&mut self, tool: &Tool, event: HookEvent) -> Option<(Outcome, String, Option<End>)> {
        let input = fill(&tool.arguments, &self.vars).unwrap_or_else(|| json!({}));
        let name = match &tool.hook_name {
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
        let hooks = self
            .turn
            .session
            .hooks
            .iter()
            .filter(|hook| hook.event == event);
        let reason = hooks.filter_map(|hook| hook.run(&call)).next()?;
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
    ) -> (Outcome, String, Option<End>) {
        self.vars.set("text", text.as_str()).set("code", code);
        if outcome == Outcome::Denied {
            self.vars.set("denied", true);
        }
        if let Some(tool) = self.tool {
            self.turn.updates(&tool.failed, &self.vars);
        }
        self.turn.shown(source, Some(&self.name), &text);
        (outcome, text, None)
    }

    /// Asks the client; `None` where it allowed.
    fn ask(&mut self, tool: &Tool) -> Result<Option<(Outcome, String, Option<End>)>, End> {
        let Some(template) = &tool.permission else {
            return Ok(None);
        };
        loop {
            let options = self.turn.agent.shape.options.get(&tool.options);
            let options = options
                .and_then(|options| fill(options, &self.vars))
                .unwrap_or_default();
            self.vars.set("options", options.clone());
            let params = fill(template, &self.vars).unwrap_or_default();
            match self.answer(params, &options)? {
                Answer::Allow => return Ok(None),
                Answer::Reject { option } => {
                    return Ok(Some(self.rejected(tool, option.as_deref())));
                }
                Answer::Error(message) => {
                    self.vars.set("error", message);
                    let error = &self.turn.agent.shape.permission_error;
                    let text = fill_text(&error.text, &self.vars);
                    match error.then {
                        AfterError::AskAgain => continue,
                        AfterError::Wedge => return Err(End::Wedged),
                        AfterError::GoOn => {
                            return Ok(Some(self.failed(
                                "rejected",
                                "rejected",
                                text,
                                Outcome::Denied,
                            )));
                        }
                        AfterError::End => {
                            let mut stopped = self.rejected(tool, None);
                            stopped.1 = text;
                            return Ok(Some(stopped));
                        }
                    }
                }
            }
        }
    }

    fn answer(&self, params: Value, options: &Value) -> Result<Answer, End> {
        let agent = &self.turn.agent;
        let session = &self.turn.session.id;
        let replies = agent.permission_replies(session, &self.vars.text("id"), params);
        for reply in replies {
            let outcome = match reply {
                Reply::Result(result) => result["outcome"].clone(),
                Reply::Error(error) => return Ok(Answer::Error(error.message)),
                Reply::Cancelled => {
                    self.cancelled();
                    return Err(End::Cancelled);
                }
                Reply::Closed => return Err(End::Wedged),
            };
            let chosen = outcome["optionId"].as_str();
            let option = options.as_array().into_iter().flatten().find(|option| {
                outcome["outcome"] == "selected" && option["optionId"].as_str() == chosen
            });
            let kind = option
                .and_then(|option| option["kind"].as_str())
                .unwrap_or_default();
            if outcome["outcome"] == "selected" && option.is_none() {
                self.turn.expectation_failed(&format!(
                    "the client chose an option that was not offered: {outcome}"
                ));
            }
            if outcome["outcome"] == "cancelled" && self.turn.session.is_cancelled() {
                self.cancelled();
                return Err(End::Cancelled);
            }
            if kind == "allow_always" {
                self.turn.session.state().always.insert(self.name.clone());
            }
            if !kind.starts_with("allow") {
                return Ok(Answer::Reject {
                    option: chosen.map(str::to_owned),
                });
            }
        }
        Ok(Answer::Allow)
    }

    /// The failed update of a call that a cancel ended.
    fn cancelled(&self) {
        let (Some(text), Some(tool)) = (&self.turn.agent.shape.cancel.failed, self.tool) else {
            return;
        };
        let mut vars = self.vars.clone();
        vars.set("text", text.as_str())
            .set("code", "cancelled")
            .set("denied", true);
        self.turn.updates(&tool.failed, &vars);
    }

    fn rejected(&mut self, tool: &Tool, option: Option<&str>) -> (Outcome, String, Option<End>) {
        let agent = &self.turn.agent;
        let Reject {
            text,
            stop,
            goes_on_with,
            updates,
            silent,
        } = tool.reject.as_ref().unwrap_or(&agent.shape.reject);
        let text = fill_text(text, &self.vars);
        self.vars
            .set("text", text.as_str())
            .set("code", "rejected")
            .set("denied", true);
        let goes_on = option.is_some_and(|option| goes_on_with.iter().any(|id| id == option));
        let stop = stop.as_ref().filter(|_| !goes_on);
        if !silent {
            self.turn.updates(&tool.failed, &self.vars);
        }
        match stop {
            None => self.turn.shown("rejected", Some(&self.name), &text),
            Some(_) => {
                self.turn.updates(updates, &self.vars);
                self.turn.shown_later("rejected", Some(&self.name), &text);
            }
        }
        (Outcome::Denied, text, stop.cloned().map(End::Rejected))
    }

    fn check(&self, outcome: Outcome, text: &str) {
        let name = &self.name;
        if let Some(expected) = &self.step.expect {
            let found = format!("{outcome:?}").to_lowercase();
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

    /// The MCP arguments.
    #[must_use]
    pub(crate) fn mcp_arguments(&self) -> Map<String, Value> {
        self.step.arguments.clone().unwrap_or_default()
    }
}
