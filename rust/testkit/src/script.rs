//! The script: what the scripted model does, prompt by prompt, as TOML.
//!
//! ```toml
//! shape = "copilot"          # which agent to behave like; --shape wins
//! really = false             # true: allowed edits and commands are really carried out on disk
//! faults = "garbage=50"      # see faults.rs
//! refuse_mode = false        # true: no mode can be set
//! told = 0                   # updates by which a loaded session is replayed
//! forgetful = false          # true: no session can be loaded or resumed
//!
//! [[prompt]]                 # used for the first prompt; the second entry for the second, …
//! resume = true              # a turn that a reject ended continues with the rest at the next prompt
//! step = [                   # or [[prompt.step]] tables
//!   { say = "I will change x." },
//!   { edit = "src/App.java", old = "int x = 1;", new = "int x = 2;" },
//!   { if_denied = true, steps = [ { call = "intellij_write_file", arguments = { path = "…" } } ] },
//! ]
//!
//! [[prompt]]
//! match = "Continue"         # used, once, for a prompt that contains this text, ahead of the order
//! stop = "end_turn"          # stop reason when the steps are through (default end_turn)
//! ```
//! A prompt for which no entry is left is answered by its stop reason alone.
//!
//! A step has exactly one of these:
//!
//! | member | does |
//! |---|---|
//! | `say`, `think` | sends a text as message or thought; `chunks = N` splits it |
//! | `plan = ["a", "b"]` | sends a plan |
//! | `read = PATH` | built-in read |
//! | `edit = PATH`, `old`, `new` | built-in replacement |
//! | `create = PATH`, `content` | built-in creation or overwriting |
//! | `shell = COMMAND`, `description` | built-in shell |
//! | `search = PATTERN` | built-in text search |
//! | `present = PLAN` | presents a plan by the agent's own tool for it, or as a message where it has none |
//! | `call = TOOL`, `arguments = {…}`, `server` | an MCP tool by its bare name, really called |
//! | `parallel = [steps]` | runs tool calls at the same time |
//! | `steps = [steps]`, `repeat = N` | a group |
//! | `sleep = SECONDS` | silence; a cancel ends it |
//! | `wait_for = PATH` | silence until this file exists; a cancel ends it |
//! | `flood = N` | N numbered message chunks, "n:1", "n:2", … |
//! | `spawn_grandchild = true` | starts two `sleep 120`, one of them in a session of its own |
//! | `send = TEXT` | writes a line verbatim; `${session}` and `${cwd}` are filled |
//! | `request = METHOD`, `params = {…}` | asks the client; the model is shown the answer |
//! | `fault = SPEC` | a fault at this very point, see faults.rs |
//! | `stop = REASON` | ends the turn at once |
//! | `fail = MESSAGE`, `code = N` | answers the prompt with an error |
//!
//! Members beside it: `if_denied`, `if_hidden`, `if_allowed` (the last tool call before this step, or
//! before the group that holds it, was denied — rejected, stopped by a hook or refused —, hidden,
//! or went through; several mean any of them); on tool calls `expect_result_contains`, `expect_result_lacks` (what the model
//! read), `expect = "allowed" | "denied" | "hidden" | "failed"`, `really`, `ask = true | false`
//! (against the shape's own habit), `options = NAME` (another of the shape's option lists), `delay = SECONDS` before the call; on any step
//! `expect_seen_contains` (any text the model was shown since the prompt, that text included). An
//! expectation that fails is printed to stderr, sent as a message "EXPECTATION FAILED …", and makes
//! the agent exit with 9 at its end.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A whole script.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The agent to behave like.
    pub shape: Option<String>,
    /// Carry out allowed edits and commands on disk.
    #[serde(default)]
    pub really: bool,
    /// Answer every wish for a mode with an error.
    #[serde(default)]
    pub refuse_mode: bool,
    /// Updates that are sent again when a session is loaded: prompts, messages, edits, failed commands.
    #[serde(default)]
    pub told: usize,
    /// Do not load or resume a session that this process has not made.
    #[serde(default)]
    pub forgetful: bool,
    /// Faults of the whole run.
    pub faults: Option<String>,
    /// What is done at each prompt.
    #[serde(default, rename = "prompt")]
    pub prompts: Vec<Prompt>,
}

