//! `run_command` through the command runner: real shells, real processes.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_acp::process::Exit;
use siderail_tools::CancelFlag;
use siderail_tools::command::{ClientTerminals, CommandRunner};
use siderail_workspace::outcome::{ToolErrorCode as Code, ToolFailure};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};

struct Bench {
    _project: TempDir,
    /// Without links on the way: the system's temporary folder may be reached through one.
    root: PathBuf,
    runtime: TempDir,
    runner: Arc<CommandRunner>,
}

impl Bench {
    fn new() -> Self {
        Self::with_env(std::env::vars().collect())
    }

    fn with_env(env: BTreeMap<String, String>) -> Self {
        let runtime = tempfile::tempdir().unwrap();
        let project = tempfile::tempdir().unwrap();
        Self {
            root: project.path().canonicalize().unwrap(),
            _project: project,
            runner: Arc::new(CommandRunner::new(runtime.path().join("runs"), None, env)),
            runtime,
        }
    }

    fn root(&self) -> &Path {
        &self.root
    }

    async fn run(&self, arguments: Value) -> Result<String, ToolFailure> {
        let outcome = self
            .runner
            .run(self.root(), &arguments, CancelFlag::new())
            .await?;
        Ok(outcome.text)
    }

    async fn ok(&self, arguments: Value) -> String {
        match self.run(arguments.clone()).await {
            Ok(text) => text,
            Err(failure) => panic!("{arguments} failed: {failure}"),
        }
    }

    async fn fails(&self, arguments: Value, code: Code) -> String {
        let failure = self.run(arguments).await.unwrap_err();
        assert_eq!(failure.code, code, "{failure}");
        failure.text
    }
}

