//! What of a prompt goes to the agent: its blocks as they are, or its text with the files that it names. Plain data; it
//! knows no session. What a file becomes is in [`super::content`].

use serde_json::{Value, json};
use siderail_acp::initialize::AgentCapabilities;

use crate::command::Attachment;
use crate::confine::Confinement;
use crate::session::effect::Effect;
use crate::session::prompt_turn::content::{self, Content};
use crate::session::prompt_turn::prompt::Prompt;
use crate::session::worker::Sight;

/// What goes out.
#[derive(Debug)]
pub(in crate::session) enum Outgoing {
    /// This, at once.
    Now(Content),
    /// This, once its files are looked at.
    ToLookAt(WithFiles),
}

/// A text that names files, or has some attached.
#[derive(Debug)]
pub(in crate::session) struct WithFiles {
    text: String,
    attachments: Vec<Attachment>,
    capabilities: AgentCapabilities,
}

impl Outgoing {
    /// What goes out for a prompt. Only what the user says is looked through for files. `agent`: what it can take, as far as
    /// that is known.
    pub(in crate::session) fn of(prompt: &Prompt, agent: Option<&AgentCapabilities>) -> Self {
        let (text, sent) = (&prompt.text, &prompt.sent);
        if !sent.blocks.is_empty() {
            return Self::Now(as_it_is(sent.blocks.clone()));
        }
        let agent = agent.filter(|_| prompt.begins_task());
        match agent.filter(|_| content::has_more(text, &sent.attachments)) {
            Some(capabilities) => Self::ToLookAt(WithFiles {
                text: text.clone(),
                attachments: sent.attachments.clone(),
                capabilities: capabilities.clone(),
            }),
            None => Self::Now(as_it_is(vec![text_block(text)])),
        }
    }
}

impl WithFiles {
    /// The text with its files, as far as they can be looked at.
    pub(in crate::session) fn find(&self, project: &Confinement, sight: Sight) -> Content {
        let (text, attachments) = (&self.text, &self.attachments);
        match sight {
            Sight::Clear => content::resolve(project, text, attachments, &self.capabilities),
            Sight::Blind => content::text_alone(text, attachments),
        }
    }
}

/// Tells the person what of a prompt does not go along.
pub(in crate::session) fn left_out(reasons: Vec<String>) -> impl Iterator<Item = Effect> {
    let told = |why| Effect::Notice(format!("not sent with the prompt: {why}"));
    reasons.into_iter().map(told)
}

/// The request. `meta`: its `_meta`, where there is one.
pub(in crate::session) fn params(session_id: &str, blocks: &[Value], meta: &Value) -> Value {
    let mut params = json!({"sessionId": session_id, "prompt": blocks});
    if !meta.is_null() {
        params["_meta"] = meta.clone();
    }
    params
}

/// A text as it goes to the agent.
pub(in crate::session) fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn as_it_is(blocks: Vec<Value>) -> Content {
    Content {
        blocks,
        left_out: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::event::PromptOrigin;
    use crate::session::prompt_turn::prompt::Sent;

    fn prompt(text: &str, blocks: Vec<Value>) -> Prompt {
        let sent = Sent {
            blocks,
            ..Sent::default()
        };
        Prompt::of_user(text.to_owned(), sent, false)
    }

    /// The blocks that go out at once; none where files are looked at first.
    fn now(prompt: &Prompt, agent: Option<&AgentCapabilities>) -> Option<Vec<Value>> {
        match Outgoing::of(prompt, agent) {
            Outgoing::Now(content) => Some(content.blocks),
            Outgoing::ToLookAt(_) => None,
        }
    }

    #[test]
    fn files_are_looked_at_for_a_users_text_that_names_some_and_for_no_other() {
        let agent = AgentCapabilities::default();
        let agent = Some(&agent);
        let names_a_file = prompt("read @a.rs", Vec::new());
        assert_eq!(now(&names_a_file, agent), None);
        let text = vec![text_block("read @a.rs")];
        assert_eq!(
            now(&names_a_file, None),
            Some(text.clone()),
            "not asked yet"
        );
        let continuation = Prompt {
            origin: PromptOrigin::Continuation,
            ..names_a_file
        };
        assert_eq!(now(&continuation, agent), Some(text));
        let plain = now(&prompt("go on", Vec::new()), agent);
        assert_eq!(plain, Some(vec![text_block("go on")]));
        let blocks = vec![json!({"type": "image"})];
        let as_they_are = now(&prompt("read @a.rs", blocks.clone()), agent);
        assert_eq!(as_they_are, Some(blocks));
    }

    #[test]
    fn what_cannot_be_looked_at_is_left_out_and_told() {
        let agent = AgentCapabilities::default();
        let prompt = prompt("read @a.rs", Vec::new());
        let Outgoing::ToLookAt(files) = Outgoing::of(&prompt, Some(&agent)) else {
            panic!("it names a file");
        };
        let folder = tempfile::tempdir().expect("a folder");
        let project = Confinement::new(folder.path()).expect("it is there");
        let content = files.find(&project, Sight::Blind);
        assert_eq!(content.blocks, [text_block("read @a.rs")]);
        let told: Vec<Effect> = left_out(content.left_out).collect();
        let [Effect::Notice(told)] = &told[..] else {
            panic!("one notice");
        };
        assert!(
            told.starts_with("not sent with the prompt: a.rs: "),
            "{told}"
        );
        let content = files.find(&project, Sight::Clear);
        assert!(content.left_out.is_empty(), "it is no file");
    }

    #[test]
    fn a_request_has_a_meta_only_where_there_is_one() {
        let blocks = [text_block("hi")];
        let plain = params("s", &blocks, &Value::Null);
        assert_eq!(plain, json!({"sessionId": "s", "prompt": blocks}));
        let with_meta = params("s", &blocks, &json!({"a": 1}));
        assert_eq!(with_meta["_meta"], json!({"a": 1}));
    }
}