/// What is done at one prompt.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Text that the prompt must contain; without it entries are used in order.
    #[serde(rename = "match")]
    pub matches: Option<String>,
    /// Stop reason when all steps are through.
    pub stop: Option<String>,
    /// Keep the rest for the next prompt when a reject ends the turn.
    #[serde(default)]
    pub resume: bool,
    /// The steps.
    #[serde(default, rename = "step")]
    pub steps: Vec<Step>,
}

/// One step as written; [`Step::action`] says which of its actions it is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "the members are described in the table at the head of this file"
)]
pub struct Step {
    pub say: Option<String>,
    pub think: Option<String>,
    pub chunks: Option<usize>,
    pub plan: Option<Vec<String>>,
    pub read: Option<String>,
    pub edit: Option<String>,
    pub old: Option<String>,
    pub new: Option<String>,
    pub create: Option<String>,
    pub content: Option<String>,
    pub shell: Option<String>,
    pub description: Option<String>,
    pub search: Option<String>,
    pub present: Option<String>,
    pub call: Option<String>,
    pub arguments: Option<Map<String, Value>>,
    pub server: Option<String>,
    pub parallel: Option<Vec<Step>>,
    pub steps: Option<Vec<Step>>,
    pub repeat: Option<usize>,
    pub sleep: Option<f64>,
    pub wait_for: Option<String>,
    pub flood: Option<usize>,
    pub spawn_grandchild: Option<bool>,
    pub send: Option<String>,
    pub request: Option<String>,
    pub params: Option<Value>,
    pub fault: Option<String>,
    pub stop: Option<String>,
    pub fail: Option<String>,
    pub code: Option<i64>,
    #[serde(default)]
    pub if_denied: bool,
    #[serde(default)]
    pub if_hidden: bool,
    #[serde(default)]
    pub if_allowed: bool,
    pub expect: Option<String>,
    pub expect_result_contains: Option<String>,
    pub expect_result_lacks: Option<String>,
    pub expect_seen_contains: Option<String>,
    pub really: Option<bool>,
    pub ask: Option<bool>,
    pub options: Option<String>,
    pub delay: Option<f64>,
}

