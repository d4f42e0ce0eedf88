//! Whether the profile's recipes work with this agent, as far as that can be told at the start.
//!
//! What cannot work falls back to plain rejections, and says so. What only a tool call can tell is the
//! canary's. Nothing here is an error: a session without a hook still denies.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json, value::RawValue};
use siderail_acp::initialize::{AgentCapabilities, SystemPromptSupport};
use siderail_acp::wire::RpcError;
use siderail_guard::Tool;
use siderail_guard::policy::Policy;
use tokio::sync::oneshot;

use crate::event::EventBody;
use crate::inspect::{ApiTrial, HookTrial, RecipeFacts, RecipeState, SessionFacts};
use crate::profile::Delivery;
use crate::session::agent_facts::AgentFacts;
use crate::session::guidance::recipes::Recipes;
use crate::session::modes::{mode_ids, options_of};
use crate::session::{Session, Tag};
use crate::shared::Shared;
use crate::version::{Standing, standing};

/// Older versions may not answer at all.
const LISTING: Duration = Duration::from_secs(5);

impl Session {
    /// The profile wants a mode that the agent does not offer.
    pub(in crate::session) fn mode_not_offered(&mut self, wanted: Option<&str>) {
        let current = self.handshake.acp.as_ref().and_then(|acp| acp.modes());
        let current = current.map(|modes| modes.current.as_str());
        if let Some(wanted) = wanted.filter(|wanted| current != Some(*wanted)) {
            let why = format!("the agent has no mode `{wanted}`");
            self.guidance.recipes.mode_off(why);
        }
    }

    /// All of the handshake is done; what the agent can tell of the recipes is asked before prompts are.
    pub(in crate::session) fn check_recipes(&mut self, shared: &mut Shared) {
        self.check_version();
        self.check_refusal();
        let listing = self
            .facts
            .profile
            .hook
            .as_ref()
            .and_then(|h| h.listing.clone());
        match listing.filter(|_| self.guidance.recipes.hook.is_some()) {
            Some(listing) => {
                self.lifecycle.await_hook_listing(Instant::now() + LISTING);
                let params = json!({"cwd": self.root_text()});
                self.request(&listing.method, &params, Tag::HookListing, shared);
            }
            None => self.ready(shared),
        }
    }

    fn standing(&self) -> Standing {
        let agent = self
            .handshake
            .initialized
            .as_ref()
            .and_then(|i| i.agent.as_ref());
        let version = agent.map(|agent| agent.version.as_str());
        standing(&self.facts.profile.tested, version)
    }

    /// Another version is worth a word. A recipe that allows in order to deny later is not tried on it, nor on
    /// an agent of which nobody knows whether it was tested.
    fn check_version(&mut self) {
        let standing = self.standing();
        let says = self.handshake.agent_version();
        let says = says.unwrap_or_else(|| "an agent that reports no version".to_owned());
        if matches!(standing, Standing::Near | Standing::Untested) {
            let tested = self.facts.profile.tested.join(", ");
            self.guidance.recipes.tell(format!(
                "the agent is {says}, which was not tested; tested: {tested}"
            ));
        }
        if matches!(standing, Standing::Tested | Standing::Near) {
            return;
        }
        let why = format!("{says} was not tested with it");
        if self.facts.profile.refusal.is_some() {
            self.refusal_is_off(why);
        } else if self.questions.hook.is_after_allow {
            self.questions.hook.is_after_allow = false;
            let text = format!(
                "what the hook would deny after an allowed request is rejected instead: {why}"
            );
            self.guidance.recipes.tell(text);
        }
    }

    /// Refusing at our files and terminals takes an agent that was offered them.
    fn check_refusal(&mut self) {
        let Some(refusal) = &self.facts.profile.refusal else {
            return;
        };
        let lacks_files = refusal.edits && !self.facts.profile.advertise_fs;
        let lacks_terminals = refusal.commands && !self.facts.profile.advertise_terminal;
        if lacks_files || lacks_terminals {
            self.refusal_is_off("the profile does not offer the client's to the agent".to_owned());
        }
    }

    fn refusal_is_off(&mut self, why: String) {
        if self.carried.denials.refusal_failed {
            return;
        }
        self.carried.denials.refusal_failed = true;
        self.guidance.recipes.tell(format!(
            "denied edits and commands are rejected instead of refused at the client's files and \
             terminals: {why}"
        ));
        self.guidance.recipes.refusal_off = Some(why);
    }

