//! What was found out about a profile's recipes: whether the ways that they open are there. Plain
//! data.

use tokio::sync::oneshot;

use crate::event::{AgentLog, EventBody, LogKind};
use crate::inspect::{RecipeState, SessionFacts};
use crate::launch::LaunchedHook;

/// What was found out of the recipes.
#[derive(Debug, Default)]
pub(crate) struct Recipes {
    pub(in crate::session) hook: Option<LaunchedHook>,
    /// What the agent says of the hook; none until it has said something.
    pub(in crate::session) hook_state: Option<(RecipeState, String)>,
    pub(in crate::session) refusal_off: Option<String>,
    pub(in crate::session) mode_off: Option<String>,
    /// Our MCP server was started.
    pub(in crate::session) server_connected: bool,
    /// … and asked for the tools.
    pub(in crate::session) tools_listed: bool,
    /// Variables by which the hook's command finds us.
    pub(in crate::session) relay_env: Vec<(String, String)>,
    /// What to report once the session is there.
    pub(in crate::session) untold: Vec<EventBody>,
    /// Who wants the facts once the session is there or over.
    pub(in crate::session) inspectors: Vec<oneshot::Sender<SessionFacts>>,
}

impl Recipes {
    /// `off`: why a hook that was wanted was not handed over.
    pub(in crate::session) fn new(hook: Option<LaunchedHook>, off: Option<String>) -> Self {
        let mut recipes = Self {
            hook,
            ..Self::default()
        };
        if let Some(why) = off {
            recipes.tell(format!(
                "{why}: denials are rejections without a reason in the same turn"
            ));
            recipes.hook_state = Some((RecipeState::Off, why));
        }
        recipes
    }

    /// The mode in which the agent asks is not set.
    pub(in crate::session) fn mode_off(&mut self, why: String) {
        self.tell(format!("{why}; the agent may act without asking"));
        self.mode_off = Some(why);
    }

    pub(in crate::session) fn tell(&mut self, text: String) {
        let kind = LogKind::Notice;
        self.untold
            .push(EventBody::AgentLog(AgentLog { kind, text }));
    }
}
