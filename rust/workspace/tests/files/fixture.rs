//! A project in a temporary folder and the tools over it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::confine::Confinement;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure, ToolOutcome};
use siderail_workspace::questions::{NobodyToAsk, Questioner};
use siderail_workspace::tools::{FileTools, Tool};
use tempfile::TempDir;

pub(crate) struct Project {
    _folder: TempDir,
    /// Without links on the way: the system's temporary folder may be reached through one.
    root: PathBuf,
    pub(crate) tools: FileTools,
}

impl Project {
    /// An empty project.
    pub(crate) fn new() -> Self {
        Self::asking(Arc::new(NobodyToAsk))
    }

    pub(crate) fn asking(questioner: Arc<dyn Questioner>) -> Self {
        let folder = TempDir::with_prefix("siderail-project-").unwrap();
        let root = Confinement::new(folder.path()).unwrap().root().to_owned();
        Self {
            _folder: folder,
            root,
            tools: FileTools::new(questioner),
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
        String::from_utf8(self.bytes(path)).unwrap()
    }

    #[track_caller]
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap()
    }

    pub(crate) fn run(&self, tool: &str, arguments: &Value) -> Result<ToolOutcome, ToolFailure> {
        let tool = Tool::named(tool).expect("one of ours");
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

pub(crate) fn stamp_in(answer: &str) -> String {
    let rest = answer.split_once("stamp ").expect("a stamp").1;
    rest.chars().take_while(char::is_ascii_hexdigit).collect()
}

/// The arguments in the call that an answer's last line names.
pub(crate) fn next_call(answer: &str) -> Option<Value> {
    let line = answer.lines().last()?.strip_prefix("Next: ")?;
    serde_json::from_str(line.split_once(' ')?.1).ok()
}

#[cfg(unix)]
pub(crate) mod unix {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

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
}
