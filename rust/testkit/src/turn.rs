//! One prompt turn: what it says to the client, and what its model is shown. Its steps are played by [`crate::play`].

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::agent::Agent;
use crate::model_log::Shown;
use crate::outcome::End;
use crate::session::Session;
use crate::template::Vars;

/// A turn.
pub(crate) struct Turn {
    /// The agent.
    pub(crate) agent: Arc<Agent>,
    /// The session.
    pub(crate) session: Arc<Session>,
    /// Its number in the session, from 1.
    pub(crate) number: u64,
}

impl Turn {
    /// Notes that the model was shown a text.
    pub(crate) fn shown(&self, source: &'static str, tool: Option<&str>, text: &str) {
        let mut state = self.session.state();
        state.seen.push_str(text);
        state.seen.push('\n');
        self.agent.log.note(&Shown {
            session: &self.session.id,
            turn: self.number,
            source,
            tool,
            text,
        });
    }

    /// Notes a text that the model is shown only with the next prompt.
    pub(crate) fn shown_later(&self, source: &'static str, tool: Option<&str>, text: &str) {
        let tool = tool.map(str::to_owned);
        self.session
            .state()
            .unread
            .push((source, tool, text.to_owned()));
    }

    /// Variables that every template may use.
    #[must_use]
    pub(crate) fn vars(&self) -> Vars {
        let mut vars = Vars::default();
        vars.set("session", self.session.id.as_str());
        vars.set("cwd", self.session.cwd.to_string_lossy());
        vars.set("turn", self.number);
        vars.set("uuid", self.agent.peer.uuid());
        vars.set("message_id", format!("msg_{}", self.agent.peer.uuid()));
        vars
    }

    /// Sends updates from templates.
    pub(crate) fn updates(&self, templates: &[Value], vars: &Vars) {
        self.messages(templates, vars);
    }

    /// Sends updates, and whole messages where a template has a method.
    pub(crate) fn messages(&self, templates: &[Value], vars: &Vars) {
        self.agent.messages(&self.session.id, templates, vars);
    }

    pub(crate) fn text(&self, template: &Value, text: &str, chunks: Option<usize>) {
        let mut vars = self.vars();
        for chunk in split(text, chunks.unwrap_or(1)) {
            vars.set("text", chunk);
            self.updates(std::slice::from_ref(template), &vars);
        }
    }

    /// Waits; a cancel ends it.
    pub(crate) fn sleep(&self, seconds: f64) -> Result<(), End> {
        let deadline = Instant::now() + Duration::from_secs_f64(seconds.max(0.0));
        while let Some(left) = deadline.checked_duration_since(Instant::now()) {
            self.check_cancel()?;
            std::thread::sleep(left.min(Duration::from_millis(20)));
        }
        Ok(())
    }

    /// Waits until a file exists; a cancel ends it.
    pub(crate) fn wait_for(&self, path: &Path) -> Result<(), End> {
        while !path.exists() {
            self.sleep(0.02)?;
        }
        Ok(())
    }

    pub(crate) fn check_cancel(&self) -> Result<(), End> {
        if self.session.is_cancelled() {
            Err(End::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Reports a failed expectation everywhere that it can be seen.
    pub(crate) fn expectation_failed(&self, what: &str) {
        self.agent.expectation_failed(what);
        self.text(
            &self.agent.shape.message,
            &format!("EXPECTATION FAILED: {what}"),
            None,
        );
    }
}

/// `text` in `count` pieces of about the same number of characters.
fn split(text: &str, count: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = characters.len().div_ceil(count.max(1)).max(1);
    let pieces: Vec<String> = characters
        .chunks(size)
        .map(|piece| piece.iter().collect())
        .collect();
    if pieces.is_empty() {
        vec![String::new()]
    } else {
        pieces
    }
}
