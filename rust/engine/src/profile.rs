//! Agent profiles: what differs from agent to agent, as data.
//!
//! Ten profiles are built in (`agents/*.toml`); a user's files add to them or replace them by name.
//! A profile says *what* to pass; [`crate::launch`] fills the placeholders and passes it. No profile
//! holds code, and nothing else in the engine asks for an agent's name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::error::EngineError;
use crate::packages::PackageRun;

const BUILT_IN: [&str; 10] = [
    include_str!("../agents/copilot.toml"),
    include_str!("../agents/claude.toml"),
    include_str!("../agents/codex.toml"),
    include_str!("../agents/codex-zed.toml"),
    include_str!("../agents/gemini.toml"),
    include_str!("../agents/qwen.toml"),
    include_str!("../agents/opencode.toml"),
    include_str!("../agents/vibe.toml"),
    include_str!("../agents/openhands.toml"),
    include_str!("../agents/fast-agent.toml"),
];

mod import;

/// What the engine knows of one agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Name on the command line.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The file of another program that it was found in; none for our own profiles and the user's.
    #[serde(skip)]
    pub origin: Option<PathBuf>,
    /// Program to start when no command is given.
    pub program: String,
    /// Its arguments; left out when a command is given.
    pub args: Vec<String>,
    /// Arguments appended to any command.
    pub extra_args: Vec<String>,
    /// Environment; what the user gives wins.
    pub env: BTreeMap<String, String>,
    /// How to install it, for people.
    pub install: String,
    /// By which it can be run without being installed.
    pub package: Option<Package>,
    /// How to log in, for people.
    pub login: String,
    /// Versions that the recipes were tried on.
    pub tested: Vec<String>,
    /// Mode that makes the agent ask; set after `session/new` where it is offered.
    pub mode: Option<String>,
    /// Authentication method to use by itself before `session/new`.
    pub auth_method: Option<String>,
    /// … but only where this variable is in the agent's environment.
    pub auth_env: Option<String>,
    /// Announce `fs/*`: the agent's file tools then go through the host.
    pub advertise_fs: bool,
    /// Announce `terminal/*`: the agent's commands then run here.
    pub advertise_terminal: bool,
    /// Answer a read of a missing file with empty text (an error blocks its creation).
    pub missing_file_is_empty: bool,
    /// Always part of the launch.
    pub base: Recipe,
    /// How our MCP server reaches the agent.
    pub mcp: McpDelivery,
    /// Ladder step 1.
    pub hide: Hide,
    /// Ladder step 3a, by the agent's own pre-tool hook.
    pub hook: Option<Hook>,
    /// Ladder step 3a, by the agent's own API.
    pub api: Option<Api>,
    /// Ladder step 3b.
    pub refusal: Option<Refusal>,
    /// Its own planning mode; without one the guard alone keeps the files as they are.
    pub plan: Option<PlanMode>,
    /// What the model says along with a tool call comes as a thought.
    pub says_in_thoughts: bool,
    /// What the guard has to know.
    pub guard: GuardFacts,
}

/// A package of a registry, in the version that was tested.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// What runs it.
    pub runner: Runner,
    /// Its name in the registry.
    pub name: String,
    /// The version, exactly.
    pub version: String,
    /// The version of Python that it wants (uvx).
    #[serde(default)]
    pub python: Option<String>,
    /// What has to come with it (uvx).
    #[serde(default)]
    pub with: Vec<String>,
}

/// What runs a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// npm's.
    Npx,
    /// uv's.
    Uvx,
}

impl Profile {
    /// The command line that runs it out of its package; none where it has none.
    pub fn package_run(&self) -> Option<PackageRun> {
        let package = self.package.as_ref()?;
        Some(PackageRun::new(package, &self.program, &self.args))
    }
}

/// An agent's own mode for making a plan.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanMode {
    /// The mode's id, or the option's value.
    pub mode: String,
    /// The config option that holds it, where it is none of the modes.
    #[serde(default)]
    pub option: Option<String>,
    /// What to go to after the approval when the session has begun in this mode.
    pub work: String,
    /// The agent's own tool that presents a plan, as its model sees it.
    #[serde(default)]
    pub exit_tool: Option<String>,
    /// A part of the paths of the files that it keeps plans in, outside of the project; it may write those.
    #[serde(default)]
    pub files: Option<String>,
    /// What it says ahead of a mode's id when it repeats a change of its mode as a message.
    #[serde(default)]
    pub echo: Option<String>,
    /// What the agent's own words begin with, which are no part of a plan.
    #[serde(default)]
    pub notes: Option<String>,
    /// A rejected plan does not end the turn: it is cancelled, so that the feedback comes before another plan.
    #[serde(default)]
    pub reject_goes_on: bool,
}

