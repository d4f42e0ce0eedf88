//! The arguments of `run_command` and its answers: the exit code first, then the output.

use std::fs;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use super::log::{self, LogPage, PAGE};
use super::run::{Ending, Run};
use siderail_guard::Tool::RunCommand;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

/// Longest wait of a call: two agents end a silent call after 60 seconds.
pub const MOST_WAIT: Duration = Duration::from_secs(45);
const MOST_TIMEOUT: u64 = 3_600;
const TIMEOUT: u64 = 600;

/// Bytes of output in an answer that does not show all of it: its beginning and its end.
const HEAD: u64 = 2_000;
const TAIL: u64 = 7_500;
/// Bytes of output in a failure.
const FAILURE_TAIL: u64 = 1_500;

/// What a call wants.
pub(super) struct Wanted {
    pub(super) of: Of,
    pub(super) working_dir: Option<String>,
    pub(super) timeout: Duration,
    pub(super) wait: Duration,
    pub(super) page: Option<u64>,
}

/// A new command or a run.
pub(super) enum Of {
    Command(String),
    Run(String),
}

impl Wanted {
    pub(super) fn new(arguments: &Value) -> Result<Self, ToolFailure> {
        let text = |name: &str| {
            let value = arguments.get(name).and_then(Value::as_str);
            value
                .filter(|text| !text.trim().is_empty())
                .map(str::to_owned)
        };
        let of = match (text("command"), text("run_id")) {
            (Some(command), None) => Of::Command(command),
            (None, Some(run)) => Of::Run(run),
            (Some(_), Some(_)) => {
                return Err(ToolFailure::new(
                    ToolErrorCode::InvalidParam,
                    "give either `command` or `run_id`".to_owned(),
                ));
            }
            (None, None) => {
                return Err(ToolFailure::new(
                    ToolErrorCode::MissingParam,
                    "`command` is needed, or the `run_id` of one that was started".to_owned(),
                ));
            }
        };
        let numbers = Arguments::new(arguments);
        let page = numbers.number("page", 1, u64::MAX)?;
        let seconds = numbers.number("timeout_s", 1, MOST_TIMEOUT)?;
        Ok(Self {
            working_dir: text("working_dir"),
            timeout: Duration::from_secs(seconds.unwrap_or(TIMEOUT)),
            wait: numbers.wait("wait_s", MOST_WAIT)?,
            page: page.filter(|_| matches!(of, Of::Run(_))),
            of,
        })
    }
}

/// The answer about a run in its present state.
pub(super) fn whole(run: &Run) -> Result<ToolOutcome, ToolFailure> {
    let read = |error: io::Error| unreadable(run, &error);
    let Some(ended) = run.ended() else {
        let output = tail(run, TAIL).map_err(read)?;
        return outcome(format!(
            "still running after {:.1} s, run_id {}\n{output}Next: {RunCommand} {}\n",
            run.elapsed().as_secs_f64(),
            run.id(),
            json!({"run_id": run.id()})
        ));
    };
    let seconds = ended.took.as_secs_f64();
    let exit_code = exit_code(&ended.ending);
    let how = match ended.ending {
        Ending::TimedOut => {
            return Err(ToolFailure::new(
                ToolErrorCode::Timeout,
                format!(
                    "the command took more than {seconds:.0} s and was ended; its output is in {} \
                     and by {RunCommand} {}; it ends with:\n{}",
                    run.log().display(),
                    json!({"run_id": run.id(), "page": 1}),
                    tail(run, FAILURE_TAIL).map_err(read)?
                ),
            ));
        }
        Ending::Killed => {
            return Err(ToolFailure::new(
                ToolErrorCode::Cancelled,
                "the command was stopped because it was cancelled".to_owned(),
            ));
        }
        Ending::Lost => {
            return Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!(
                    "the person's client does not say any more what becomes of the command in its terminal, and was \
                     asked to end it; how far it came is not known; its output so far is in {} and by {RunCommand} {}; \
                     it ends with:\n{}",
                    run.log().display(),
                    json!({"run_id": run.id(), "page": 1}),
                    tail(run, FAILURE_TAIL).map_err(read)?
                ),
            ));
        }
        Ending::Exited(exit) => match (exit.code, exit.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "exit code unknown".to_owned(),
        },
    };
    let mut text = format!("{how} after {seconds:.1} s\n");
    if ended.dropped > 0 {
        text.push_str(&format!(
            "{} more bytes of output were not saved\n",
            ended.dropped
        ));
    }
    text.push_str(&output(run).map_err(read)?);
    Ok(ToolOutcome {
        exit_code,
        ..outcome(text)?
    })
}

/// The status of a program that came to its end; as shells have it where a signal ended it.
fn exit_code(ending: &Ending) -> Option<i32> {
    match ending {
        Ending::Exited(exit) => exit.code.or(exit.signal.map(|signal| 128 + signal)),
        Ending::TimedOut | Ending::Killed | Ending::Lost => None,
    }
}

/// One page of a run's output.
pub(super) fn page(run: &Run, page: u64) -> Result<ToolOutcome, ToolFailure> {
    let shown = LogPage::read(run.log(), page).map_err(|error| unreadable(run, &error))?;
    let n_pages = shown.n_pages;
    let state = match run.ended() {
        Some(_) => "ended",
        None => "still running",
    };
    let mut text = format!(
        "{} page {page} of {n_pages}, {state}\n{}",
        run.id(),
        shown.text
    );
    end_line(&mut text);
    if page < n_pages {
        text.push_str(&format!(
            "Next: {RunCommand} {}\n",
            json!({"run_id": run.id(), "page": page + 1})
        ));
    }
    outcome(text)
}

/// All output where that is one page, else its beginning and end.
fn output(run: &Run) -> io::Result<String> {
    let size = fs::metadata(run.log())?.len();
    if size == 0 {
        return Ok("(no output)\n".to_owned());
    }
    if size <= PAGE {
        let mut text = log::part(run.log(), 0, PAGE)?;
        end_line(&mut text);
        return Ok(text);
    }
    let mut text = log::part(run.log(), 0, HEAD)?;
    end_line(&mut text);
    let mut tail = log::part(run.log(), size - TAIL, TAIL)?;
    end_line(&mut tail);
    Ok(format!(
        "{text}[{} bytes left out]\n{tail}All {} pages: {RunCommand} {} (full output in {})\n",
        size - HEAD - TAIL,
        size.div_ceil(PAGE),
        json!({"run_id": run.id(), "page": 1}),
        run.log().display()
    ))
}

fn tail(run: &Run, length: u64) -> io::Result<String> {
    let size = fs::metadata(run.log())?.len();
    let start = size.saturating_sub(length);
    let mut text = log::part(run.log(), start, length)?;
    end_line(&mut text);
    Ok(if start > 0 {
        format!("[{start} bytes before]\n{text}")
    } else {
        text
    })
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn outcome(text: String) -> Result<ToolOutcome, ToolFailure> {
    Ok(ToolOutcome {
        text,
        ..ToolOutcome::default()
    })
}

fn unreadable(run: &Run, error: &io::Error) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::IoError,
        format!(
            "the output in {} cannot be read: {error}",
            run.log().display()
        ),
    )
}
