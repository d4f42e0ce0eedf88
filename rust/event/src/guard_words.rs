//! Members of events whose words come from the guard. A line of another version may have another word, which is kept as
//! it is.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use siderail_guard::{ActionKind, Policy, Tool};

use crate::acp_words::ToolKind;
use crate::kinds::{read_from_any_word, written_as_word};
use crate::texts::Texts;

/// Makes a type of the words of an enum and of any other word.
macro_rules! guard_words {
    ($(
        $(#[$doc:meta])*
        $Name:ident: $Known:ident by $read:path, $word:path;
    )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $Name {
            known: Option<$Known>,
            word: Cow<'static, str>,
        }

        impl $Name {
            /// The word.
            pub fn as_str(&self) -> &str {
                &self.word
            }

            /// What the word means; `None` if the guard does not know the word.
            pub fn known(&self) -> Option<$Known> {
                self.known
            }
        }

        impl From<&str> for $Name {
            fn from(word: &str) -> Self {
                let known = $read(word);
                let word = match known {
                    Some(known) => Cow::Borrowed($word(known)),
                    None => Cow::Owned(word.to_owned()),
                };
                Self { known, word }
            }
        }

        impl From<$Known> for $Name {
            /// As its word is read, so that a line that is read back equals the one that was written.
            fn from(known: $Known) -> Self {
                $word(known).into()
            }
        }

        impl Texts for $Name {}

        written_as_word!($Name);
        read_from_any_word!($Name);
    )* };
}

guard_words! {
    /// What an action does. Kinds that share a word are one here: typing into a command is running it.
    ActionWord: ActionKind by ActionKind::named, ActionKind::as_str;

    /// A session's policy.
    PolicyWord: Policy by Policy::parse, Policy::as_str;

    /// One of our own tools, by its bare name.
    ToolWord: Tool by Tool::named, Tool::name;
}

impl ActionWord {
    /// The kind of the action, also where the word is ACP's, as in what an agent reports of its calls.
    pub fn action(&self) -> ActionKind {
        self.known
            .unwrap_or_else(|| ActionKind::from_acp(&self.word))
    }
}

impl From<&ToolKind> for ActionWord {
    fn from(kind: &ToolKind) -> Self {
        kind.as_str().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventBody, GuidanceFollowed, OwnToolView, SessionStarted};

    /// Reads a line, and writes it again as it was.
    fn read(line: &str) -> EventBody {
        let body: EventBody = serde_json::from_str(line).expect("an event");
        assert_eq!(serde_json::to_string(&body).expect("a line"), line);
        body
    }

    fn followed(kind: &str) -> ActionWord {
        let line = format!(
            r#"{{"event":"GUIDANCE_FOLLOWED","request_id":1,"tool":"t","kind":"{kind}","channel":"hook"}}"#
        );
        match read(&line) {
            EventBody::GuidanceFollowed(GuidanceFollowed { kind, .. }) => kind,
            other => panic!("{other:?}"),
        }
    }

    fn started(policy: &str) -> PolicyWord {
        let line = format!(
            r#"{{"event":"SESSION_STARTED","agent":"a","version":null,"agent_session":"s","policy":"{policy}","mode":null}}"#
        );
        match read(&line) {
            EventBody::SessionStarted(SessionStarted { policy, .. }) => policy,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_written_of_a_kind_or_a_policy_is_read_back_as_the_same() {
        for kind in ActionKind::ALL {
            assert_eq!(followed(kind.as_str()), kind.into());
            assert_eq!(followed(kind.as_str()).action().as_str(), kind.as_str());
        }
        for name in Policy::NAMES {
            let policy = Policy::parse(name).expect("a policy");
            assert_eq!(started(name), policy.into());
            assert_eq!(started(name).known(), Some(policy));
        }
    }

    #[test]
    fn each_tool_is_written_by_its_name_and_one_of_another_version_stays_as_it_is() {
        let told = |tool: &str| {
            let line = format!(
                r#"{{"event":"OWN_TOOL","call":1,"tool":"{tool}","status":"started","text":""}}"#
            );
            match read(&line) {
                EventBody::OwnTool(OwnToolView { tool, .. }) => tool,
                other => panic!("{other:?}"),
            }
        };
        for tool in Tool::all() {
            assert_eq!(told(tool.name()), tool.into());
            assert_eq!(told(tool.name()).known(), Some(tool));
        }
        let older = told("paint_fence");
        assert_eq!((older.as_str(), older.known()), ("paint_fence", None));
    }

    #[test]
    fn a_word_that_is_not_known_stays_as_it_is_and_equals_only_itself() {
        for word in ["", "frobnicate", "Edit", "own"] {
            let kind = followed(word);
            assert_eq!((kind.as_str(), kind.known()), (word, None));
            assert_eq!(kind.action(), ActionKind::Other);
            assert_ne!(kind, ActionKind::Other.into());
        }
        assert_ne!(followed("frobnicate"), followed("own"));
        let policy = started("lenient");
        assert_eq!((policy.as_str(), policy.known()), ("lenient", None));
    }

    #[test]
    fn typing_into_a_command_is_told_as_running_it() {
        let word = ActionWord::from(ActionKind::Input);
        assert_eq!(word, ActionKind::Execute.into());
        assert_eq!(word.known(), Some(ActionKind::Execute));
    }

    #[test]
    fn a_word_of_the_agents_is_no_word_of_ours_but_names_an_action() {
        let word = ActionWord::from(&ToolKind::Search);
        assert_eq!((word.as_str(), word.known()), ("search", None));
        assert_eq!(word.action(), ActionKind::SearchText);
        assert_eq!(
            ActionWord::from(&ToolKind::Edit).known(),
            Some(ActionKind::Edit)
        );
    }
}
