//! The handshake, until prompts may be sent: what is sent to the agent, what each of its answers leads to, and what is
//! reported if one is an error or does not come. Plain data; it knows no session and no agent, and judges no action.

use serde_json::{Value, value::RawValue};
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests::{self, ClientFeatures, SessionSetup};
use siderail_acp::wire::{RpcError, codes};
use siderail_guard::Tool;
use siderail_guard::policy::Policy;

use crate::event::{EventBody, Hidden, SessionStarted};
use crate::profile::Profile;
use crate::session::agent_facts::AgentFacts;
use crate::session::lifecycle::STARTUP;
use crate::session::lifecycle::opening::Opening;
use crate::session::lifecycle::peers::Peers;
use crate::session::modes::{Setting, current_mode};
use crate::session::outer_client::Client;
use crate::session::wire::Tag;
use crate::tools;

type Outcome = Result<Box<RawValue>, RpcError>;

/// What the agent's answer to a request of the handshake leads to.
#[derive(Debug)]
pub(in crate::session) enum Step {
    /// The agent says what it can do.
    Initialized(Box<RawValue>),
    /// The session that the client behind the host wants is open, or is not.
    OpenedForClient(Outcome),
    LoggedIn,
    /// A session is asked for all the same.
    OpenSession,
    SessionOpened(Box<RawValue>),
    SessionsListed(Outcome),
    SessionDeleted(Outcome),
    Restored(Outcome),
    ModeTaken {
        setting: Setting,
        mode: String,
        result: Box<RawValue>,
    },
    /// The mode is not on, for this reason.
    ModeRefused(String),
    HooksListed(Outcome),
    LoginNeeded(RpcError),
    LoginFailed(String),
    /// The session ends with this error.
    Failed(String),
    /// The answer is not a part of the handshake.
    Nothing,
}

impl Step {
    /// `has_client`: there is a client behind the host.
    pub(in crate::session) fn of(tag: Tag, outcome: Outcome, has_client: bool) -> Self {
        match (tag, outcome) {
            (Tag::Initialize, Ok(result)) => Self::Initialized(result),
            (Tag::OpenPassed, outcome) => Self::OpenedForClient(outcome),
            (Tag::Authenticate, Ok(_)) => Self::LoggedIn,
            // The client learns of it by the agent's answer when it opens a session.
            (Tag::Authenticate, Err(_)) if has_client => Self::OpenSession,
            (Tag::NewSession, Ok(result)) => Self::SessionOpened(result),
            (Tag::List, outcome) => Self::SessionsListed(outcome),
            (Tag::Delete, outcome) => Self::SessionDeleted(outcome),
            (Tag::Restore, outcome) => Self::Restored(outcome),
            (Tag::SetMode { setting, mode }, Ok(result)) => Self::ModeTaken {
                setting,
                mode,
                result,
            },
            (Tag::SetMode { mode, .. }, Err(error)) => {
                Self::ModeRefused(format!("the agent rejected the mode `{mode}`: {error}"))
            }
            (Tag::HookListing, outcome) => Self::HooksListed(outcome),
            (_, Err(error)) if error.code == codes::AUTH_REQUIRED => Self::LoginNeeded(error),
            (Tag::Authenticate, Err(error)) => {
                Self::LoginFailed(format!("the agent refused the login: {error}"))
            }
            (Tag::Initialize, Err(error)) if error.code == codes::METHOD_NOT_FOUND => Self::Failed(
                format!("this program does not speak ACP: it refused initialize: {error}"),
            ),
            (tag, Err(error)) => {
                let step = match tag {
                    Tag::Initialize => "initialize",
                    _ => "session/new",
                };
                Self::Failed(format!("the agent refused {step}: {error}"))
            }
            (
                Tag::Prompt
                | Tag::Close
                | Tag::Steering(_)
                | Tag::Steer(_)
                | Tag::Set(_)
                | Tag::Passed(_)
                | Tag::BeforePrompt { .. },
                Ok(_),
            ) => Self::Nothing,
        }
    }
}