    /// The agent's list of its hooks, or why there is none.
    pub(in crate::session) fn hooks_listed(
        &mut self,
        outcome: Result<Box<RawValue>, RpcError>,
        shared: &mut Shared,
    ) {
        let hook = self.guidance.recipes.hook.as_ref();
        let hash = hook.and_then(|hook| hook.hash.as_deref());
        match Listed::read(&outcome, hash.unwrap_or_default()) {
            Listed::Trusted => {
                let text = "the agent lists it as trusted".to_owned();
                self.guidance.recipes.hook_state = Some((RecipeState::Verified, text));
            }
            Listed::Off(why) => self.hook_is_off(why),
            Listed::Unknown(why) => self.hook_not_listed(why),
        }
        match self.lifecycle.is_starting() {
            true => self.ready(shared),
            false => self.tell_recipes(shared),
        }
    }

    pub(in crate::session) fn hook_listing_overdue(&mut self, shared: &mut Shared) {
        let seconds = LISTING.as_secs();
        self.hook_not_listed(format!("the agent did not list its hooks in {seconds} s"));
        self.ready(shared);
    }

    /// An agent that cannot tell may have the hook all the same.
    fn hook_not_listed(&mut self, why: String) {
        self.guidance
            .recipes
            .tell(format!("the hook is not verified: {why}"));
        self.guidance.recipes.hook_state = Some((RecipeState::Assumed, why));
    }

    /// The hook will never be called: denials are plain rejections, and what is not asked is not seen.
    fn hook_is_off(&mut self, why: String) {
        self.questions.hook.is_after_allow = false;
        let text = format!(
            "The hook of {} is off: {why}. What the agent asks for is rejected as before; what it runs \
             without asking is not seen. `siderail doctor {}` says more.",
            self.facts.profile.title, self.facts.profile.name
        );
        match self.carried.canary.hook_is_off() {
            true => self
                .guidance
                .recipes
                .untold
                .push(EventBody::Unguarded { text }),
            false => self.guidance.recipes.tell(text),
        }
        self.guidance.recipes.hook_state = Some((RecipeState::Off, why));
    }

    /// Says what was found out, and hands the facts to whoever waits for them.
    pub(in crate::session) fn tell_recipes(&mut self, shared: &mut Shared) {
        for body in std::mem::take(&mut self.guidance.recipes.untold) {
            self.emit(body, shared);
        }
        self.tell_inspectors(shared);
    }

    pub(in crate::session) fn tell_inspectors(&mut self, shared: &Shared) {
        for inspector in std::mem::take(&mut self.guidance.recipes.inspectors) {
            // Whoever asked may have given up.
            let _ = inspector.send(self.facts(shared));
        }
    }

    /// Somebody wants to know how the session is set up.
    pub(crate) fn inspect(&mut self, reply: oneshot::Sender<SessionFacts>, shared: &Shared) {
        self.guidance.recipes.inspectors.push(reply);
        if !self.lifecycle.is_starting() || self.lifecycle.lacks_login() {
            self.tell_inspectors(shared);
        }
    }

    fn facts(&self, shared: &Shared) -> SessionFacts {
        let initialized = self.handshake.initialized.as_ref();
        let modes = self.handshake.acp.as_ref().and_then(|acp| acp.modes());
        SessionFacts {
            is_ready: self.lifecycle.is_ready(),
            version: self.handshake.agent_version(),
            standing: self.standing(),
            tested: self.facts.profile.tested.clone(),
            capabilities: initialized.map_or(Vec::new(), |i| capabilities(&i.capabilities)),
            logins: self.login_ways(shared),
            announced_by_launch: self.facts.profile.mcp.delivery == Delivery::Launch,
            server_at_prompt: self.facts.profile.mcp.at_prompt,
            server_connected: self.guidance.recipes.server_connected,
            tools_listed: self.guidance.recipes.tools_listed,
            n_tools: shared.tools.len(),
            hidden: self.facts.hidden.clone(),
            hideable: self.facts.profile.hide.tools.clone(),
            mode: modes.map(|modes| modes.current.clone()),
            modes: self
                .handshake
                .acp
                .as_ref()
                .map(mode_ids)
                .unwrap_or_default(),
            options: self
                .handshake
                .acp
                .as_ref()
                .map(options_of)
                .unwrap_or_default(),
            recipes: recipe_facts(
                &self.guidance.recipes,
                &self.facts,
                self.guidance.api.is_some(),
            ),
            hook: self.hook_trial(shared),
            api: self.guidance.api.clone().map(|access| ApiTrial {
                access,
                project: self.root_text(),
            }),
        }
    }

    fn hook_trial(&self, shared: &Shared) -> Option<HookTrial> {
        let hook = self.guidance.recipes.hook.as_ref()?;
        let spec = self.facts.profile.hook.as_ref()?;
        let calls = spec.trial.clone()?;
        let mut env = shared.config.env.clone();
        env.extend(self.carried.options.agent_env.clone());
        env.extend(self.guidance.recipes.relay_env.iter().cloned());
        let ours = Tool::WriteFile.name();
        let denies = self.facts.policy.redirects() && shared.offered.contains(&ours);
        Some(HookTrial {
            command: hook.command.clone(),
            env,
            cwd: PathBuf::from(self.root()),
            shape: spec.shape,
            edit: calls.edit,
            harmless: calls.harmless,
            edit_tool: denies.then(|| self.facts.names.as_seen(ours)),
        })
    }
}

