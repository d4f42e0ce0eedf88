//! Every setting, declared once: name, variable, default, what it takes, whose it is, and what a project may do to it.
//!
//! Files, variables, `policy show`, embedders' options, rows of the IDE's page and messages all follow from this table; a
//! new setting is a row here and the code that obeys it. [`crate::kinds`] reads and shows values, [`crate::resolve`]
//! decides which one wins.

pub(crate) mod row;

use std::time::Duration;

use siderail_guard::Policy;
use siderail_guard::denial::DEFAULT_THRESHOLD;

use crate::kinds::{
    AgentName, Agents, Mode, Modes, Number, OneOf, ReasonOnReject, Seconds, Switch, Tools,
};
use crate::strictness::{Stricter, tightened};
use row::{Row, Scope, settings};

settings! {
    /// The agent where none is named.
    Agent "agent" SIDERAIL_AGENT agent: Option<String> = None, Row {
        kind: &AgentName, scope: Scope::Choice, project: None, in_ide: false,
    };
    /// What happens to the agent's own tools.
    Policy "policy" SIDERAIL_POLICY policy: Policy = Policy::Redirect, Row {
        kind: &OneOf::<Policy> { words: &Policy::NAMES, parse: Policy::parse, word: Policy::as_str },
        scope: Scope::Session, project: Some(Stricter { both: |a, b| tightened(*a, *b), most: Some(Policy::Redirect) }),
        in_ide: false,
    };
    /// Hide the built-in tools that ours replace.
    Hide "hide" SIDERAIL_HIDE hide: bool = true, Row {
        kind: &Switch, scope: Scope::Session, project: Some(Stricter::ON), in_ide: true,
    };
    /// After how many consecutive denials the sandbox is explained, and again after as many more.
    DenyThreshold "deny_threshold" SIDERAIL_DENY_THRESHOLD deny_threshold: u32 = DEFAULT_THRESHOLD, Row {
        kind: &Number { most: 1000 }, scope: Scope::Session,
        project: Some(Stricter { both: |a, b| *a.min(b), most: Some(1) }), in_ide: true,
    };
    /// Silence of an agent after which its turn is cancelled.
    Inactivity "inactivity_s" SIDERAIL_INACTIVITY_S inactivity: Duration = Duration::from_secs(300), Row {
        kind: &Seconds { most: 86_400 }, scope: Scope::Session,
        project: Some(Stricter { both: |a, b| *a.min(b), most: None }), in_ide: true,
    };
    /// The mode to set instead of the one in the agent's profile.
    Mode "mode" SIDERAIL_MODE mode: Mode = Mode::OfProfile, Row {
        kind: &Modes, scope: Scope::Session, project: None, in_ide: false,
    };
    /// Agents whose recipes may write into the user's own folders.
    Consent "consent" SIDERAIL_CONSENT consent: Vec<String> = Vec::new(), Row {
        kind: &Agents, scope: Scope::Session, project: None, in_ide: false,
    };
    /// Agents whose consented changes stay after the session.
    KeepConsent "keep_consent" SIDERAIL_KEEP_CONSENT keep_consent: Vec<String> = Vec::new(), Row {
        kind: &Agents, scope: Scope::Engine, project: None, in_ide: false,
    };
    /// Send a denial's reason also as `session/message` where there is no better way (no part of ACP; off by default).
    SessionMessage "session_message" SIDERAIL_SESSION_MESSAGE session_message: bool = false, Row {
        kind: &Switch, scope: Scope::Session, project: Some(Stricter::OFF), in_ide: true,
    };
    /// The policy `yolo` allows dangerous actions too.
    YoloDangerous "yolo_dangerous" SIDERAIL_YOLO_DANGEROUS yolo_dangerous: bool = false, Row {
        kind: &Switch, scope: Scope::Session, project: Some(Stricter::OFF), in_ide: false,
    };
    /// Our tools that are not offered although the host has them.
    ToolsOff "tools_off" SIDERAIL_TOOLS_OFF tools_off: Vec<String> = Vec::new(), Row {
        kind: &Tools, scope: Scope::Engine, project: None, in_ide: false,
    };
    /// Conversations are kept on disk.
    History "history" SIDERAIL_HISTORY history: bool = true, Row {
        kind: &Switch, scope: Scope::Session, project: Some(Stricter::OFF), in_ide: false,
    };
    /// Whether a person who rejects something in an ACP client is asked why.
    ReasonOnReject "reason_on_reject" SIDERAIL_REASON_ON_REJECT reason_on_reject: ReasonOnReject = ReasonOnReject::Ask, Row {
        kind: &OneOf::<ReasonOnReject> {
            words: &["ask", "none"], parse: ReasonOnReject::parse, word: ReasonOnReject::as_str,
        },
        scope: Scope::Choice, project: None, in_ide: false,
    };
    /// A terminal rings when a question waits or a long turn has ended.
    Bell "bell" SIDERAIL_BELL bell: bool = true, Row {
        kind: &Switch, scope: Scope::Choice, project: None, in_ide: false,
    };
}
