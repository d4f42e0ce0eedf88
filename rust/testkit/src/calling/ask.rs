//! Permission requests of a tool call, and what the client's answers do.

use serde_json::{Value, json};

use super::Report;
use crate::outcome::{End, Outcome};
use crate::peer::Reply;
use crate::safe_command;
use crate::shape::{AfterError, Asks, Reject, Tool};
use crate::template::{fill, fill_text};
use crate::tool_call::ToolCall;

/// A question: template of the params, and the name of the option list.
pub(super) type Question<'q> = (&'q Value, &'q str);

/// What the client answered.
enum Answer {
    Allow,
    Reject {
        option: Option<String>,
    },
    /// A reject with a reason, through the agent's own interface.
    Feedback(String),
    Error(String),
}

impl<'a> ToolCall<'a> {
    /// What has to be asked, in order; nothing where the agent would not ask.
    pub(super) fn questions(&self, tool: &'a Tool) -> Vec<Question<'a>> {
        let mut questions = Vec::new();
        let path = self.vars.text("path");
        let outside = !path.is_empty() && !self.turn.session.is_inside(&path);
        if outside && self.step.ask != Some(false) {
            let each = tool
                .outside
                .iter()
                .map(|question| (&question.params, &*question.options));
            questions.extend(each);
        }
        let own = tool
            .permission
            .as_ref()
            .or(self.turn.agent.shape.permission.as_ref());
        if let Some(own) = own.filter(|_| self.step.ask.unwrap_or_else(|| self.asks(tool))) {
            questions.push((own, self.step.options.as_deref().unwrap_or(&tool.options)));
        }
        questions
    }

    fn asks(&self, tool: &Tool) -> bool {
        let agent = &self.turn.agent;
        let state = self.turn.session.state();
        let in_mode = state
            .mode
            .as_ref()
            .and_then(|mode| agent.shape.unasked_in_mode.get(mode));
        let unasked = in_mode.is_some_and(|list| {
            list.iter()
                .any(|name| name == "*" || name == self.purpose.as_str())
        });
        if unasked || state.always.contains(&self.name) {
            return false;
        }
        let annotations = self.annotations();
        let tame = annotations["destructiveHint"] == false && annotations["openWorldHint"] == false;
        match tool.asks {
            Asks::Always => true,
            Asks::Never => false,
            Asks::UnlessSafe => !safe_command::is_safe(&self.vars.text("command")),
            Asks::UnlessReadOnly => annotations["readOnlyHint"] != true,
            Asks::UnlessTame => annotations["readOnlyHint"] != true && !tame,
            Asks::IfConfigured => {
                let key = tool.permission_key.as_deref().unwrap_or(&self.name);
                self.turn.session.hidden.asks(key)
            }
            Asks::IfServed => agent.client().fs_write || agent.client().terminal,
        }
    }

    fn annotations(&self) -> Value {
        let tool = self.server.and_then(|server| server.tool(self.target));
        tool.and_then(|tool| tool.get("annotations"))
            .cloned()
            .unwrap_or_else(|| json!({}))
    }

    /// Asks the client; `None` where it allowed everything.
    pub(super) fn ask(
        &mut self,
        tool: &Tool,
        questions: &[Question<'_>],
    ) -> Result<Option<Report>, End> {
        for (template, options) in questions {
            loop {
                let options = self.turn.agent.shape.options.get(*options);
                let options = options.and_then(|options| fill(options, &self.vars));
                let options = options.unwrap_or_else(|| json!([]));
                self.vars.set("options", options.clone());
                let params = fill(template, &self.vars).unwrap_or_default();
                match self.answer(tool, params, &options)? {
                    Answer::Allow => break,
                    Answer::Reject { option } => {
                        return Ok(Some(self.rejected(tool, option.as_deref())));
                    }
                    Answer::Feedback(reason) => {
                        self.vars.set("reason", reason);
                        let text = fill_text(&self.turn.agent.shape.api_reject, &self.vars);
                        return Ok(Some(self.failed("rejected", "hook", text, Outcome::Denied)));
                    }
                    Answer::Error(message) => {
                        if let Some(report) = self.answered_by_error(tool, message)? {
                            return Ok(Some(report));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// What an error answer does; `None` where the same is asked again.
    fn answered_by_error(&mut self, tool: &Tool, message: String) -> Result<Option<Report>, End> {
        self.vars.set("error", message);
        let error = &self.turn.agent.shape.permission_error;
        let text = fill_text(&error.text, &self.vars);
        match error.then {
            AfterError::AskAgain => Ok(None),
            AfterError::Wedge => Err(End::Wedged),
            AfterError::GoOn => Ok(Some(self.failed(
                "rejected",
                "rejected",
                text,
                Outcome::Denied,
            ))),
            AfterError::End => Ok(Some(self.rejected_with(tool, None, &text))),
        }
    }

    fn answer(&mut self, tool: &Tool, params: Value, options: &Value) -> Result<Answer, End> {
        let about = crate::permission_api::About {
            session: self.turn.session.id.clone(),
            directory: self.vars.text("cwd"),
            permission: tool
                .permission_key
                .clone()
                .unwrap_or_else(|| self.name.clone()),
            call_id: self.vars.text("id"),
        };
        for reply in self.turn.agent.ask_permission(&about, &params) {
            let outcome = match reply {
                Reply::Result(result) => result["outcome"].clone(),
                Reply::Error(error) => return Ok(Answer::Error(error.message)),
                Reply::Feedback(reason) => return Ok(Answer::Feedback(reason)),
                Reply::Cancelled => return Err(self.cancelled()),
                Reply::Closed => return Err(End::Wedged),
            };
            if outcome["outcome"] == "cancelled" && self.turn.session.is_cancelled() {
                return Err(self.cancelled());
            }
            let chosen = outcome["optionId"]
                .as_str()
                .filter(|_| outcome["outcome"] == "selected");
            let option = options
                .as_array()
                .into_iter()
                .flatten()
                .find(|option| chosen.is_some() && option["optionId"].as_str() == chosen);
            if chosen.is_some() && option.is_none() {
                self.turn.expectation_failed(&format!(
                    "the client chose an option that was not offered: {outcome}"
                ));
            }
            let kind = option
                .and_then(|option| option["kind"].as_str())
                .unwrap_or_default();
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

    /// Reports a call that a cancel ended.
    fn cancelled(&mut self) -> End {
        if let Some(text) = self.turn.agent.shape.cancel.failed.clone() {
            self.failed_updates("cancelled", &text, true);
            self.turn.shown_later("rejected", Some(&self.name), &text);
        }
        End::Cancelled
    }

    fn rejected(&mut self, tool: &Tool, option: Option<&str>) -> Report {
        let Reject { text, .. } = self.reject(tool);
        let text = fill_text(text, &self.vars);
        self.rejected_with(tool, option, &text)
    }

    fn reject<'t>(&'t self, tool: &'t Tool) -> &'t Reject {
        tool.reject
            .as_ref()
            .unwrap_or(&self.turn.agent.shape.reject)
    }

    fn rejected_with(&mut self, tool: &Tool, option: Option<&str>, text: &str) -> Report {
        let Reject {
            stop,
            goes_on_with,
            updates,
            silent,
            ..
        } = self.reject(tool).clone();
        let goes_on = option.is_some_and(|option| goes_on_with.iter().any(|id| id == option));
        let stop = stop.filter(|_| !goes_on);
        if !silent {
            self.failed_updates("rejected", text, true);
        }
        match stop {
            None => self.turn.shown("rejected", Some(&self.name), text),
            Some(_) => {
                self.turn.updates(&updates, &self.vars);
                self.turn.shown_later("rejected", Some(&self.name), text);
            }
        }
        let end = stop.map(End::Rejected);
        Report {
            outcome: Outcome::Denied,
            text: text.to_owned(),
            end,
        }
    }
}
