//! One run of the git program: its environment, its output, its limits.
//!
//! git gets no input, opens no editor and no pager, asks nobody for a password, and speaks English, so
//! that its words can be told apart. Variables that point it at another repository are left out. No program
//! that a repository names is run unasked: hooks, watchers, transports and signatures are switched off, and for
//! filters, which cannot be, a person is asked before (`filters`).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use siderail_acp::process::{CommandLine, Exit, Guardian, SpawnError};

use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

use crate::program::{Helper, Unfinished};

/// Output that is kept. More is a mistake in the question.
const MOST_OUTPUT: usize = 16 * 1024 * 1024;
/// Reading takes at most so long: agents give up on a call after a minute.
const READING: Duration = Duration::from_secs(40);
/// Changing may run hooks, and those the project's tests.
const CHANGING: Duration = Duration::from_secs(600);

/// Ahead of a path that git is to take literally.
pub(super) const LITERAL: &str = ":(literal)";

/// Options of every reading command.
const FOR_READING: [&str; 8] = [
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.quotePath=false",
    "-c",
    "color.ui=false",
    "-c",
    "log.showSignature=false",
];

/// What a configuration could name to be run, and what replaces it where nobody is asked. git hands
/// these on to its runs in submodules.
const NOTHING_NAMED: [&str; 15] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
    "gpg.ssh.program=false",
    "gpg.ssh.defaultKeyCommand=",
    "format.pretty=medium",
    "protocol.allow=never",
    "gc.auto=0",
];

/// The same by variables: nothing is fetched that is missing here. The list of protocols holds over what a
/// configuration says of each.
const NOTHING_FETCHED: [(&str, &str); 2] =
    [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")];

/// Variables of git that describe the person or the machine; all others describe somebody else's call.
const KEPT: [&str; 14] = [
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_VALUE_",
    "GIT_SSH",
    "GIT_SSL_",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_",
];

/// What a command does to the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Nothing: no lock is taken, no hook runs.
    Read,
    /// It changes the index alone, and nobody was asked: no hook runs.
    Index,
    /// It changes something, and a person was asked; hooks of the repository run as in a terminal.
    Change,
}

/// What a run of git has left.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) exit: Exit,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Starts git.
pub(super) struct Program {
    guardian: Option<Guardian>,
    env: BTreeMap<String, String>,
}

impl Program {
    pub(super) fn new(guardian: Option<Guardian>, env: BTreeMap<String, String>) -> Self {
        Self {
            guardian,
            env: quiet(env),
        }
    }

    /// Runs git in a folder until it ends, the time is up, or nobody wants the answer any more.
    pub(super) async fn run(
        &self,
        folder: &Path,
        purpose: Purpose,
        args: &[OsString],
        cancel: &CancelFlag,
    ) -> Result<Output, ToolFailure> {
        let (further, guardian, limit): (&[&str], _, _) = match purpose {
            Purpose::Read => (&FOR_READING, None, READING),
            Purpose::Index => (&[], self.guardian.as_ref(), CHANGING),
            // Hooks inherit options of the command line; they get none.
            Purpose::Change => (&[], self.guardian.as_ref(), CHANGING),
        };
        let mut first = vec!["--no-pager"];
        let mut env = self.env.clone();
        if purpose != Purpose::Change {
            first.extend(NOTHING_NAMED.iter().flat_map(|setting| ["-c", setting]));
            env.extend(NOTHING_FETCHED.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        first.extend(further);
        let line = CommandLine {
            program: "git".to_owned(),
            args: first
                .iter()
                .map(OsString::from)
                .chain(args.iter().cloned())
                .collect(),
            env,
            cwd: folder.to_owned(),
        };
        let helper = Helper {
            line,
            guardian,
            input: None,
            most_output: MOST_OUTPUT,
            ends_full: false,
            limit,
        };
        let finished = helper.run(cancel).await.map_err(|why| match why {
            Unfinished::NotStarted(error) => not_started(&error),
            Unfinished::TooLong => overdue(limit),
            Unfinished::Cancelled => ToolFailure::new(
                ToolErrorCode::Cancelled,
                "the call was cancelled and git was ended",
            ),
        })?;
        Ok(Output {
            exit: finished.exit,
            stdout: finished.stdout,
            stderr: finished.stderr,
        })
    }
}

impl Output {
    /// What git has put out, as text.
    pub(super) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.stdout);
        if self.stdout.len() < MOST_OUTPUT {
            return text.into_owned();
        }
        format!("{text}\n[git printed more than this; ask for less]\n")
    }

    /// All that git has put out; none where something is missing at its end.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        (self.stdout.len() < MOST_OUTPUT).then_some(&self.stdout)
    }

    /// The bytes as they came: names of files need be no text.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.stdout
    }

    /// The first line.
    pub(super) fn line(&self) -> String {
        self.text().lines().next().unwrap_or_default().to_owned()
    }

    /// What git has said about an error, without colours, and with paths as the call has named them.
    pub(super) fn complaint(&self) -> String {
        let said = crate::command::plain(&String::from_utf8_lossy(&self.stderr));
        said.replace(LITERAL, "")
    }

    /// Both outputs, as a person sees them in a terminal.
    pub(super) fn all(&self) -> String {
        let text = crate::command::plain(&self.text());
        let (text, complaint) = (text.trim(), self.complaint());
        match (text.is_empty(), complaint.trim().is_empty()) {
            (_, true) => text.to_owned(),
            (true, false) => complaint.trim().to_owned(),
            (false, false) => format!("{text}\n{}", complaint.trim()),
        }
    }
}

fn quiet(mut env: BTreeMap<String, String>) -> BTreeMap<String, String> {
    env.retain(|name, _| {
        let is_gits = name.starts_with("GIT_");
        let is_ours = name.starts_with("SIDERAIL_");
        let asks = name == "SSH_ASKPASS" || name == "LANGUAGE";
        (!is_gits || KEPT.iter().any(|kept| name.starts_with(kept))) && !is_ours && !asks
    });
    // The language of messages only: names and texts keep their charset.
    if let Some(all) = env.remove("LC_ALL") {
        env.insert("LC_CTYPE".to_owned(), all);
    }
    for (name, value) in [
        ("LC_MESSAGES", "C"),
        ("GIT_PAGER", "cat"),
        ("PAGER", "cat"),
        ("GIT_EDITOR", ":"),
        ("GIT_SEQUENCE_EDITOR", ":"),
        ("GIT_MERGE_AUTOEDIT", "no"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("SSH_ASKPASS_REQUIRE", "never"),
        ("TERM", "dumb"),
    ] {
        env.insert(name.to_owned(), value.to_owned());
    }
    env
}

fn not_started(error: &SpawnError) -> ToolFailure {
    if let SpawnError::Failed { source, .. } = error {
        match source.kind() {
            ErrorKind::ArgumentListTooLong => {
                return ToolFailure::invalid(
                    "the call is too long for a command line; name fewer paths (a folder stands for what is \
                     in it), or shorten the text",
                );
            }
            ErrorKind::InvalidInput => {
                return ToolFailure::invalid("no argument may hold a NUL character");
            }
            _ => {}
        }
    }
    ToolFailure::new(
        ToolErrorCode::GitCommandFailed,
        format!(
            "git cannot be started: {error}; ask the user to install git or put it on the PATH"
        ),
    )
}

fn overdue(limit: Duration) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::Timeout,
        format!(
            "git took more than {} s and was ended; ask for less (a path, a range)",
            limit.as_secs()
        ),
    )
}
