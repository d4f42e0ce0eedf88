//! Starts the client of a run.

use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};

use super::task::Start;
use crate::client;
use crate::place::Place;
use crate::processes::MARK;

/// Starts a client that nobody looks for.
pub(super) fn start(
    place: &Place,
    program: &Path,
    shape: &str,
    start: &Start,
    output: &str,
) -> Result<Child, String> {
    spawn(place, program, shape, start, "", output)
}

pub(super) fn spawn(
    place: &Place,
    program: &Path,
    shape: &str,
    start: &Start,
    mark: &str,
    output: &str,
) -> Result<Child, String> {
    let agent = client::agent_command(program, shape, &place.path(start.script));
    let mut words = vec![
        start.command,
        "--agent",
        shape,
        "--agent-command",
        &agent,
        "--agent-env",
        "GEMINI_API_KEY=none",
        "--consent",
        "openhands",
        "--policy",
        "ask",
        "--answer",
        "allow",
        "--json",
    ];
    words.extend(start.words.iter().map(String::as_str));
    let wrong = |error: std::io::Error| error.to_string();
    let output = File::create(place.path(output)).map_err(wrong)?;
    let mut input = tempfile::tempfile().map_err(wrong)?;
    input.write_all(start.input.as_bytes()).map_err(wrong)?;
    input.rewind().map_err(wrong)?;
    let mut command = client::siderail(program, place, &words);
    command
        .env(MARK, mark)
        .stdin(input)
        .stdout(output)
        .stderr(Stdio::null());
    command
        .spawn()
        .map_err(|error| format!("not started: {error}"))
}