/// Our `initialize`. `can_ask`: the host can show questions; `client`: the one behind the host.
pub(in crate::session) fn hello(
    profile: &Profile,
    can_ask: bool,
    client: Option<&Client>,
) -> Value {
    let features = ClientFeatures {
        read_files: profile.advertise_fs,
        write_files: profile.advertise_fs,
        terminal: profile.advertise_terminal,
        elicitation_form: can_ask,
        elicitation_url: can_ask,
        auth_terminal: true,
    };
    let version = env!("CARGO_PKG_VERSION");
    let params = requests::initialize("siderail", "Siderail", version, features);
    match client {
        Some(client) => client.hello(&params),
        None => params,
    }
}

impl Opening {
    /// The members about the session to open, new or not, and what a person reads of servers that the agent does not
    /// get. `cwd`: the project's folder; `further`: the folders beside it; `offered`: our tools.
    pub(in crate::session) fn setup(
        &self,
        facts: &AgentFacts,
        capabilities: &AgentCapabilities,
        (cwd, further): (String, Vec<String>),
        offered: &[Tool],
    ) -> (SessionSetup, Vec<String>) {
        let (more, told) = self.servers.for_agent(capabilities, &facts.profile.mcp);
        let mut mcp_servers = self.mcp_servers.clone();
        mcp_servers.extend(more);
        let instructs = facts.policy != Policy::Observe;
        let setup = SessionSetup {
            cwd,
            mcp_servers,
            additional_directories: further,
            system_prompt: instructs.then(|| tools::system_prompt(&facts.names, offered)),
            meta: self.meta.clone(),
        };
        (setup, told)
    }
}

impl Peers {
    /// What is reported once prompts may be sent: the session, and the tools that its model is not offered. `acp`: the
    /// agent's session.
    pub(in crate::session) fn started(
        &self,
        acp: &siderail_acp::Session,
        facts: &AgentFacts,
    ) -> Vec<EventBody> {
        let initialized = self.initialized.as_ref();
        let started = EventBody::SessionStarted(SessionStarted {
            agent: facts.profile.name.clone(),
            version: self.agent_version(),
            agent_session: acp.id().to_owned(),
            policy: facts.policy.into(),
            mode: current_mode(acp).map(str::to_owned),
            images: initialized.is_some_and(|i| i.capabilities.image),
        });
        let tools = facts.hidden.clone();
        let hidden = (!tools.is_empty()).then_some(EventBody::Hidden(Hidden { tools }));
        std::iter::once(started).chain(hidden).collect()
    }
}

/// What helps where the agent's program does not start. `is_own`: a person has given its command line.
pub(in crate::session) fn not_there(install: &str, is_own: bool) -> String {
    match install {
        _ if is_own => "check the agent's command line".to_owned(),
        "" => "check the program named in the agent's profile".to_owned(),
        install => format!("to install it: {install}"),
    }
}