/// What is added to a launch. Strings may hold placeholders (see [`crate::launch`]).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// Arguments, appended.
    pub args: Vec<String>,
    /// Environment.
    pub env: BTreeMap<String, String>,
    /// JSON values of variables, merged into what the user gave.
    pub env_json: BTreeMap<String, Value>,
    /// Files in the session's own folder: text, or anything else as JSON.
    pub files: BTreeMap<String, Value>,
    /// JSON settings files that a variable names: what the user's own file says is laid over these.
    pub json_files: BTreeMap<String, Value>,
    /// Merged into `_meta` of `session/new`.
    pub session_meta: Value,
}

/// How our MCP server reaches the agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpDelivery {
    /// In `session/new`, or by launch flags.
    pub delivery: Delivery,
    /// How the agent's model sees a tool of a server: `mcp__{server}__{tool}`.
    pub as_seen: String,
    /// Our tools that it keeps from its model by their names, and the names under which it gets them instead.
    pub renamed: BTreeMap<String, String>,
    /// The agent starts servers with its first prompt, not with the session.
    pub at_prompt: bool,
    /// Kinds of the user's servers (`stdio`, `http`, `sse`) that it takes although it does not say so.
    pub takes: Vec<String>,
    /// Kinds that it loses without a word.
    pub loses: Vec<String>,
    /// Names of servers that mean something else to it.
    pub reserved: Vec<String>,
    /// The launch flags.
    pub recipe: Recipe,
}

impl McpDelivery {
    /// For who sees our tools under their bare names.
    pub fn plain() -> Self {
        Self {
            as_seen: "{tool}".to_owned(),
            ..Self::default()
        }
    }
}

/// Where our MCP server is announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// As a stdio server in `session/new`.
    #[default]
    Session,
    /// By launch flags; one process per session.
    Launch,
}

/// Ladder step 1: built-in tools that are not offered to the model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hide {
    /// The agent's own names.
    pub tools: Vec<String>,
    /// Those of them that stay hidden when hiding is off: no reason for a denial could reach the model.
    pub always: Vec<String>,
    /// Words of the user's own command that say the opposite; then nothing is hidden.
    pub unless_args: Vec<String>,
    /// How to hide them.
    pub recipe: Recipe,
}

/// Ladder step 3a: the agent's own pre-tool hook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// What it sends and wants to read.
    pub shape: HookShape,
    /// How to register it.
    #[serde(default)]
    pub recipe: Recipe,
    /// A stand-in for the agent's home, where it reads hooks from there only.
    #[serde(default)]
    pub overlay: Option<OverlaySpec>,
    /// A file of the user's that the hook has to stand in; only with the user's consent.
    #[serde(default)]
    pub consent: Option<ConsentFile>,
    /// It runs after the permission request was allowed, so what it is to deny must be allowed there.
    #[serde(default)]
    pub after_allow: bool,
    /// How the agent tells whether it took the hook.
    #[serde(default)]
    pub listing: Option<HookListing>,
    /// Calls with which the hook can be tried.
    #[serde(default)]
    pub trial: Option<HookCalls>,
}

/// A request of the agent's own that lists its hooks.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookListing {
    /// Its name; it is asked with the project's folder as `cwd`.
    pub method: String,
    /// `currentHash` of ours in the answer; it must be `trusted` there.
    pub hash: String,
}

/// Calls of the agent's own tools with which its hook can be tried.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookCalls {
    /// A built-in edit, to be denied.
    pub edit: ProbeCall,
    /// A tool that touches nothing, to be let pass.
    pub harmless: ProbeCall,
}

/// A call as a hook is told of it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeCall {
    /// The agent's own name of the tool.
    pub tool: String,
    /// Its arguments.
    pub input: Value,
}

/// JSON that is laid over a file of the user's, with consent, and taken back afterwards.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsentFile {
    /// The file.
    pub path: String,
    /// What is laid over it.
    pub json: Value,
}

/// A folder of links to the agent's home, with one file of ours.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OverlaySpec {
    /// The variable that names the agent's home.
    pub env: String,
    /// The home when the variable is not set.
    pub home: String,
    /// The file that is ours; the user's own text stays in front.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// An agent's own HTTP API for permission requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Api {
    /// Which API it is.
    pub kind: ApiKind,
    /// How to switch it on.
    #[serde(default)]
    pub recipe: Recipe,
}

/// The known APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiKind {
    /// `GET /permission`, `POST /permission/{id}/reply` with a message.
    Opencode,
}

/// Ladder step 3b: allowed in ACP, refused where the agent then comes to us, with the reason as the error.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Its edits come to our `fs/write_text_file`.
    pub edits: bool,
    /// Its commands come to our `terminal/create`.
    #[serde(default)]
    pub commands: bool,
    /// The error is a bare string; an error object would not be readable to the model.
    #[serde(default)]
    pub bare_text: bool,
}

