//! `run_tests` and `get_test_results`: the project's own test tool, its output and its reports.
//!
//! `plan` chooses the command, `junit`, `libtest`, `node`, `script`, `pytest`, `go` and `dotnet` read
//! what it leaves, `answer` says it. The programs themselves are run and watched by the engine's command runner.

mod answer;
mod dotnet;
mod go;
mod junit;
mod libtest;
mod node;
mod plan;
mod pytest;
mod results;
mod script;

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use siderail_engine::host::{ToolErrorCode, ToolFailure, ToolOutcome};
use siderail_engine::tools::CancelFlag;
use siderail_engine::tools::command::{
    CommandRunner, Ended, Ending, LogPage, MOST_WAIT, Program, ProgramCommand, Run,
};
use tokio::runtime::{Builder, Runtime};

use super::Progress;
use super::arguments::Arguments;
use super::failure::{failure, io_failure};
use super::place::Place;
use answer::Detail;
use plan::Plan;
use results::Results;

/// Test runs that take longer are ended.
const TIMEOUT: Duration = Duration::from_secs(3_600);
/// Bytes of a failure's text.
const MOST_FAILURE: usize = 1_900;
/// First part of the ids of test runs.
const PREFIX: &str = "test";

/// The test runs of a host. Dropping it ends them.
pub(super) struct TestRuns {
    runner: CommandRunner,
    /// Waits for programs; made at the first run, since most hosts never run a test.
    runtime: OnceLock<Runtime>,
    known: Mutex<HashMap<String, Arc<TestRun>>>,
}

/// A run and what came of it.
struct TestRun {
    run: Arc<Run>,
    plan: Plan,
    /// Read once, before a later run overwrites the reports.
    results: OnceLock<Results>,
}

impl TestRuns {
    pub(super) fn new(runner: CommandRunner) -> Self {
        Self {
            runner,
            runtime: OnceLock::new(),
            known: Mutex::default(),
        }
    }

    pub(super) fn start(
        &self,
        place: &Place,
        arguments: Arguments<'_>,
        cancel: &CancelFlag,
        progress: &Progress<'_>,
    ) -> Result<ToolOutcome, ToolFailure> {
        let plan = Plan::new(place, arguments)?;
        let wait = wait(arguments)?;
        progress(&format!("{} runs the tests", plan.tool.name()));
        let runtime = self.runtime()?;
        let run = {
            let _context = runtime.enter();
            self.runner.start(Program {
                prefix: PREFIX,
                command: ProgramCommand::Plain(plan.command.clone()),
                project: place.root().to_owned(),
                working_dir: plan.folder.clone(),
                env: plan.env(),
                timeout: TIMEOUT,
            })?
        };
        let test_run = Arc::new(TestRun {
            run,
            plan,
            results: OnceLock::new(),
        });
        self.known
            .lock()
            .insert(test_run.run.id().to_owned(), Arc::clone(&test_run));
        self.wait_for(place, &test_run, wait, Detail::First, cancel)
    }

    pub(super) fn results(
        &self,
        place: &Place,
        arguments: Arguments<'_>,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let run = match arguments.text("run_id")? {
            Some(id) => self.runner.find(place.root(), id)?,
            None => self
                .runner
                .latest(place.root(), PREFIX)
                .ok_or_else(|| no_run(""))?,
        };
        if let Some(page) = arguments.number("page", 1, usize::MAX)? {
            return log_page(&run, page as u64);
        }
        let known = self.known.lock().get(run.id()).cloned();
        let test_run = known.ok_or_else(|| no_run(run.id()))?;
        let detail = match arguments.flag("failed_only")? {
            true => Detail::FailuresOnly,
            false => Detail::First,
        };
        self.wait_for(place, &test_run, wait(arguments)?, detail, cancel)
    }

    fn wait_for(
        &self,
        place: &Place,
        test_run: &TestRun,
        wait: Duration,
        detail: Detail,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let run = &test_run.run;
        let ended = self.runtime()?.block_on(run.wait(wait, cancel))?;
        let text = match ended {
            None => answer::running(run),
            Some(ended) => {
                let results = test_run
                    .results
                    .get_or_init(|| test_run.plan.results(run, place));
                answer::ended(run, &test_run.plan, ended, results, detail)
            }
        };
        match ended {
            Some(Ended {
                ending: Ending::TimedOut,
                ..
            }) => {
                let end = text.floor_char_boundary(MOST_FAILURE);
                Err(failure(ToolErrorCode::Timeout, &text[..end]))
            }
            _ => Ok(ToolOutcome {
                text,
                ..ToolOutcome::default()
            }),
        }
    }

    fn runtime(&self) -> Result<&Runtime, ToolFailure> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let built = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("siderail-tests")
            .enable_all()
            .build()
            .map_err(|error| {
                failure(
                    ToolErrorCode::InternalError,
                    format!("no thread to wait for tests: {error}"),
                )
            })?;
        Ok(self.runtime.get_or_init(|| built))
    }
}

impl Drop for TestRuns {
    fn drop(&mut self) {
        self.runner.kill_all();
        if let Some(runtime) = self.runtime.take() {
            // A runtime may not be waited for on threads of another one.
            runtime.shutdown_background();
        }
    }
}

fn wait(arguments: Arguments<'_>) -> Result<Duration, ToolFailure> {
    let seconds = arguments.number("wait_s", 0, MOST_WAIT.as_secs() as usize)?;
    Ok(seconds.map_or(MOST_WAIT, |seconds| Duration::from_secs(seconds as u64)))
}

fn no_run(id: &str) -> ToolFailure {
    let which = match id {
        "" => "no tests were run yet".to_owned(),
        id => format!("`{id}` is no test run"),
    };
    failure(
        ToolErrorCode::InvalidParam,
        format!("{which}; run_tests starts a run"),
    )
}

fn log_page(run: &Run, page: u64) -> Result<ToolOutcome, ToolFailure> {
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
            "\nNext: get_test_results {}\n",
            serde_json::json!({"run_id": run.id(), "page": page + 1})
        ));
    }
    Ok(ToolOutcome {
        text,
        ..ToolOutcome::default()
    })
}

/// The whole log as text; a broken log costs the counts only.
fn log_text(run: &Run) -> String {
    fs::read(run.log())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}
