//! What a profile says of its agent's own pre-tool hook: how it is registered, what it sends and wants to read.
//!
//! Data alone. [`crate::launch`] registers it, [`crate::hook`] words the answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use siderail_os::System;

use super::Recipe;

/// Ladder step 3a: the agent's own pre-tool hook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// What it sends and wants to read.
    pub shape: HookShape,
    /// How to register it.
    #[serde(default)]
    pub recipe: Recipe,
    /// What is added to a JSON file for it.
    #[serde(default)]
    pub entry: HookEntry,
    /// A stand-in for the agent's home, where it reads hooks from there only.
    #[serde(default)]
    pub overlay: Option<OverlaySpec>,
    /// A file of the user's that the hook may be in; only with the user's consent, and then instead of the
    /// stand-in.
    #[serde(default)]
    pub consent: Option<ConsentFile>,
    /// A file of the project because of which the agent does not read the one with our hook.
    #[serde(default)]
    pub shadowed_by: String,
    /// On Windows the agent hands its command to PowerShell or, as one argument from which cmd does not get quotes back
    /// as they were, to `cmd /c`: both take a program that needs no quotes.
    #[serde(default)]
    pub bare_program: bool,
    /// It runs after the permission request was allowed, so what it is to deny must be allowed there.
    #[serde(default)]
    pub after_allow: bool,
    /// What the agent has to trust before it runs the hook.
    #[serde(default)]
    pub trust: Option<HookTrust>,
    /// How the agent tells whether it took the hook.
    #[serde(default)]
    pub listing: Option<HookListing>,
    /// Calls with which the hook can be tried.
    #[serde(default)]
    pub trial: Option<HookCalls>,
}

/// The agent runs only hooks that it is told to trust, by their place among its settings and a digest of their
/// definition. What is said here fills `{hook_source}`, `{hook_source_escaped}`, `{hook_index}` and `{hook_hash}` in
/// recipes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookTrust {
    /// What the agent calls the source of settings that are given at its launch.
    pub source: String,
    /// The same on Windows, where it differs.
    #[serde(default)]
    pub source_on_windows: Option<String>,
    /// The definition as the agent digests it.
    pub definition: String,
    /// A list of hooks that the user may have given for its launch, too; ours comes after them.
    #[serde(default)]
    pub after: Option<HookList>,
}

/// A list of hooks in a variable of the agent's environment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookList {
    /// The variable, which holds JSON.
    pub variable: String,
    /// JSON pointer to the list.
    pub place: String,
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

/// A call as a hook gets it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeCall {
    /// The agent's own name of the tool.
    pub tool: String,
    /// Its arguments.
    pub input: Value,
}

/// JSON that makes a hook of ours, in a file that may hold hooks of the user's.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HookEntry {
    /// JSON pointers to where the agent reads such entries. Agents that know several spellings read one of them
    /// per file, so ours goes where the user's are.
    pub places: Vec<String>,
    /// The list of entries.
    pub json: Value,
}

/// A file of the user's that holds the entry, with consent, until it is taken out again.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsentFile {
    /// The file.
    pub path: String,
}

/// A folder of links to the agent's home, with one file of ours.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OverlaySpec {
    /// The variable that names the agent's home.
    pub env: String,
    /// The home when the variable is not set.
    pub home: String,
    /// The folder of the home that holds the file, where the home is the user's whole one.
    pub folder: String,
    /// The file that is ours; the user's own text stays in front.
    pub file: String,
    /// Its text; without one it is JSON with the hook's entry.
    pub text: String,
    /// Variables that name folders of the real home, where the user does not set them.
    pub real: BTreeMap<String, String>,
}

impl OverlaySpec {
    /// Whether the agent looks where the variable says: on Windows no program takes its home from `HOME`.
    pub fn is_looked_at(&self) -> bool {
        self.env != "HOME" || System::HERE.home() == "HOME"
    }
}

/// Payload and answer of a pre-tool hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookShape {
    /// `{toolName, toolArgs}` → `{permissionDecision, permissionDecisionReason}`.
    PermissionDecision,
    /// `{tool_name, tool_input}` → `{hookSpecificOutput: {…}}`.
    PreToolUse,
    /// As `PreToolUse`, and `PermissionRequest` events with an answer of their own.
    PermissionRequest,
    /// `{tool_name, tool_input}` → `{decision, reason}`.
    Decision,
}
