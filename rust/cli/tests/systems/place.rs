//! A home, a state folder and a project of one run, with the variables that each system has for them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Kept from the developer's own environment: without them no program starts.
const NEEDED: [&str; 4] = ["PATH", "SystemRoot", "ComSpec", "PATHEXT"];

/// The command, as this system names it: cargo's name for it is of the system that it was built on.
pub(crate) fn siderail() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let name = Path::new(env!("CARGO_BIN_EXE_siderail")).file_name();
    folder.join(name.unwrap())
}

/// Whole runs of several processes each, one after the other: hooks give up after two seconds.
static ALONE: Mutex<()> = Mutex::new(());

/// The folders of one run; gone when dropped.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Place {
    /// With `src/App.java` in the project.
    pub(crate) fn new() -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "run", "temporary", "project/src"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let place = Self {
            folder,
            _alone: alone,
        };
        let app = "class App {\n    int x = 1;\n}\n";
        std::fs::write(place.path("project/src/App.java"), app).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `program` with these words, in the project.
    pub(crate) fn command(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.path("project"));
        command.env_clear();
        for name in NEEDED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        for (name, folder) in [
            ("HOME", "home"),
            ("USERPROFILE", "home"),
            ("APPDATA", "home"),
            ("LOCALAPPDATA", "home"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMPDIR", "temporary"),
            ("TEMP", "temporary"),
            ("TMP", "temporary"),
        ] {
            command.env(name, self.path(folder));
        }
        // Two agents want one before they say anything; the scripted ones look at no more than that.
        command.env("GEMINI_API_KEY", "none");
        command.env("OPENAI_API_KEY", "none");
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Words of a run of the scripted agent in `program`; `words` go to the agent.
pub(crate) fn run_of(program: &Path, agent: &str, words: &[&str]) -> Vec<String> {
    let quoted = |word: &str| format!("'{word}'");
    let program = program.display().to_string();
    let mut line = vec![quoted(&program), "scripted-agent".to_owned()];
    line.extend(words.iter().map(|word| quoted(word)));
    let line = line.join(" ");
    let run = [
        "run",
        "--agent",
        agent,
        "--agent-command",
        &line,
        "--hide",
        "off",
        "--answer",
        "allow",
        "--json",
    ];
    run.map(str::to_owned).to_vec()
}
