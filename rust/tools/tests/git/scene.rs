//! A project in a repository, and calls of the tools over it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use siderail_guard::Tool;
use siderail_tools::CancelFlag;
use siderail_tools::git::Git;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use tempfile::TempDir;

pub(crate) struct Scene {
    folder: TempDir,
    env: BTreeMap<String, String>,
}

impl Scene {
    /// A folder that is no repository.
    pub(crate) fn bare() -> Self {
        let folder = TempDir::with_prefix("siderail-git-").unwrap();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        fs::create_dir_all(folder.path().join("project")).unwrap();
        let home = folder.path().join("home");
        let mut env: BTreeMap<String, String> = BTreeMap::new();
        env.insert("PATH".to_owned(), std::env::var("PATH").unwrap());
        env.insert("HOME".to_owned(), home.display().to_string());
        env.insert("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned());
        let config = "[user]\n\tname = Ada Ämter\n\temail = ada@example.org\n\
                      [init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n";
        fs::write(home.join(".gitconfig"), config).unwrap();
        Self { folder, env }
    }

    /// A repository without a commit.
    pub(crate) fn empty() -> Self {
        let scene = Self::bare();
        scene.git(&["init", "-q"]);
        scene
    }

    /// A repository with one commit that holds `a.txt` with three lines.
    pub(crate) fn new() -> Self {
        let scene = Self::empty();
        scene.put("a.txt", "one\ntwo\nthree\n");
        scene.commit_all("First");
        scene
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.project().join(path)
    }

    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub(crate) fn set_env(&mut self, name: &str, value: &str) {
        self.env.insert(name.to_owned(), value.to_owned());
    }

    /// A hook of the repository.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        let path = self.path(".git/hooks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// git itself, to set a scene and to look at what a tool has done.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.project(), args)
    }

    #[track_caller]
    pub(crate) fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let output = self.try_git(folder, args);
        assert!(
            output.status.success(),
            "git {args:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn try_git(&self, folder: &Path, args: &[&str]) -> std::process::Output {
        Command::new("git")
            .args(args)
            .current_dir(folder)
            .env_clear()
            .envs(&self.env)
            .output()
            .unwrap()
    }

    pub(crate) fn commit_all(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: Value,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        self.call_in(&self.project(), tool, arguments, cancel).await
    }

    pub(crate) async fn call_in(
        &self,
        project: &Path,
        tool: &str,
        arguments: Value,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let git = Git::new(None, self.env.clone());
        let tool = Tool::named(tool).expect("one of ours");
        git.run(project, tool, &arguments, cancel).await
    }

    /// What a question about a call says is lost.
    pub(crate) async fn to_lose(&self, tool: Tool, arguments: Value) -> Option<String> {
        self.to_lose_below("", tool, arguments).await
    }

    /// Why a call fails without a question.
    pub(crate) async fn not_there(&self, tool: Tool, arguments: Value) -> Option<String> {
        let git = Git::new(None, self.env.clone());
        let failure = git.not_there(&self.project(), tool, &arguments).await;
        failure.map(|failure| failure.text)
    }

    /// What a question says is lost, where the project is a folder of the repository.
    pub(crate) async fn to_lose_below(
        &self,
        folder: &str,
        tool: Tool,
        arguments: Value,
    ) -> Option<String> {
        let git = Git::new(None, self.env.clone());
        git.to_lose(&self.project().join(folder), tool, &arguments)
            .await
    }

    /// The text of a call that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> impl Future<Output = String> {
        let at = std::panic::Location::caller();
        async move {
            let told = arguments.to_string();
            match self.call(tool, arguments, &CancelFlag::new()).await {
                Ok(outcome) => outcome.text,
                Err(failure) => panic!("{at}: {tool} {told} failed: {failure}"),
            }
        }
    }

    /// The text of a call that must fail with that code.
    #[track_caller]
    pub(crate) fn fails(
        &self,
        tool: &str,
        arguments: Value,
        code: ToolErrorCode,
    ) -> impl Future<Output = String> {
        let at = std::panic::Location::caller();
        async move {
            let told = arguments.to_string();
            match self.call(tool, arguments, &CancelFlag::new()).await {
                Ok(outcome) => panic!("{at}: {tool} {told} did not fail: {}", outcome.text),
                Err(failure) => {
                    assert_eq!(failure.code, code, "{at}: {failure}");
                    failure.text
                }
            }
        }
    }
}
