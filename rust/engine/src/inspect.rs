//! Reports what is known of a session's set-up, and tries from outside what can be tried (`siderail doctor`).
//!
//! Facts are a copy: asking for them changes nothing. A trial goes the way that the agent's own hook goes,
//! by the same command, socket and token, so it also counts as a denial in that session.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use siderail_acp::process::{CommandLine, Grace, ProcessTree, Streams};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::api::{self, ApiAccess};
use crate::event::SessionOption;
use crate::hook;
use crate::login::LoginWay;
use crate::profile::{HookShape, ProbeCall};
pub use crate::version::Standing;

/// A hook answers within two seconds; starting its command takes a moment more.
const TRIAL: Duration = Duration::from_secs(10);
/// Bytes of an answer.
const MOST_ANSWER: u64 = 1 << 20;

/// What is known of a session that is ready, or that ended before it was.
#[derive(Clone, Debug)]
pub struct SessionFacts {
    /// Prompts may be sent.
    pub is_ready: bool,
    /// Name and version that the agent gave of itself.
    pub version: Option<String>,
    /// How that compares to what the profile was tried on.
    pub standing: Standing,
    /// Versions that the profile was tried on.
    pub tested: Vec<String>,
    /// What the agent says it can do.
    pub capabilities: Vec<&'static str>,
    /// Ways to log in that the agent offers.
    pub logins: Vec<LoginWay>,
    /// Our MCP server is announced by launch flags instead of in `session/new`.
    pub announced_by_launch: bool,
    /// The agent starts MCP servers with its first prompt only.
    pub server_at_prompt: bool,
    /// The agent started our MCP server.
    pub server_connected: bool,
    /// It asked for our tools.
    pub tools_listed: bool,
    /// Tools that it is offered.
    pub n_tools: usize,
    /// Built-in tools that are hidden from its model.
    pub hidden: Vec<String>,
    /// Built-in tools that could be hidden.
    pub hideable: Vec<String>,
    /// The mode in force, where the agent has modes.
    pub mode: Option<String>,
    /// Its modes, by id.
    pub modes: Vec<String>,
    /// Its options: what they are set to, and what they can be set to.
    pub options: Vec<SessionOption>,
    /// The recipes by which denials reach the model, and their state.
    pub recipes: Vec<RecipeFacts>,
    /// The hook's command, where one is registered.
    pub hook: Option<HookTrial>,
    /// The agent's own API, where it has one.
    pub api: Option<ApiTrial>,
}

/// One of a profile's recipes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeFacts {
    /// Which one.
    pub recipe: Recipe,
    /// Whether it works.
    pub state: RecipeState,
    /// Why, for people.
    pub text: String,
}

/// A recipe of a profile: a way by which denials reach the model, or a mode in which the agent asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// The agent's own hook.
    Hook,
    /// The agent's own API.
    Api,
    /// Refusing what the agent then asks the client for.
    Refusal,
    /// The mode in which the agent asks.
    Mode,
}

impl Recipe {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Api => "api",
            Self::Refusal => "refusal",
            Self::Mode => "mode",
        }
    }
}

/// What is known of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecipeState {
    /// The agent says that it has it.
    Verified,
    /// It was passed to the agent; nothing before a tool call shows whether it was accepted.
    Assumed,
    /// Not asked for, by a setting.
    NotWanted,
    /// It does not work: denials are plain rejections.
    Off,
}

/// The command that the agent's hook runs, ready to be tried.
#[derive(Clone, Debug)]
pub struct HookTrial {
    pub(crate) command: String,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cwd: PathBuf,
    pub(crate) shape: HookShape,
    pub(crate) edit: ProbeCall,
    pub(crate) harmless: ProbeCall,
    /// Our tool for edits as the model sees it; none if the policy denies nothing by hook.
    pub(crate) edit_tool: Option<String>,
}

/// The outcome of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// As it should be.
    Passed,
    /// Not as it should be: what was wrong.
    Failed(String),
}

impl HookTrial {
    /// The command, for people.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// False where the policy denies nothing by hook.
    pub fn denies(&self) -> bool {
        self.edit_tool.is_some()
    }