/// What a step does.
#[derive(Clone, Copy, Debug)]
#[expect(
    missing_docs,
    reason = "the actions are described in the table at the head of this file"
)]
pub enum Action<'a> {
    Say(&'a str),
    Think(&'a str),
    Plan(&'a [String]),
    Tool(Purpose, &'a str),
    Parallel(&'a [Step]),
    Group(&'a [Step]),
    Sleep(f64),
    WaitFor(&'a str),
    Flood(usize),
    SpawnGrandchild,
    Send(&'a str),
    Request(&'a str),
    Fault(&'a str),
    Stop(&'a str),
    Fail(&'a str),
    /// Only conditions or expectations.
    Nothing,
}

/// What a tool call is for; the shape has a tool for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Reads a file.
    Read,
    /// Replaces a text in a file.
    Edit,
    /// Writes a whole file.
    Create,
    /// Runs a command.
    Shell,
    /// Searches in files.
    Search,
    /// Presents a plan.
    Present,
    /// Calls a tool of an MCP server.
    Mcp,
}

impl Purpose {
    /// The purpose's name in scripts and shapes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Create => "create",
            Self::Shell => "shell",
            Self::Search => "search",
            Self::Present => "present",
            Self::Mcp => "mcp",
        }
    }
}

impl Script {
    /// Parses and checks a script.
    ///
    /// # Errors
    /// Says what is wrong with it, for people.
    pub fn parse(text: &str) -> Result<Self, String> {
        let script: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        script
            .prompts
            .iter()
            .try_for_each(|prompt| check_steps(&prompt.steps))?;
        Ok(script)
    }

    /// Reads a script from a file.
    ///
    /// # Errors
    /// The file cannot be read or is not a script.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("script {} cannot be read: {error}", path.display()))?;
        Self::parse(&text).map_err(|error| format!("script {}: {error}", path.display()))
    }
}

fn check_steps(steps: &[Step]) -> Result<(), String> {
    for step in steps {
        let actions = step.actions();
        if actions.len() > 1 {
            return Err(format!("a step has more than one action: {actions:?}"));
        }
        if let [Action::Group(inner) | Action::Parallel(inner)] = actions[..] {
            check_steps(inner)?;
        }
    }
    Ok(())
}

impl Step {
    /// The step's one action.
    #[must_use]
    pub fn action(&self) -> Action<'_> {
        self.actions().first().copied().unwrap_or(Action::Nothing)
    }

    fn actions(&self) -> Vec<Action<'_>> {
        fn tool<'a>(purpose: Purpose, target: &'a Option<String>) -> Option<Action<'a>> {
            target
                .as_deref()
                .map(|target| Action::Tool(purpose, target))
        }
        [
            self.say.as_deref().map(Action::Say),
            self.think.as_deref().map(Action::Think),
            self.plan.as_deref().map(Action::Plan),
            tool(Purpose::Read, &self.read),
            tool(Purpose::Edit, &self.edit),
            tool(Purpose::Create, &self.create),
            tool(Purpose::Shell, &self.shell),
            tool(Purpose::Search, &self.search),
            tool(Purpose::Present, &self.present),
            tool(Purpose::Mcp, &self.call),
            self.parallel.as_deref().map(Action::Parallel),
            self.steps.as_deref().map(Action::Group),
            self.sleep.map(Action::Sleep),
            self.wait_for.as_deref().map(Action::WaitFor),
            self.flood.map(Action::Flood),
            self.spawn_grandchild.map(|_| Action::SpawnGrandchild),
            self.send.as_deref().map(Action::Send),
            self.request.as_deref().map(Action::Request),
            self.fault.as_deref().map(Action::Fault),
            self.stop.as_deref().map(Action::Stop),
            self.fail.as_deref().map(Action::Fail),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, Purpose, Script};

    #[test]
    fn a_script_with_nested_steps_parses() {
        let script = Script::parse(
            r#"
            shape = "copilot"
            [[prompt]]
            resume = true
            step = [
              { edit = "a", old = "1", new = "2", expect_result_contains = "x" },
              { if_denied = true, steps = [ { call = "t", arguments = { path = "a" } } ] },
            ]
            [[prompt.step]]
            say = "late"
            "#,
        );
        assert!(
            script.is_err(),
            "an inline list cannot be extended by tables: {script:?}"
        );
        let script = Script::parse(
            r#"
            [[prompt]]
            [[prompt.step]]
            edit = "a"
            [[prompt.step]]
            if_denied = true
            steps = [{ call = "t", arguments = { path = "a" } }]
            "#,
        )
        .expect("valid");
        let steps = &script.prompts[0].steps;
        assert!(matches!(
            steps[0].action(),
            Action::Tool(Purpose::Edit, "a")
        ));
        assert!(steps[1].if_denied && matches!(steps[1].action(), Action::Group([_])));
    }

    #[test]
    fn a_misspelt_member_or_two_actions_are_refused() {
        assert!(Script::parse("[[prompt]]\nstep = [{ sya = \"x\" }]").is_err());
        assert!(Script::parse("[[prompt]]\nstep = [{ say = \"x\", read = \"y\" }]").is_err());
        assert!(
            Script::parse("[[prompt]]\nstep = [{ steps = [{ say = \"x\", read = \"y\" }] }]")
                .is_err()
        );
    }
}