/// What is said of a handshake that takes too long, and what can be done. `waits_for`: who has not answered what.
pub(in crate::session) fn overdue(waits_for: &str) -> (String, String) {
    let text = format!(
        "the agent did not finish its handshake in {} s: {waits_for}",
        STARTUP.as_secs()
    );
    let hint = "run its command yourself to see what it waits for: a login, the network, an update";
    (text, hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Launch;
    use crate::servers::UserServers;
    use crate::session::guidance::tests::facts;
    use serde_json::json;

    fn ok() -> Outcome {
        Ok(serde_json::value::to_raw_value(&json!({})).expect("JSON"))
    }

    fn login_wanted() -> Outcome {
        Err(RpcError::new(codes::AUTH_REQUIRED, "log in"))
    }

    fn refused() -> Outcome {
        Err(RpcError::new(codes::INTERNAL_ERROR, "no"))
    }

    fn set_mode() -> Tag {
        Tag::SetMode {
            setting: Setting::Mode("ask".to_owned()),
            mode: "ask".to_owned(),
        }
    }

    #[test]
    fn a_wanted_login_is_no_failure_wherever_the_agent_says_so() {
        for tag in [Tag::Initialize, Tag::Authenticate, Tag::NewSession] {
            let step = Step::of(tag.clone(), login_wanted(), false);
            assert!(matches!(step, Step::LoginNeeded(_)), "{tag:?}: {step:?}");
        }
        // These see to it themselves, or continue without.
        assert!(matches!(
            Step::of(Tag::Restore, login_wanted(), false),
            Step::Restored(Err(_))
        ));
        assert!(matches!(
            Step::of(set_mode(), login_wanted(), false),
            Step::ModeRefused(_)
        ));
        assert!(matches!(
            Step::of(Tag::HookListing, login_wanted(), false),
            Step::HooksListed(Err(_))
        ));
    }

    #[test]
    fn a_login_that_fails_keeps_no_client_from_its_session() {
        let failed = |has_client| Step::of(Tag::Authenticate, refused(), has_client);
        assert!(matches!(failed(true), Step::OpenSession));
        assert!(
            matches!(failed(false), Step::LoginFailed(text) if text.contains("refused the login"))
        );
    }

    #[test]
    fn what_the_agent_refuses_of_the_handshake_is_named() {
        for (tag, named) in [
            (Tag::Initialize, "refused initialize: "),
            (Tag::NewSession, "refused session/new: "),
        ] {
            let step = Step::of(tag, refused(), false);
            assert!(
                matches!(&step, Step::Failed(text) if text.contains(named)),
                "{step:?}"
            );
        }
        let mode = Step::of(set_mode(), refused(), false);
        assert!(matches!(mode, Step::ModeRefused(why) if why.contains("the mode `ask`")));
        for tag in [Tag::Close, Tag::Prompt] {
            assert!(matches!(Step::of(tag, ok(), false), Step::Nothing));
        }
    }

    #[test]
    fn the_agent_is_offered_what_its_profile_and_the_host_have() {
        let mut profile = facts("claude").profile;
        profile.advertise_fs = true;
        profile.advertise_terminal = false;
        let params = hello(&profile, true, None);
        let can = &params["clientCapabilities"];
        assert_eq!(can["fs"]["readTextFile"], true);
        assert_ne!(can["terminal"], true);
        assert!(can["elicitation"].is_object(), "{can}");
        let none = hello(&profile, false, None);
        assert!(!none["clientCapabilities"]["elicitation"].is_object());
    }

    #[test]
    fn an_agent_that_is_only_observed_gets_no_instructions() {
        let mut facts = facts("claude");
        let opening = Opening::new(&facts.profile, &Launch::default(), UserServers::default());
        let setup = |facts: &AgentFacts| {
            let folders = ("/p".to_owned(), vec!["/q".to_owned()]);
            let can = AgentCapabilities::default();
            opening.setup(facts, &can, folders, &[Tool::WriteFile]).0
        };
        let told = setup(&facts);
        assert_eq!(
            (told.cwd.as_str(), told.additional_directories),
            ("/p", vec!["/q".to_owned()])
        );
        assert!(told.system_prompt.is_some());
        facts.policy = Policy::Observe;
        assert_eq!(setup(&facts).system_prompt, None);
    }

    #[test]
    fn hidden_tools_are_told_behind_the_session_that_has_them() {
        let mut facts = facts("claude");
        let peers = Peers::default();
        let acp = siderail_acp::Session::new("s1");
        let told = peers.started(&acp, &facts);
        assert!(matches!(
            &told[..],
            [EventBody::SessionStarted(SessionStarted { agent_session, images: false, .. })] if agent_session == "s1"
        ));
        facts.hidden.push("Edit".to_owned());
        let told = peers.started(&acp, &facts);
        assert!(matches!(&told[1..], [EventBody::Hidden(Hidden { tools })] if *tools == ["Edit"]));
    }

    #[test]
    fn a_program_that_does_not_start_is_told_with_what_helps() {
        assert_eq!(not_there("npm i x", false), "to install it: npm i x");
        assert!(not_there("npm i x", true).contains("command line"));
        assert!(not_there("", false).contains("profile"));
        let (text, _) = overdue("nothing is pending");
        assert!(text.ends_with("in 120 s: nothing is pending"), "{text}");
    }
}
