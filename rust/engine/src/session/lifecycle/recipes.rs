//! Whether the profile's recipes work with this agent, as far as the start shows it, and how that is reported. Plain
//! data; it knows no session.
//!
//! What cannot work falls back to plain rejections, and says so. What only a tool call can show is left to the canary.
//! Nothing here is an error: a session without a hook still denies.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, value::RawValue};
use siderail_acp::initialize::{AgentCapabilities, SystemPromptSupport};
use siderail_acp::wire::RpcError;
use siderail_guard::Tool;
use siderail_guard::canary::Canary;
use siderail_guard::policy::Policy;

use crate::event::{EventBody, Unguarded};
use crate::inspect::{ApiTrial, HookTrial, Recipe, RecipeFacts, RecipeState, SessionFacts};
use crate::login::LoginWay;
use crate::profile::{Delivery, HookListing, Profile};
use crate::session::agent_facts::AgentFacts;
use crate::session::guidance::Guidance;
use crate::session::guidance::recipes::Recipes;
use crate::session::lifecycle::peers::Peers;
use crate::session::modes::{mode_ids, options_of};
use crate::session::permissions::agent_hook::AgentHook;
use crate::version::{Standing, standing};

/// Older versions may not answer at all.
pub(in crate::session) const LISTING: Duration = Duration::from_secs(5);

impl Peers {
    /// How the agent compares to what its profile was tried on.
    pub(in crate::session) fn standing(&self, profile: &Profile) -> Standing {
        let agent = self.initialized.as_ref().and_then(|i| i.agent.as_ref());
        let version = agent.map(|agent| agent.version.as_str());
        standing(&profile.tested, version)
    }
}

impl Guidance {
    /// All of the handshake is done. Another version is worth a word; a recipe that allows in order to deny later is not
    /// tried on it, nor on an agent of which nobody knows whether it was tested. The first reason why nothing can be refused
    /// at the client's files and terminals. `says`: name and version that the agent gave of itself.
    pub(in crate::session) fn check(
        &mut self,
        profile: &Profile,
        standing: Standing,
        says: Option<String>,
        hook: &mut AgentHook,
    ) -> Option<String> {
        let says = says.unwrap_or_else(|| "an agent that reports no version".to_owned());
        if matches!(standing, Standing::Near | Standing::Untested) {
            let tested = profile.tested.join(", ");
            self.recipes.tell(format!(
                "the agent is {says}, which was not tested; tested: {tested}"
            ));
        }
        let is_tried = matches!(standing, Standing::Tested | Standing::Near);
        if !is_tried && profile.refusal.is_some() {
            return Some(format!("{says} was not tested with it"));
        }
        if !is_tried && hook.is_after_allow {
            hook.is_after_allow = false;
            self.recipes.tell(format!(
                "what the hook would deny after an allowed request is rejected instead: {says} was not tested with it"
            ));
        }
        lacks_for_refusal(profile)
    }

    /// The agent's list of its hooks, or why it is missing.
    pub(in crate::session) fn hooks_listed(
        &mut self,
        outcome: &Result<Box<RawValue>, RpcError>,
        profile: &Profile,
        (canary, names): (&mut Canary, &mut AgentHook),
    ) {
        let hook = self.recipes.hook.as_ref();
        let hash = hook.and_then(|hook| hook.hash.as_deref());
        match Listed::read(outcome, hash.unwrap_or_default()) {
            Listed::Trusted => {
                let text = "the agent lists it as trusted".to_owned();
                self.recipes.hook_state = Some((RecipeState::Verified, text));
            }
            Listed::Off(why) => {
                names.is_after_allow = false;
                self.hook_is_off(why, profile, canary);
            }
            Listed::Unknown(why) => self.recipes.hook_not_listed(why),
        }
    }

    /// The hook will never be called: denials are plain rejections, and what is not asked is not seen.
    fn hook_is_off(&mut self, why: String, profile: &Profile, canary: &mut Canary) {
        let text = format!(
            "The hook of {} is off: {why}. What the agent asks for is rejected as before; what it runs \
             without asking is not seen. `siderail doctor {}` says more.",
            profile.title, profile.name
        );
        match canary.hook_is_off() {
            true => self
                .recipes
                .untold
                .push(EventBody::Unguarded(Unguarded { text })),
            false => self.recipes.tell(text),
        }
        self.recipes.hook_state = Some((RecipeState::Off, why));
    }
}

/// Why an agent cannot be refused something at our files and terminals: it has to be offered them.
fn lacks_for_refusal(profile: &Profile) -> Option<String> {
    let refusal = profile.refusal.as_ref()?;
    let lacks_files = refusal.edits && !profile.advertise_fs;
    let lacks_terminals = refusal.commands && !profile.advertise_terminal;
    let lacks = lacks_files || lacks_terminals;
    lacks.then(|| "the profile does not offer the client's to the agent".to_owned())
}

impl Recipes {
    /// A mode is wanted that the agent does not offer, and is not in. `current`: the one that it is in.
    pub(in crate::session) fn mode_not_offered(
        &mut self,
        wanted: Option<&str>,
        current: Option<&str>,
    ) {
        if let Some(wanted) = wanted.filter(|wanted| current != Some(*wanted)) {
            self.mode_off(format!("the agent has no mode `{wanted}`"));
        }
    }