/// The output behind the first line.
fn body(text: &str) -> &str {
    text.split_once('\n').unwrap().1
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn is_alive(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
        .is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn the_exit_code_comes_first_then_the_output() {
    let bench = Bench::new();
    let text = bench.ok(json!({"command": "echo one; echo two"})).await;
    assert!(text.starts_with("exit code 0 after 0."), "{text}");
    assert_eq!(body(&text), "one\ntwo\n");
    let text = bench.ok(json!({"command": "exit 7"})).await;
    assert!(text.starts_with("exit code 7 after "), "{text}");
    assert_eq!(body(&text), "(no output)\n");
    let text = bench.ok(json!({"command": "kill -TERM $$"})).await;
    assert!(text.starts_with("ended by signal 15 after "), "{text}");
}

#[tokio::test]
async fn both_outputs_keep_their_order() {
    let bench = Bench::new();
    let command = "for n in 1 2 3; do echo out $n; echo err $n >&2; done";
    let text = bench.ok(json!({"command": command})).await;
    assert_eq!(body(&text), "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
}

#[tokio::test]
async fn a_command_has_no_input_and_asks_and_pages_nothing() {
    let bench = Bench::new();
    let text = bench
        .ok(json!({"command": "cat; read x || echo end; echo $PAGER $GIT_TERMINAL_PROMPT"}))
        .await;
    assert_eq!(body(&text), "end\ncat 0\n");
}

#[tokio::test]
async fn the_environment_is_the_given_one_without_our_secrets() {
    let mut env = BTreeMap::new();
    for (name, value) in [
        ("PATH", std::env::var("PATH").unwrap().as_str()),
        ("GIVEN", "yes"),
        ("SIDERAIL_TOKEN", "secret"),
        ("SIDERAIL_SOCKET", "secret"),
    ] {
        env.insert(name.to_owned(), value.to_owned());
    }
    let text = Bench::with_env(env)
        .ok(json!({"command": "env | sort"}))
        .await;
    assert!(text.contains("GIVEN=yes\n"), "{text}");
    assert!(
        !text.contains("secret") && !text.contains("CARGO"),
        "{text}"
    );
}

#[tokio::test]
async fn bash_is_used_where_there_is_one_and_sh_otherwise() {
    let bench = Bench::new();
    let text = bench.ok(json!({"command": "a=(1 2); echo ${a[1]}"})).await;
    assert_eq!(body(&text), "2\n");
    let bin = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.path().join("sh")).unwrap();
    let path = bin.path().display().to_string();
    let bench = Bench::with_env(BTreeMap::from([("PATH".to_owned(), path)]));
    let text = bench.ok(json!({"command": "echo \"from $0\""})).await;
    assert!(body(&text).trim_end().ends_with("sh"), "{text}");
}

#[tokio::test]
async fn a_command_runs_in_a_folder_of_the_project_and_nowhere_else() {
    let bench = Bench::new();
    fs::create_dir(bench.root().join("sub")).unwrap();
    fs::write(bench.root().join("file"), "").unwrap();
    std::os::unix::fs::symlink("/", bench.root().join("out")).unwrap();
    let root = bench.root().canonicalize().unwrap();
    let text = bench.ok(json!({"command": "pwd"})).await;
    assert_eq!(body(&text).trim_end(), root.to_str().unwrap());
    let text = bench
        .ok(json!({"command": "pwd", "working_dir": "sub"}))
        .await;
    assert_eq!(body(&text).trim_end(), root.join("sub").to_str().unwrap());
    for outside in ["/", "..", "out/tmp"] {
        bench
            .fails(
                json!({"command": "pwd", "working_dir": outside}),
                Code::OutsideProject,
            )
            .await;
    }
    let in_file = json!({"command": "pwd", "working_dir": "file"});
    bench.fails(in_file, Code::InvalidParam).await;
}

#[tokio::test]
async fn a_wrong_folder_is_answered_with_the_one_that_was_meant() {
    let bench = Bench::new();
    fs::create_dir_all(bench.root().join("lib/sub")).unwrap();
    for (wrong, code, meant) in [
        ("subs", Code::FileNotFound, "nearest: lib/sub"),
        ("/lib", Code::OutsideProject, "did you mean lib?"),
        ("s\u{fffd}b", Code::InvalidParam, "nearest: lib/sub"),
    ] {
        let call = json!({"command": "pwd", "working_dir": wrong});
        let text = bench.fails(call, code).await;
        assert!(text.contains(meant), "{text}");
    }
}

#[tokio::test]
async fn a_long_command_becomes_a_run_that_later_calls_wait_for() {
    let bench = Bench::new();
    let command = "echo begun; while [ ! -e go ]; do sleep 0.02; done; echo done; exit 4";
    let text = bench.ok(json!({"command": command, "wait_s": 0})).await;
    assert!(text.starts_with("still running after "), "{text}");
    assert!(text.contains("run_id run-1\n"), "{text}");
    assert!(
        text.ends_with("Next: run_command {\"run_id\":\"run-1\"}\n"),
        "{text}"
    );
    fs::write(bench.root().join("go"), "").unwrap();
    let text = bench.ok(json!({"run_id": "run-1"})).await;
    assert!(text.starts_with("exit code 4"), "{text}");
    assert_eq!(body(&text), "begun\ndone\n");
    let unknown = bench
        .fails(json!({"run_id": "run-7"}), Code::InvalidParam)
        .await;
    assert!(unknown.contains("known: run-1"), "{unknown}");
}

#[tokio::test]
async fn a_run_belongs_to_its_project() {
    let bench = Bench::new();
    bench.ok(json!({"command": "echo secret"})).await;
    let other = tempfile::tempdir().unwrap();
    let root = other.path().canonicalize().unwrap();
    let result = bench
        .runner
        .run(&root, &json!({"run_id": "run-1"}), CancelFlag::new())
        .await;
    assert_eq!(result.unwrap_err().code, Code::InvalidParam);
}

#[tokio::test]
async fn long_output_is_shown_by_its_ends_and_read_in_pages_that_join() {
    let bench = Bench::new();
    let command = "i=0; while [ $i -lt 4000 ]; do echo \"line $i äöü\"; i=$((i+1)); done";
    let text = bench.ok(json!({"command": command})).await;
    assert!(text.len() < 11_000, "{}", text.len());
    assert!(text.contains("\nline 0 äöü\n") && text.contains("\nline 3999 äöü\n"));
    assert!(text.contains("bytes left out]"), "{text}");
    let mut all = String::new();
    let mut page = 1;
    loop {
        let text = bench.ok(json!({"run_id": "run-1", "page": page})).await;
        let shown = body(&text);
        match shown.rsplit_once("Next: ") {
            Some((shown, next)) => {
                // A page that ends inside a line gets a line end of its own.
                all.push_str(shown.strip_suffix('\n').unwrap());
                assert!(next.contains(&format!("\"page\":{}", page + 1)));
                page += 1;
            }
            None => {
                all.push_str(shown);
                break;
            }
        }
    }
    let wanted: String = (0..4000).map(|n| format!("line {n} äöü\n")).collect();
    assert_eq!(all.replace('\n', ""), wanted.replace('\n', ""));
}

#[tokio::test]
async fn terminal_codes_and_overwritten_lines_are_not_shown() {
    let bench = Bench::new();
    let command = r"printf '\033[31mred\033[0m\r\n10%%\r20%%\r100%%\n\033]0;title\007end\n'";
    let text = bench.ok(json!({"command": command})).await;
    assert_eq!(body(&text), "red\n100%\nend\n");
}

#[tokio::test]
async fn output_without_end_stops_at_the_limit_and_the_command_does_not() {
    let bench = Bench::new();
    let command = "head -c 70000000 /dev/zero | tr '\\0' x; echo; echo the end >&2; exit 0";
    let text = bench.ok(json!({"command": command})).await;
    assert!(text.starts_with("exit code 0"), "{}", &text[..100]);
    assert!(
        text.contains("more bytes of output were not saved"),
        "{}",
        &text[..200]
    );
    let log = bench.runtime.path().join("runs/run-1.log");
    let metadata = fs::metadata(log).unwrap();
    assert_eq!(metadata.len(), 64 * 1024 * 1024);
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    let runs = fs::metadata(bench.runtime.path().join("runs")).unwrap();
    assert_eq!(runs.permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let bench = Bench::new();
    let command = "echo begun; sleep 1000 & echo $! > pid; wait";
    let text = bench
        .fails(json!({"command": command, "timeout_s": 1}), Code::Timeout)
        .await;
    assert!(text.contains("begun"), "{text}");
    let pid = fs::read_to_string(bench.root().join("pid")).unwrap();
    until("the child is gone", || !is_alive(&pid)).await;
}

#[tokio::test]
async fn a_cancelled_call_ends_the_command_even_if_it_ignores_the_signal() {
    let bench = Bench::new();
    let cancel = CancelFlag::new();
    let arguments =
        json!({"command": "trap '' TERM INT; echo $$ > pid; while :; do sleep 0.1; done"});
    let call = bench.runner.run(bench.root(), &arguments, cancel.clone());
    let file = bench.root().join("pid");
    let (result, ()) = tokio::join!(call, async {
        until("the command runs", || {
            fs::read_to_string(&file).is_ok_and(|pid| !pid.is_empty())
        })
        .await;
        cancel.cancel();
    });
    assert_eq!(result.unwrap_err().code, Code::Cancelled);
    assert!(!is_alive(&fs::read_to_string(file).unwrap()));
}

#[tokio::test]
async fn what_a_command_leaves_in_the_background_ends_with_it_and_delays_nothing() {
    let bench = Bench::new();
    let started = Instant::now();
    let text = bench.ok(json!({"command": "sleep 1000 & echo $!"})).await;
    assert!(started.elapsed() < Duration::from_secs(20));
    let pid = body(&text).trim().to_owned();
    until("the child is gone", || !is_alive(&pid)).await;
}

#[tokio::test]
async fn a_dropped_runner_leaves_nothing_running() {
    let bench = Bench::new();
    bench
        .ok(json!({"command": "echo $$ > pid; sleep 1000", "wait_s": 0}))
        .await;
    let file = bench.root().join("pid");
    until("the command runs", || {
        fs::read_to_string(&file).is_ok_and(|pid| !pid.is_empty())
    })
    .await;
    let pid = fs::read_to_string(file).unwrap();
    drop(bench.runner);
    until("the command is gone", || !is_alive(&pid)).await;
}

#[tokio::test]
async fn only_so_many_commands_run_at_once_and_old_output_is_forgotten() {
    let bench = Bench::new();
    for _ in 0..16 {
        bench
            .ok(json!({"command": "sleep 1000", "wait_s": 0}))
            .await;
    }
    let text = bench
        .fails(json!({"command": "echo"}), Code::NotApplicable)
        .await;
    assert!(text.contains("16 commands run already"), "{text}");
    bench.runner.kill_all();
    for n in 1..=16 {
        bench
            .fails(json!({"run_id": format!("run-{n}")}), Code::Cancelled)
            .await;
    }
    for _ in 0..40 {
        bench.ok(json!({"command": "true"})).await;
    }
    bench
        .fails(json!({"run_id": "run-1"}), Code::InvalidParam)
        .await;
    assert!(!bench.runtime.path().join("runs/run-1.log").exists());
}

/// A client that refuses every terminal, once a test lets it.
struct Refusing {
    asked: mpsc::UnboundedSender<oneshot::Sender<Result<Value, String>>>,
}

impl ClientTerminals for Refusing {
    fn ask(&self, _: &str, _: Value) -> oneshot::Receiver<Result<Value, String>> {
        let (answer, answered) = oneshot::channel();
        self.asked.send(answer).unwrap();
        answered
    }

    fn shown(&self, _: &str, _: &str) {}

    fn ended(&self, _: &str, _: Option<Exit>) {}
}

#[tokio::test]
async fn a_command_that_is_being_started_while_all_are_ended_does_not_run() {
    let mut bench = Bench::new();
    let (asked, mut asks) = mpsc::unbounded_channel();
    let env = std::env::vars().collect();
    let runner = CommandRunner::new(bench.runtime.path().join("runs"), None, env);
    bench.runner = Arc::new(runner.with_terminals(Some(Arc::new(Refusing { asked }))));
    let run = bench.run(json!({"command": "touch ran"}));
    let meanwhile = async {
        let answer = asks.recv().await.unwrap();
        bench.runner.kill_all();
        answer.send(Err("no terminal".to_owned())).unwrap();
    };
    let (ended, ()) = tokio::join!(run, meanwhile);
    assert_eq!(ended.unwrap_err().code, Code::Cancelled);
    assert!(!bench.root().join("ran").exists());
    let after = async {
        let answer = asks.recv().await.unwrap();
        answer.send(Err("no terminal".to_owned())).unwrap();
    };
    let (text, ()) = tokio::join!(bench.ok(json!({"command": "touch ran"})), after);
    assert!(text.starts_with("exit code 0"), "{text}");
}

/// The engine's loop ends them, and must not wait for the disk on which a program is looked for.
#[tokio::test(flavor = "multi_thread")]
async fn ending_all_waits_for_no_start() {
    let mut env: BTreeMap<String, String> = std::env::vars().collect();
    // A disk that takes its time: before the folder with the shell there is one without, a long way off, again and again.
    let far = tempfile::tempdir().unwrap();
    let (way, link) = ("./".repeat(400), far.path().join("l"));
    std::os::unix::fs::symlink(way, &link).unwrap();
    let path = format!("{}:", link.display());
    // Linux takes no longer variable than 128 KiB.
    let path = path.repeat((64 << 10) / path.len()) + &env["PATH"];
    env.insert("PATH".to_owned(), path);
    let bench = Bench::with_env(env);
    let (runner, root) = (Arc::clone(&bench.runner), bench.root().to_owned());
    let start = tokio::spawn(async move {
        let arguments = json!({"command": "true"});
        runner.run(&*root, &arguments, CancelFlag::new()).await
    });
    let mut n_ended = 0;
    while !start.is_finished() {
        bench.runner.kill_all();
        n_ended += 1;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(n_ended > 3, "{n_ended}");
    let failure = start.await.unwrap().unwrap_err();
    assert_eq!(failure.code, Code::Cancelled);
    bench.ok(json!({"command": "true"})).await;
}

/// The threads of the runtime carry the messages of all sessions. Opening a pipe waits for its other end.
#[tokio::test]
async fn a_log_on_a_disk_that_hangs_holds_up_its_call_alone() {
    let bench = Bench::new();
    bench.ok(json!({"command": "echo one"})).await;
    let log = bench.runtime.path().join("runs/run-1.log");
    fs::remove_file(&log).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&log).status();
    assert!(made.unwrap().success());
    let mut page = Box::pin(bench.run(json!({"run_id": "run-1", "page": 1})));
    let disk = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        fs::OpenOptions::new().write(true).open(log).unwrap();
    });
    let moment = Duration::from_millis(200);
    assert!(tokio::time::timeout(moment, &mut page).await.is_err());
    assert_eq!(page.await.unwrap_err().code, Code::IoError);
    disk.join().unwrap();
}

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused() {
    let bench = Bench::new();
    bench.fails(json!({}), Code::MissingParam).await;
    bench
        .fails(json!({"command": "  "}), Code::MissingParam)
        .await;
    bench
        .fails(
            json!({"command": "true", "run_id": "run-1"}),
            Code::InvalidParam,
        )
        .await;
    bench
        .fails(
            json!({"command": "true", "wait_s": "soon"}),
            Code::InvalidParam,
        )
        .await;
    bench
        .fails(
            json!({"command": "true", "timeout_s": 1.5}),
            Code::InvalidParam,
        )
        .await;
    for (arguments, told) in [
        (
            json!({"command": "true", "timeout_s": -5}),
            "`timeout_s` must be 1 to 3600, not -5",
        ),
        (
            json!({"command": "true", "timeout_s": 7200}),
            "`timeout_s` must be 1 to 3600, not 7200",
        ),
        (
            json!({"command": "true", "wait_s": -1}),
            "`wait_s` must be 0 or more, not -1",
        ),
        (
            json!({"run_id": "run-1", "page": 0}),
            "`page` must be 1 or more, not 0",
        ),
    ] {
        let text = bench.fails(arguments, Code::InvalidParam).await;
        assert_eq!(text, told);
    }
    let text = bench.ok(json!({"command": "true", "wait_s": 1e300})).await;
    assert!(text.starts_with("exit code 0"), "{text}");
    fs::remove_dir(bench.root()).unwrap();
    bench
        .fails(json!({"command": "true"}), Code::ProjectDisposed)
        .await;
}