    /// A built-in edit must be denied, with guidance that names our tool; nothing is where the policy
    /// denies nothing.
    pub async fn edit(&self) -> Trial {
        let tool = &self.edit.tool;
        for answer in self.ask(&self.edit).await {
            let wrong = match (answer, &self.edit_tool) {
                (Ok(Some(text)), Some(ours)) if text.contains(ours) => continue,
                (Ok(None), None) => continue,
                (Ok(Some(text)), Some(ours)) => {
                    format!("a built-in {tool} is denied without naming {ours}: {text}")
                }
                (Ok(None), Some(_)) => format!("a built-in {tool} is not denied"),
                (Ok(Some(_)), None) => {
                    format!("{tool} is denied although the policy denies nothing")
                }
                (Err(why), _) => why,
            };
            return Trial::Failed(wrong);
        }
        Trial::Passed
    }

    /// A harmless tool must be let pass.
    pub async fn harmless(&self) -> Trial {
        let tool = &self.harmless.tool;
        for answer in self.ask(&self.harmless).await {
            match answer {
                Ok(None) => {}
                Ok(Some(text)) => {
                    return Trial::Failed(format!("the harmless tool {tool} is denied: {text}"));
                }
                Err(why) => return Trial::Failed(why),
            }
        }
        Trial::Passed
    }

    /// The reason of a denial, or none, for every event that the hook is registered for.
    async fn ask(&self, call: &ProbeCall) -> Vec<Result<Option<String>, String>> {
        let cwd = self.cwd.display().to_string();
        let mut answers = Vec::new();
        for event in hook::events(self.shape) {
            let payload = hook::payload(self.shape, *event, call, &cwd);
            let stdout = self.run(*event, payload.to_string()).await;
            answers.push(stdout.and_then(|stdout| self.read(&stdout)));
        }
        answers
    }

    fn read(&self, stdout: &str) -> Result<Option<String>, String> {
        let answer: Value = serde_json::from_str(stdout.trim())
            .map_err(|error| format!("the hook's answer is not JSON ({error}): {stdout}"))?;
        let open: Value = serde_json::from_str(&hook::no_decision(self.shape)).unwrap_or_default();
        match hook::denial(self.shape, &answer) {
            Some(reason) => Ok(Some(reason)),
            None if answer == open => Ok(None),
            None => Err(format!("the hook's answer is not understood: {answer}")),
        }
    }

    /// Runs the hook's command as the agent would.
    async fn run(&self, event: Option<&str>, payload: String) -> Result<String, String> {
        let shell = self.command.clone() + &event.map_or(String::new(), |e| format!(" {e}"));
        let line = CommandLine {
            program: "sh".to_owned(),
            args: vec!["-c".into(), shell.into()],
            env: self.env.clone(),
            cwd: self.cwd.clone(),
        };
        let mut tree = ProcessTree::spawn(&line, None, Streams::Piped)
            .map_err(|error| format!("the hook's command does not start: {error}"))?;
        let (Some(mut stdin), Some(stdout)) = (tree.stdin.take(), tree.stdout.take()) else {
            return Err("the hook's streams are not connected".to_owned());
        };
        let exchange = async {
            // A hook that answers without reading closes its input early, which is its right.
            let _ = stdin.write_all(payload.as_bytes()).await;
            drop(stdin);
            let mut answer = String::new();
            let mut limited = stdout.take(MOST_ANSWER);
            let read = limited.read_to_string(&mut answer).await;
            let exit = tree.wait().await;
            read.map_err(|error| error.to_string())
                .map(|_| (answer, exit))
        };
        let done = tokio::time::timeout(TRIAL, exchange).await;
        tree.stop(Grace::default()).await;
        match done {
            Ok(Ok((answer, exit))) if exit.code == Some(0) => Ok(answer),
            Ok(Ok((_, exit))) => Err(format!("the hook's command ended badly ({exit})")),
            Ok(Err(why)) => Err(format!("the hook's answer cannot be read: {why}")),
            Err(_) => Err(format!(
                "the hook did not answer within {} s",
                TRIAL.as_secs()
            )),
        }
    }
}

/// The agent's own API, ready to be tried.
#[derive(Clone, Debug)]
pub struct ApiTrial {
    pub(crate) access: ApiAccess,
    pub(crate) project: String,
}

impl ApiTrial {
    /// The API answers and takes our password.
    pub async fn reach(&self) -> Trial {
        match api::reach(self.access.clone(), self.project.clone()).await {
            Ok(()) => Trial::Passed,
            Err(why) => Trial::Failed(format!("the agent's API does not answer: {why}")),
        }
    }
}