/// What an agent's list of its hooks says of ours.
#[derive(Debug, PartialEq, Eq)]
enum Listed {
    Trusted,
    /// It will never be called.
    Off(String),
    /// The agent has no such list.
    Unknown(String),
}

impl Listed {
    fn read(outcome: &Result<Box<RawValue>, RpcError>, hash: &str) -> Self {
        let listed: Value = match outcome {
            Ok(listed) => serde_json::from_str(listed.get()).unwrap_or(Value::Null),
            Err(error) => return Self::Unknown(format!("the agent lists no hooks: {error}")),
        };
        match trust_of(&listed, hash) {
            Some("trusted") => Self::Trusted,
            Some(status) => Self::Off(format!("the agent lists it as {status}, not as trusted")),
            None if lists_hooks(&listed) => Self::Off("the agent does not list it".to_owned()),
            None => Self::Unknown("the agent's answer has no list of hooks".to_owned()),
        }
    }
}

/// What is known of each recipe. `has_api`: the agent's own API was switched on.
fn recipe_facts(recipes: &Recipes, of: &AgentFacts, has_api: bool) -> Vec<RecipeFacts> {
    let profile = &of.profile;
    let off = |why: &Option<String>, on: &str| match why {
        Some(why) => (RecipeState::Off, why.clone()),
        None => (RecipeState::Assumed, on.to_owned()),
    };
    let mut facts = Vec::new();
    let mut add = |name, (state, text)| facts.push(RecipeFacts { name, state, text });
    if profile.mode.is_some() || recipes.mode_off.is_some() {
        add(
            "mode",
            off(&recipes.mode_off, "the mode in which it asks is set"),
        );
    }
    if profile.hook.is_some() {
        add("hook", hook_facts(recipes, of));
    }
    if profile.api.is_some() {
        let not_wanted = (
            RecipeState::NotWanted,
            "the policy only observes".to_owned(),
        );
        let on = "it was switched on at launch".to_owned();
        let state = match has_api {
            true => (RecipeState::Assumed, on),
            false => not_wanted,
        };
        add("api", state);
    }
    if profile.refusal.is_some() {
        let on = "denied edits are refused at the client's files";
        add("refusal", off(&recipes.refusal_off, on));
    }
    facts
}

fn hook_facts(recipes: &Recipes, of: &AgentFacts) -> (RecipeState, String) {
    let agent = &of.profile.name;
    if recipes.hook.is_none() && recipes.hook_state.is_none() {
        let why = match of.policy {
            Policy::Observe => "the policy only observes".to_owned(),
            _ => format!(
                "it must be in a file of yours: allow that with --consent {agent}, or in \
                     your settings"
            ),
        };
        return (RecipeState::NotWanted, why);
    }
    let assumed = "it was handed over at launch; only a tool call shows that the agent calls it";
    let assumed = (RecipeState::Assumed, assumed.to_owned());
    recipes.hook_state.clone().unwrap_or(assumed)
}

/// `trustStatus` of the hook with this hash, wherever it stands in the answer.
fn trust_of<'a>(listed: &'a Value, hash: &str) -> Option<&'a str> {
    match listed {
        Value::Array(items) => items.iter().find_map(|item| trust_of(item, hash)),
        Value::Object(members) => {
            if listed["currentHash"].as_str() == Some(hash) {
                return Some(listed["trustStatus"].as_str().unwrap_or("unknown"));
            }
            members.values().find_map(|member| trust_of(member, hash))
        }
        _ => None,
    }
}

fn lists_hooks(answer: &Value) -> bool {
    match answer {
        Value::Array(items) => items.iter().any(lists_hooks),
        Value::Object(members) => answer["hooks"].is_array() || members.values().any(lists_hooks),
        _ => false,
    }
}

/// What an agent can do beyond prompts, in the protocol's words.
fn capabilities(of: &AgentCapabilities) -> Vec<&'static str> {
    let all = [
        (of.load_session, "session/load"),
        (of.resume, "session/resume"),
        (of.list, "session/list"),
        (of.close, "session/close"),
        (of.delete, "session/delete"),
        (of.fork, "session/fork"),
        (of.additional_directories, "additionalDirectories"),
        (
            of.system_prompt != SystemPromptSupport::None,
            "systemPrompt",
        ),
        (of.image, "image"),
        (of.audio, "audio"),
        (of.embedded_context, "embeddedContext"),
        (of.mcp_http, "mcp http"),
        (of.mcp_sse, "mcp sse"),
        (of.logout, "logout"),
    ];
    let has = all.into_iter().filter(|(has, _)| *has);
    has.map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests;
