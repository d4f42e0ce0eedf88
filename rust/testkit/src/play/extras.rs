//! Steps that are not tool calls: plans, floods, requests of any kind, faults, stray processes.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use siderail_wire::codes;

use crate::faults::Faults;
use crate::outcome::End;
use crate::peer::Reply;
use crate::template::{Vars, fill};
use crate::turn::Turn;

impl Turn {
    pub(super) fn plan(&self, entries: &[String]) {
        let entry =
            |text: &String| json!({"content": text, "priority": "medium", "status": "pending"});
        let entries: Vec<Value> = entries.iter().map(entry).collect();
        self.updates(
            &[json!({"sessionUpdate": "plan", "entries": entries})],
            &Vars::default(),
        );
    }

    pub(super) fn flood(&self, count: usize) -> Result<(), End> {
        let vars = self.vars();
        let template = fill(&self.agent.shape.message, &vars).unwrap_or_default();
        for number in 1..=count {
            let mut update = template.clone();
            let text = if self.agent.args.numbered_updates {
                String::new()
            } else {
                format!("n:{number}")
            };
            update["content"] = json!({"type": "text", "text": text});
            self.agent.peer.update(&self.session.id, update, None);
            if number % 256 == 0 {
                self.check_cancel()?;
            }
        }
        Ok(())
    }

    pub(super) fn request(&self, method: &str, params: Option<&Value>) -> Result<(), End> {
        let mut vars = self.vars();
        vars.set("n", self.session.state().calls);
        let params = params
            .and_then(|params| fill(params, &vars))
            .unwrap_or_else(|| json!({}));
        let call = self.agent.peer.request(&self.session.id, method, params);
        match self.agent.peer.wait(&call) {
            Reply::Result(result) => self.shown("result", Some(method), &result.to_string()),
            Reply::Error(error) => self.shown("failure", Some(method), &error.to_string()),
            Reply::Cancelled => return Err(End::Cancelled),
            Reply::Closed | Reply::Feedback(_) => return Err(End::Wedged),
        }
        Ok(())
    }

    pub(super) fn fault(&self, spec: &str) -> Result<(), End> {
        let once = match Faults::at_once(spec) {
            Ok(once) => once,
            Err(why) => return Err(End::Error(codes::INTERNAL_ERROR, why)),
        };
        match once.storm() {
            Some(count) => self.storm(count),
            None => {
                self.agent.peer.commit(&once);
                Ok(())
            }
        }
    }

    /// Asks for `count` permissions at once and waits for all answers.
    fn storm(&self, count: u64) -> Result<(), End> {
        let (agent, session) = (&self.agent, &self.session.id);
        let options = agent
            .shape
            .options
            .values()
            .next()
            .cloned()
            .unwrap_or_default();
        let calls: Vec<_> = (0..count)
            .map(|number| {
                let tool_call = json!({
                    "toolCallId": format!("storm_{number}"), "title": format!("storm {number}"),
                    "kind": "execute", "status": "pending", "rawInput": {"command": "date"},
                });
                let params =
                    json!({"sessionId": session, "toolCall": tool_call, "options": options});
                agent
                    .peer
                    .request(session, "session/request_permission", params)
            })
            .collect();
        let mut answered = 0;
        for call in &calls {
            match agent.peer.wait(call) {
                Reply::Result(_) | Reply::Error(_) | Reply::Feedback(_) => answered += 1,
                Reply::Cancelled => return Err(End::Cancelled),
                Reply::Closed => return Err(End::Wedged),
            }
        }
        self.shown("result", Some("storm"), &format!("{answered} answers"));
        Ok(())
    }
}

/// Two processes that outlive the agent unless somebody ends the whole tree.
pub(super) fn spawn_grandchildren() {
    for words in [&["sleep", "120"][..], &["setsid", "sleep", "120"]] {
        let spawned = Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match spawned {
            Ok(child) => eprintln!("scripted agent: grandchild {}", child.id()),
            Err(error) => eprintln!("scripted agent: {} not started: {error}", words[0]),
        }
    }
}
