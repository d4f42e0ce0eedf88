//! A project in a temporary folder and the tools over it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use siderail_cli::host::{FsSetup, FsTools, NobodyToAsk, Questioner};
use siderail_engine::host::{ToolErrorCode, ToolFailure, ToolOutcome};
use siderail_engine::tools::CancelFlag;
use siderail_engine::tools::command::CommandRunner;
use tempfile::TempDir;

pub(crate) struct Project {
    folder: TempDir,
    /// Where output of programs goes.
    pub(crate) runtime: TempDir,
    pub(crate) tools: FsTools,
}

impl Project {
    /// An empty project.
    pub(crate) fn new() -> Self {
        Self::asking(Arc::new(NobodyToAsk))
    }

    pub(crate) fn asking(questioner: Arc<dyn Questioner>) -> Self {
        let runtime = TempDir::with_prefix("siderail-runtime-").unwrap();
        Self {
            folder: TempDir::with_prefix("siderail-project-").unwrap(),
            tools: FsTools::new(setup_in(runtime.path(), questioner)),
            runtime,
        }
    }

    /// A project with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let project = Self::new();
        for (path, text) in files {
            project.put(path, text);
        }
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    #[track_caller]
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    #[track_caller]
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    pub(crate) fn run(&self, tool: &str, arguments: &Value) -> Result<ToolOutcome, ToolFailure> {
        self.tools
            .run(self.root(), tool, arguments, &CancelFlag::new(), &|_| {})
    }

    /// The text of a call that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> String {
        match self.run(tool, &arguments) {
            Ok(outcome) => outcome.text,
            Err(failure) => panic!("{tool} {arguments} failed: {failure}"),
        }
    }

    /// The text of a call that must fail with that code.
    #[track_caller]
    pub(crate) fn fails(&self, tool: &str, arguments: Value, code: ToolErrorCode) -> String {
        match self.run(tool, &arguments) {
            Ok(outcome) => panic!("{tool} {arguments} did not fail: {}", outcome.text),
            Err(failure) => {
                assert_eq!(failure.code, code, "{failure}");
                failure.text
            }
        }
    }

    /// The stamp that a read answers.
    pub(crate) fn stamp(&self, path: &str) -> String {
        stamp_in(&self.ok("intellij_read_file", serde_json::json!({"path": path})))
    }

    /// Puts a program on the PATH of the project's programs.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let bin = self.runtime.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        executable(&bin.join(name), script);
    }

    /// Puts an executable script into the project.
    pub(crate) fn script(&self, path: &str, script: &str) {
        self.put(path, "");
        executable(&self.path(path), script);
    }

    /// Names of all entries of a folder.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// For hosts that run no programs.
pub(crate) fn setup(questioner: Arc<dyn Questioner>) -> FsSetup {
    setup_in(Path::new("/nonexistent/siderail"), questioner)
}

/// Programs are looked for in `bin` of the runtime folder first.
fn setup_in(runtime: &Path, questioner: Arc<dyn Questioner>) -> FsSetup {
    let mut env: BTreeMap<String, String> = std::env::vars().collect();
    let path = env.get("PATH").cloned().unwrap_or_default();
    let bin = runtime.join("bin");
    env.insert("PATH".to_owned(), format!("{}:{path}", bin.display()));
    FsSetup {
        questioner,
        runner: CommandRunner::new(runtime.join("runs"), None, env),
    }
}

fn executable(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn stamp_in(answer: &str) -> String {
    let rest = answer.split_once("stamp ").expect("a stamp").1;
    rest.chars().take_while(char::is_ascii_hexdigit).collect()
}

/// The arguments in the call that an answer's last line names.
pub(crate) fn next_call(answer: &str) -> Option<Value> {
    let line = answer.lines().last()?.strip_prefix("Next: ")?;
    serde_json::from_str(line.split_once(' ')?.1).ok()
}

/// Runs one test of this binary again behind `sh -c SCRIPT`, where `"$@"` is the test.
pub(crate) fn rerun_behind(script: &str, test: &str) {
    let output = Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("SIDERAIL_TEST_RERUN", test)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

pub(crate) fn is_rerun(test: &str) -> bool {
    std::env::var("SIDERAIL_TEST_RERUN").is_ok_and(|rerun| rerun == test)
}

/// Whether access rights bind this process: they do not bind root.
pub(crate) fn rights_bind() -> bool {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::set_permissions(file.path(), fs::Permissions::from_mode(0o000)).unwrap();
    fs::read(file.path()).is_err()
}
