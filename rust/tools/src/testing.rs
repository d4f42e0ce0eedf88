//! The tools for tests: which there are, running them, their results, what they cover.
//!
//! All of it works by the project's own test tools and by files, so that it needs no IDE. `list` reads
//! sources, `plan` chooses the command, `junit`, `libtest`, `node`, `script`, `pytest`, `go` and `dotnet`
//! read what it leaves, `answer` says it, `coverage` reads reports. The programs themselves are run and
//! watched by the command runner.

mod answer;
mod coverage;
mod dotnet;
mod files;
mod go;
mod junit;
mod libtest;
mod list;
mod node;
mod pattern;
mod plan;
mod pytest;
mod results;
mod script;
mod walk;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::command::{
    CommandRunner, Ended, Ending, LogPage, MOST_WAIT, Program, ProgramCommand, Run,
};
use super::disk::on_disk;
use super::git::Git;
use answer::Detail;
use files::{io_failure, on_files};
use plan::Plan;
use results::Results;
use siderail_guard::Tool::{self, GetTestResults, RunTests};
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};

/// Test runs that take longer are ended.
const TIMEOUT: Duration = Duration::from_secs(3_600);
/// Bytes of a failure's text.
const MOST_FAILURE: usize = 1_900;
/// First part of the ids of test runs.
const PREFIX: &str = "test";

/// Performs the tools for tests, and remembers the runs.
pub(super) struct Testing {
    runner: Arc<CommandRunner>,
    known: Mutex<HashMap<String, Arc<TestRun>>>,
}

/// A run and the outcome of it.
struct TestRun {
    run: Arc<Run>,
    plan: Plan,
    /// Read once, before a later run overwrites the reports.
    results: OnceLock<Results>,
}

impl Testing {
    pub(super) fn new(runner: Arc<CommandRunner>) -> Self {
        Self {
            runner,
            known: Mutex::default(),
        }
    }

    /// Performs a call. Needs a running tokio runtime. Cancelling ends the tests.
    pub(super) async fn run(
        &self,
        project: &Path,
        tool: Tool,
        arguments: &Value,
        git: &Git,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        match tool {
            Tool::ListTests => list::list_tests(project, arguments, git, cancel)
                .await
                .map(told),
            Tool::GetCoverage => {
                let cancel = cancel.clone();
                on_files(project, arguments, move |place, arguments| {
                    coverage::coverage(place, arguments, &cancel)
                })
                .await
                .map(told)
            }
            Tool::RunTests => self.start(project, arguments, cancel).await,
            Tool::GetTestResults => self.results(project, arguments, cancel).await,
            _ => Err(ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!("{tool} is not a test tool"),
            )),
        }
    }

    async fn start(
        &self,
        project: &Path,
        arguments: &Value,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let wait = Arguments::new(arguments).wait("wait_s", MOST_WAIT)?;
        let (root, plan) = on_files(project, arguments, |place, arguments| {
            Ok((place.root().to_owned(), Plan::new(place, arguments)?))
        })
        .await?;
        let program = Program {
            prefix: PREFIX,
            command: ProgramCommand::Plain(plan.command.clone()),
            project: root,
            working_dir: plan.folder.clone(),
            env: plan.env(),
            timeout: TIMEOUT,
        };
        let run = self.runner.start(program, cancel).await?;
        let test_run = Arc::new(TestRun {
            run,
            plan,
            results: OnceLock::new(),
        });
        self.known
            .lock()
            .insert(test_run.run.id().to_owned(), Arc::clone(&test_run));
        wait_for(project, test_run, wait, Detail::First, cancel).await
    }

    async fn results(
        &self,
        project: &Path,
        arguments: &Value,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let root = on_files(project, &Value::Null, |place, _| {
            Ok(place.root().to_owned())
        })
        .await?;
        let arguments = Arguments::new(arguments);
        let run = match arguments.word("run_id")? {
            Some(id) => self.runner.find(&root, id)?,
            None => self
                .runner
                .latest(&root, PREFIX)
                .ok_or_else(|| no_run(""))?,
        };
        if let Some(page) = arguments.number("page", 1, u64::MAX)? {
            return on_disk(move || log_page(&run, page).map(told)).await;
        }
        let known = self.known.lock().get(run.id()).cloned();
        let test_run = known.ok_or_else(|| no_run(run.id()))?;
        let detail = match arguments.flag("failed_only")? {
            true => Detail::FailuresOnly,
            false => Detail::First,
        };
        let wait = arguments.wait("wait_s", MOST_WAIT)?;
        wait_for(project, test_run, wait, detail, cancel).await
    }
}

async fn wait_for(
    project: &Path,
    test_run: Arc<TestRun>,
    wait: Duration,
    detail: Detail,
    cancel: &CancelFlag,
) -> Result<ToolOutcome, ToolFailure> {
    let Some(ended) = test_run.run.wait(wait, cancel).await? else {
        return on_disk(move || Ok(told(answer::running(&test_run.run)))).await;
    };
    let text = on_files(project, &Value::Null, move |place, _| {
        let TestRun { run, plan, results } = &*test_run;
        let results = results.get_or_init(|| plan.results(run, place));
        Ok(answer::ended(run, plan, ended, results, detail))
    })
    .await?;
    match ended {
        Ended {
            ending: Ending::TimedOut,
            ..
        } => {
            let end = text.floor_char_boundary(MOST_FAILURE);
            Err(ToolFailure::new(ToolErrorCode::Timeout, &text[..end]))
        }
        ended => Ok(ToolOutcome {
            exit_code: answer::exit_code(ended),
            ..told(text)
        }),
    }
}

fn told(text: String) -> ToolOutcome {
    ToolOutcome {
        text,
        ..ToolOutcome::default()
    }
}

fn no_run(id: &str) -> ToolFailure {
    let which = match id {
        "" => "no tests were run yet".to_owned(),
        id => format!("`{id}` is not a test run"),
    };
    ToolFailure::new(
        ToolErrorCode::InvalidParam,
        format!("{which}; {RunTests} starts a run"),
    )
}

fn log_page(run: &Run, page: u64) -> Result<String, ToolFailure> {
    let shown = LogPage::read(run.log(), page)
        .map_err(|error| io_failure("read the log", run.log().display(), &error))?;
    let mut text = format!(
        "{} log page {page} of {}\n{}",
        run.id(),
        shown.n_pages,
        shown.text
    );
    if page < shown.n_pages {
        text.push_str(&format!(
            "\nNext: {GetTestResults} {}\n",
            json!({"run_id": run.id(), "page": page + 1})
        ));
    }
    Ok(text)
}