    /// How the agent can be asked for its hooks, where there is one that it should have.
    pub(in crate::session) fn listing(&self, profile: &Profile) -> Option<HookListing> {
        let hook = profile.hook.as_ref().filter(|_| self.hook.is_some());
        hook?.listing.clone()
    }

    /// Nothing is refused at the client's files and terminals, for this reason.
    pub(in crate::session) fn refusal_is_off(&mut self, why: String) {
        self.tell(format!(
            "denied edits and commands are rejected instead of refused at the client's files and \
             terminals: {why}"
        ));
        self.refusal_off = Some(why);
    }

    /// The agent has not answered with its hooks.
    pub(in crate::session) fn listing_overdue(&mut self) {
        let seconds = LISTING.as_secs();
        self.hook_not_listed(format!("the agent did not list its hooks in {seconds} s"));
    }

    /// An agent that does not say so may have the hook all the same.
    fn hook_not_listed(&mut self, why: String) {
        self.tell(format!("the hook is not verified: {why}"));
        self.hook_state = Some((RecipeState::Assumed, why));
    }

    /// What tries the hook out, with the environment in which the agent runs it: `ours`, and the agent's own.
    fn hook_trial(
        &self,
        facts: &AgentFacts,
        env: (&BTreeMap<String, String>, &BTreeMap<String, String>),
        root: &Path,
        offered: &[Tool],
    ) -> Option<HookTrial> {
        let hook = self.hook.as_ref()?;
        let spec = facts.profile.hook.as_ref()?;
        let calls = spec.trial.clone()?;
        let (ours, agents) = env;
        let mut env = ours.clone();
        env.extend(agents.clone());
        env.extend(self.relay_env.iter().cloned());
        let ours = Tool::WriteFile;
        let denies = facts.policy.redirects() && offered.contains(&ours);
        Some(HookTrial {
            command: hook.command.clone(),
            env,
            cwd: root.to_owned(),
            shape: spec.shape,
            edit: calls.edit,
            harmless: calls.harmless,
            edit_tool: denies.then(|| facts.names.as_seen(ours)),
        })
    }
}

/// What is known of a session, for callers that ask.
pub(in crate::session) struct Inspected<'a> {
    /// Prompts may be sent.
    pub(in crate::session) is_ready: bool,
    pub(in crate::session) peers: &'a Peers,
    pub(in crate::session) guidance: &'a Guidance,
    pub(in crate::session) facts: &'a AgentFacts,
    pub(in crate::session) logins: Vec<LoginWay>,
    /// The project's folder.
    pub(in crate::session) root: &'a Path,
    /// The engine's environment, and what the agent is given over it.
    pub(in crate::session) env: (&'a BTreeMap<String, String>, &'a BTreeMap<String, String>),
    /// Our tools.
    pub(in crate::session) offered: &'a [Tool],
    pub(in crate::session) n_tools: usize,
}

impl Inspected<'_> {
    /// A copy of all of it.
    pub(in crate::session) fn told(self) -> SessionFacts {
        let (facts, recipes) = (self.facts, &self.guidance.recipes);
        let initialized = self.peers.initialized.as_ref();
        let acp = self.peers.acp.as_ref();
        let mode = acp.and_then(|acp| acp.modes());
        let api = self.guidance.api.clone();
        SessionFacts {
            is_ready: self.is_ready,
            version: self.peers.agent_version(),
            standing: self.peers.standing(&facts.profile),
            tested: facts.profile.tested.clone(),
            capabilities: initialized.map_or(Vec::new(), |i| capabilities(&i.capabilities)),
            logins: self.logins,
            announced_by_launch: facts.profile.mcp.delivery == Delivery::Launch,
            server_at_prompt: facts.profile.mcp.at_prompt,
            server_connected: recipes.server_connected,
            tools_listed: recipes.tools_listed,
            n_tools: self.n_tools,
            hidden: facts.hidden.clone(),
            hideable: facts.profile.hide.tools.clone(),
            mode: mode.map(|modes| modes.current.clone()),
            modes: acp.map(mode_ids).unwrap_or_default(),
            options: acp.map(options_of).unwrap_or_default(),
            recipes: recipe_facts(recipes, facts, api.is_some()),
            hook: recipes.hook_trial(facts, self.env, self.root, self.offered),
            api: api.map(|access| ApiTrial {
                access,
                project: self.root.display().to_string(),
            }),
        }
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
    let mut add = |recipe, (state, text)| {
        facts.push(RecipeFacts {
            recipe,
            state,
            text,
        });
    };
    if profile.mode.is_some() || recipes.mode_off.is_some() {
        add(
            Recipe::Mode,
            off(&recipes.mode_off, "the mode in which it asks is set"),
        );
    }
    if profile.hook.is_some() {
        add(Recipe::Hook, hook_facts(recipes, of));
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
        add(Recipe::Api, state);
    }
    if profile.refusal.is_some() {
        let on = "denied edits are refused at the client's files";
        add(Recipe::Refusal, off(&recipes.refusal_off, on));
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

/// `trustStatus` of the hook with this hash, anywhere in the answer.
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
