//! `siderail guard explain`: what the guard thinks of a command line, for people or as a stream.
//!
//! The stream answers one line for each line it reads and survives every bad one; only the guard
//! judges.

use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use serde_json::{Map, Value, json};
use siderail_engine::guard::shell::{Dialect, ProtectedPlaces, ShellInput, analyse};
use siderail_engine::guard::{Tool, explain, found};

use siderail_engine::profile::Profiles;
use siderail_engine::tools::engine_tools;

use crate::args::{ExplainArgs, ShellName};
use crate::exit::{Exit, Failure};
use crate::lines::{self, RawLine};
use crate::setup::Setup;
use crate::starting::announce_problems;
use crate::terminal::print;
use siderail_workspace::tools::FileTools;

/// Bytes of a line of the stream.
const LINE_LIMIT: usize = 16 << 20;
/// Bytes of the read buffer: what fits is answered before the answers are flushed.
const BUFFER: usize = 64 << 10;

/// Runs the command. What configures an agent is protected as in a session of this user's.
pub(crate) fn run(args: ExplainArgs, setup: &Setup) -> Result<Exit, Failure> {
    let profiles = Profiles::load(&setup.agents_files(&[])?);
    announce_problems(profiles.problems());
    let places = profiles.protected_places();
    let result = match (&args.command, args.json) {
        (None, true) => {
            let input = BufReader::with_capacity(BUFFER, io::stdin().lock());
            stream(input, BufWriter::new(io::stdout().lock()), &places)
        }
        (None, false) => {
            return Err(Failure::usage(
                "no command line was given",
                "put it in quotes after `guard explain`, or stream JSON lines with --json",
            ));
        }
        (Some(_), _) => {
            let answer = one(&args, &setup.cwd, setup.home(), &places)?;
            return print(&answer);
        }
    };
    match result {
        Err(Broken::Input(error)) => Err(Failure::new(
            Exit::Failed,
            format!("standard input cannot be read: {error}"),
        )),
        Err(Broken::Output(error)) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::output(&error))
        }
        _ => Ok(Exit::Ended),
    }
}

/// The answer to the command line that was typed.
fn one(
    args: &ExplainArgs,
    cwd: &Path,
    home: Option<&str>,
    protected_places: &ProtectedPlaces,
) -> Result<String, Failure> {
    let command = args.command.clone().unwrap_or_default();
    let root = match &args.root {
        Some(root) => root.clone(),
        None => cwd.to_string_lossy().into_owned(),
    };
    let cwd = args.cwd.clone().unwrap_or_else(|| root.clone());
    for (flag, path) in [("--root", &root), ("--cwd", &cwd)] {
        if !is_absolute(path) {
            return Err(Failure::usage(
                format!("{flag} `{path}` is not an absolute path"),
                "start it with / or, on Windows, with a drive",
            ));
        }
    }
    let text = command.to_string_lossy();
    if args.json {
        let mut input = Map::new();
        input.insert("id".to_owned(), Value::Null);
        input.insert("command".to_owned(), json!(text));
        input.insert("shell".to_owned(), json!(args.shell.as_str()));
        input.insert("root".to_owned(), json!(root));
        input.insert("cwd".to_owned(), json!(cwd));
        input.insert("home".to_owned(), json!(home));
        let input = Value::Object(input).to_string();
        return Ok(explain::line(&input, protected_places) + "\n");
    }
    let analysis = analyse(&ShellInput {
        command: command.as_encoded_bytes(),
        dialect: args.shell.dialect(),
        root: &root,
        roots: &[],
        cwd: &cwd,
        home,
        tools: Some(&found::offered(&offered())),
        protected_places,
    });
    Ok(explain::for_people(&analysis, &text))
}

/// Tools that this command's own host offers: people hear of no other.
fn offered() -> Vec<Tool> {
    let host = FileTools::over_disk();
    host.chain(engine_tools()).collect()
}

/// Absolute in the way of either platform: the shell's, not this program's, is what counts.
fn is_absolute(path: &str) -> bool {
    let drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    path.starts_with(['/', '\\']) || drive
}

impl ShellName {
    fn as_str(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
            Self::Cmd => "cmd",
        }
    }

    fn dialect(self) -> Dialect {
        match self {
            Self::Bash => Dialect::Bash,
            Self::Fish => Dialect::Fish,
            Self::Powershell => Dialect::PowerShell,
            Self::Cmd => Dialect::Cmd,
        }
    }
}

/// Answers line by line. Answers are flushed whenever no further input is at hand, so that a peer
/// that waits for each answer gets it, and one that sends a file is not slowed down.
fn stream<R: io::Read>(
    mut input: BufReader<R>,
    mut output: impl Write,
    protected_places: &ProtectedPlaces,
) -> Result<(), Broken> {
    while let Some(line) = lines::next(&mut input, LINE_LIMIT).map_err(Broken::Input)? {
        let answer = match line {
            RawLine::Bytes(bytes) if bytes.trim_ascii().is_empty() => None,
            RawLine::Bytes(bytes) => Some(match std::str::from_utf8(&bytes) {
                Ok(text) => explain::line(text, protected_places),
                Err(error) => failure(&format!("not UTF-8: {error}")),
            }),
            RawLine::TooLong { bytes } => Some(failure(&format!(
                "the line is too long: {bytes} bytes, the limit is {LINE_LIMIT}"
            ))),
        };
        if let Some(answer) = answer {
            let written = output.write_all(answer.as_bytes());
            written
                .and_then(|()| output.write_all(b"\n"))
                .map_err(Broken::Output)?;
        }
        if !input.buffer().contains(&b'\n') {
            output.flush().map_err(Broken::Output)?;
        }
    }
    output.flush().map_err(Broken::Output)
}

/// Which side of a stream failed.
enum Broken {
    Input(io::Error),
    Output(io::Error),
}

fn failure(error: &str) -> String {
    json!({"id": null, "error": error}).to_string()
}
