//! Ways to log in to an agent, as the agent offers them: what a person runs, sets, or leaves to the agent.
//!
//! Nothing is run here. The commands are complete, so that they can be run in any terminal as they are.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use siderail_acp::initialize::{AuthKind, AuthMethod};
use siderail_acp::process::CommandLine;

use crate::quoting::shell_word;

/// What is left where no way to log in is known.
pub const BY_HAND: &str = "start the agent itself and log in there";

/// A way to log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginWay {
    /// By which the agent knows it.
    pub id: String,
    /// For people.
    pub name: String,
    /// More of it; empty when the agent says no more.
    pub description: String,
    /// What has to be done.
    pub how: LoginHow,
}

/// What a way to log in asks of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginHow {
    /// Nothing here: the agent does it on request (`SessionOptions::login`).
    Agent,
    /// A command in a terminal; afterwards the agent is started anew.
    Command {
        /// The command with everything it runs with.
        line: Box<CommandLine>,
        /// Variables that it needs beside the agent's own.
        added: BTreeMap<String, String>,
        /// The same as a person would type it.
        typed: String,
    },
    /// One of these variables in the agent's environment.
    Variables {
        /// Their names.
        names: Vec<String>,
        /// Those that the agent was given: their values are what it does not take.
        given: Vec<String>,
    },
    /// A kind that nothing is known of.
    Unknown(String),
}

impl fmt::Display for LoginWay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.name.as_str() {
            "" => self.id.as_str(),
            name => name,
        };
        match &self.how {
            LoginHow::Agent => write!(formatter, "{name} (method `{}`)", self.id),
            LoginHow::Command { typed, .. } => write!(formatter, "{name}: `{typed}`"),
            LoginHow::Variables { names, given } if given.is_empty() => {
                write!(formatter, "{name}: set {} for it", names.join(" or "))
            }
            LoginHow::Variables { given, .. } => {
                let given = given.join(" and ");
                write!(
                    formatter,
                    "{name}: {given} is set, but the agent rejects its value"
                )
            }
            LoginHow::Unknown(kind) => {
                write!(
                    formatter,
                    "{name}: by `{kind}`, which Siderail does not know"
                )
            }
        }
    }
}

/// How the agent was started, as far as logging in needs it.
pub struct Started<'a> {
    /// Its command line.
    pub command: &'a [String],
    /// Its environment, without what recipes add.
    pub env: &'a BTreeMap<String, String>,
    /// The project's folder.
    pub cwd: &'a Path,
}

/// What a method of the agent's asks for.
pub fn way(method: &AuthMethod, started: &Started<'_>) -> LoginWay {
    let how = match &method.kind {
        AuthKind::Agent => LoginHow::Agent,
        AuthKind::Command { command, args, env } => {
            let words: Vec<String> = [command].into_iter().chain(args).cloned().collect();
            in_terminal(&words, env, started)
        }
        AuthKind::Terminal { args, env } => {
            let words: Vec<String> = bare(started.command).iter().chain(args).cloned().collect();
            in_terminal(&words, env, started)
        }
        AuthKind::Environment { vars } => {
            let is_given = |name: &&String| started.env.get(*name).is_some_and(|v| !v.is_empty());
            LoginHow::Variables {
                names: vars.clone(),
                given: vars.iter().filter(is_given).cloned().collect(),
            }
        }
        AuthKind::Unknown { kind } => LoginHow::Unknown(kind.clone()),
    };
    LoginWay {
        id: method.id.clone(),
        name: method.name.clone(),
        description: method.description.clone(),
        how,
    }
}

fn in_terminal(
    words: &[String],
    variables: &BTreeMap<String, String>,
    started: &Started<'_>,
) -> LoginHow {
    let assigned = variables
        .iter()
        .map(|(name, value)| format!("{name}={}", shell_word(value)));
    let typed: Vec<String> = assigned
        .chain(words.iter().map(|word| shell_word(word)))
        .collect();
    let mut env = started.env.clone();
    env.extend(variables.clone());
    LoginHow::Command {
        line: Box::new(CommandLine {
            program: words.first().cloned().unwrap_or_default(),
            args: words.iter().skip(1).map(Into::into).collect(),
            env,
            cwd: started.cwd.to_owned(),
        }),
        added: variables.clone(),
        typed: typed.join(" "),
    }
}

/// The agent's program without the words that make it speak the protocol: `kimi acp` logs in as `kimi login`,
/// `node agent.js --acp` as `node agent.js login`.
fn bare(command: &[String]) -> &[String] {
    let speaks = |word: &String| {
        let word = word.trim_start_matches('-');
        word == "acp" || word == "experimental-acp" || word.starts_with("acp=")
    };
    let end = command
        .iter()
        .skip(1)
        .position(speaks)
        .map_or(command.len(), |at| at + 1);
    &command[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_login_runs_the_program_without_what_makes_it_speak_the_protocol() {
        for (command, expected) in [
            ("kimi acp", "kimi"),
            ("node agent.js --acp --skip-trust", "node agent.js"),
            (
                "npx -y --package=q@1 -- qwen --acp",
                "npx -y --package=q@1 -- qwen",
            ),
            ("gemini --experimental-acp", "gemini"),
            ("claude-agent-acp", "claude-agent-acp"),
            ("acp", "acp"),
        ] {
            assert_eq!(bare(&words(command)), words(expected), "{command}");
        }
    }

    #[test]
    fn a_command_is_told_as_it_would_be_typed() {
        let how = in_terminal(
            &["my agent".to_owned(), "login".to_owned()],
            &BTreeMap::from([("TOKEN_FILE".to_owned(), "a b".to_owned())]),
            &Started {
                command: &[],
                env: &BTreeMap::from([("HOME".to_owned(), "/h".to_owned())]),
                cwd: Path::new("/p"),
            },
        );
        let LoginHow::Command { line, typed, .. } = how else {
            unreachable!("it is a command");
        };
        assert_eq!(typed, "TOKEN_FILE='a b' 'my agent' login");
        assert_eq!(line.env.len(), 2, "the agent's own environment counts too");
    }
}