/// Payload and answer of a pre-tool hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookShape {
    /// `{toolName, toolArgs}` → `{permissionDecision, permissionDecisionReason}`.
    Copilot,
    /// `{tool_name, tool_input}` → `{hookSpecificOutput: {…}}`.
    PreToolUse,
    /// As `PreToolUse`, and `PermissionRequest` events with an answer of their own.
    PermissionRequest,
    /// `{tool_name, tool_input}` → `{decision, reason}`.
    Decision,
}

/// What the guard has to know of an agent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuardFacts {
    /// A rejected permission request ends the prompt turn.
    pub reject_ends_turn: bool,
    /// The agent itself, not its model, says something when a rejection ends the turn.
    pub speaks_after_reject: bool,
    /// The title of a command's tool call is a description by the model, never the command.
    pub title_is_prose: bool,
    /// Built-in tools that run unasked by the agent's design.
    pub unasked: Vec<String>,
    /// Tools that are let pass: they reach ours, or touch nothing.
    pub pass_tools: Vec<String>,
}

/// All known profiles by name.
#[derive(Clone, Debug)]
pub struct Profiles(BTreeMap<String, Profile>, Vec<String>);

impl Profiles {
    /// Loads the built-in profiles and then the user's files, which win by name.
    ///
    /// # Errors
    /// A file that cannot be read or is no profile.
    pub fn load(files: &[impl AsRef<Path>]) -> Result<Self, EngineError> {
        let mut all = BTreeMap::new();
        for text in BUILT_IN {
            let table = table_of(text).map_err(|why| EngineError::Profile {
                file: "built in".to_owned(),
                why,
            })?;
            let profile: Profile =
                serde_json::from_value(table).map_err(|e| EngineError::Profile {
                    file: "built in".to_owned(),
                    why: e.to_string(),
                })?;
            all.insert(profile.name.clone(), profile);
        }
        for file in files {
            for profile in read_file(file.as_ref())? {
                all.insert(profile.name.clone(), profile);
            }
        }
        Ok(Self(all, Vec::new()))
    }

    /// Adds the agents of another program's file. Names that are known keep their profiles.
    #[must_use]
    pub fn with_import(mut self, file: &Path, home: Option<&Path>) -> Self {
        let imported = import::read(file, home);
        for profile in imported.profiles {
            self.0.entry(profile.name.clone()).or_insert(profile);
        }
        self.1.extend(imported.problems);
        self
    }

    /// What of the imported files cannot be used, a text each.
    pub fn problems(&self) -> &[String] {
        &self.1
    }

    /// The profile of that name. An unknown name with a command of its own gets a generic one, which knows
    /// no more of the agent than the protocol says.
    ///
    /// # Errors
    /// An unknown name without a command.
    pub fn get(&self, name: &str, has_command: bool) -> Result<Profile, EngineError> {
        match self.0.get(name) {
            Some(profile) => Ok(profile.clone()),
            None if has_command => Ok(Profile {
                name: name.to_owned(),
                title: name.to_owned(),
                advertise_fs: true,
                mcp: McpDelivery::plain(),
                ..Profile::default()
            }),
            None => Err(EngineError::UnknownAgent {
                name: name.to_owned(),
                known: self.0.keys().cloned().collect(),
            }),
        }
    }

    /// All profiles, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Profile> {
        self.0.values()
    }
}

/// A user's file: one profile, or several under `[[agent]]`.
fn read_file(file: &Path) -> Result<Vec<Profile>, EngineError> {
    #[derive(Deserialize)]
    struct Several {
        agent: Vec<Profile>,
    }
    let failed = |why: String| EngineError::Profile {
        file: file.display().to_string(),
        why,
    };
    let text = std::fs::read_to_string(file).map_err(|e| failed(e.to_string()))?;
    let table = table_of(&text).map_err(&failed)?;
    let profiles = if table.get("agent").is_some() {
        serde_json::from_value::<Several>(table).map(|s| s.agent)
    } else {
        serde_json::from_value::<Profile>(table).map(|p| vec![p])
    }
    .map_err(|e| failed(e.to_string()))?;
    match profiles.iter().find(|p| p.name.is_empty()) {
        Some(_) => Err(failed("a profile has no `name`".to_owned())),
        None => Ok(profiles),
    }
}

/// A TOML text as JSON's values: profiles are read out of those by code that is there anyway.
fn table_of(text: &str) -> Result<Value, String> {
    let table: toml::Table = toml::from_str(text).map_err(|e| e.to_string())?;
    Ok(json_of(toml::Value::Table(table)))
}

fn json_of(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(is) => Value::from(is),
        toml::Value::Datetime(time) => Value::from(time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(json_of).collect(),
        toml::Value::Table(members) => members
            .into_iter()
            .map(|(name, value)| (name, json_of(value)))
            .collect(),
    }
}

#[cfg(test)]
mod tests;
