//! A project in a temporary folder and the engine's tools over it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use siderail_guard::Tool;
use siderail_tools::command::CommandRunner;
use siderail_tools::{CancelFlag, EngineTools};
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

pub(crate) struct Project {
    _folder: TempDir,
    /// Without links on the way: the system's temporary folder may be reached through one.
    root: PathBuf,
    /// Where output of programs goes.
    pub(crate) runtime: TempDir,
    tools: EngineTools,
    threads: Runtime,
}

impl Project {
    /// An empty project, whose programs are looked for in `bin` of the runtime folder first.
    pub(crate) fn new() -> Self {
        let runtime = TempDir::with_prefix("siderail-runtime-").unwrap();
        let mut env: BTreeMap<String, String> = std::env::vars().collect();
        let path = env.get("PATH").cloned().unwrap_or_default();
        let bin = runtime.path().join("bin");
        env.insert("PATH".to_owned(), format!("{}:{path}", bin.display()));
        let runner = CommandRunner::new(runtime.path().join("runs"), None, env.clone());
        let folder = TempDir::with_prefix("siderail-project-").unwrap();
        Self {
            root: folder.path().canonicalize().unwrap(),
            _folder: folder,
            tools: EngineTools::new(Arc::new(runner), None, env),
            threads: Builder::new_multi_thread().enable_all().build().unwrap(),
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
        &self.root
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
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn run(
        &self,
        tool: &str,
        arguments: &Value,
        cancel: &CancelFlag,
    ) -> Result<String, ToolFailure> {
        let tool = Tool::named(tool).expect("one of ours");
        let call = self.tools.run(self.root(), tool, arguments, cancel.clone());
        self.threads.block_on(call).map(|outcome| outcome.text)
    }

    /// The text of a call that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> String {
        match self.run(tool, &arguments, &CancelFlag::new()) {
            Ok(text) => text,
            Err(failure) => panic!("{tool} {arguments} failed: {failure}"),
        }
    }

    /// The text of a call that must fail with that code.
    #[track_caller]
    pub(crate) fn fails(&self, tool: &str, arguments: Value, code: ToolErrorCode) -> String {
        match self.run(tool, &arguments, &CancelFlag::new()) {
            Ok(text) => panic!("{tool} {arguments} did not fail: {text}"),
            Err(failure) => {
                assert_eq!(failure.code, code, "{failure}");
                failure.text
            }
        }
    }

    /// Puts a program on the PATH of the project's programs.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let bin = self.runtime.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        executable(&bin.join(name), script);
    }

    /// Puts an executable script into the project.
    pub(crate) fn script(&self, path: &str, script: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        executable(&self.path(path), script);
    }

    /// Names of all entries of a folder.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }
}

/// Another process writes it: what a test beside this one starts at that moment would inherit the open file, and a file
/// that somebody may write to cannot be run.
fn executable(path: &Path, script: &str) {
    let draft = path.with_extension("draft");
    fs::write(&draft, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&draft, fs::Permissions::from_mode(0o755)).unwrap();
    let copied = Command::new("cp").arg("-p").arg(&draft).arg(path).status();
    assert!(copied.unwrap().success());
    fs::remove_file(&draft).unwrap();
}

/// The arguments in the call that an answer's last line names.
pub(crate) fn next_call(answer: &str) -> Option<Value> {
    let line = answer.lines().last()?.strip_prefix("Next: ")?;
    serde_json::from_str(line.split_once(' ')?.1).ok()
}
