//! Folders of one run: a project, a home, a place for sockets and one for state; gone when dropped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siderail_engine::EngineConfig;
use siderail_engine::settings::Settings;
use tempfile::TempDir;

/// The project's one source file, as the recordings have it.
pub const APP: &str = "class App {\n    int x = 1;\n}\n";

/// The folders.
#[derive(Debug)]
pub struct Place {
    folder: TempDir,
}

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    /// A project with `src/App.java`, beside an empty home.
    ///
    /// # Panics
    /// The folders cannot be made.
    pub fn new() -> Self {
        let place = Self {
            folder: TempDir::new().expect("a temporary folder"),
        };
        for name in ["project/src", "home", "run", "state"] {
            std::fs::create_dir_all(place.path(name)).expect("a new folder");
        }
        std::fs::write(place.path("project/src/App.java"), APP).expect("a new file");
        place
    }

    /// A path below all of them: `home/.vibe`, `project/src/App.java` …
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The project as the engine names it, without links.
    ///
    /// # Panics
    /// Somebody removed it.
    pub fn project(&self) -> PathBuf {
        self.path("project")
            .canonicalize()
            .expect("the project is there")
    }

    /// Text of a file, empty when it is not there.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Writes a file, whose folders are made.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let folder = path.parent().expect("a path below the place");
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Writes a shell script that can be started.
    ///
    /// # Panics
    /// It cannot be written.
    pub fn write_program(&self, name: &str, script: &str) {
        self.write(name, &format!("#!/bin/sh\n{script}\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(self.path(name), mode).expect("a mode");
        }
    }

    /// The variables that programs start from here: nothing of the developer's but `PATH`.
    pub fn env(&self) -> BTreeMap<String, String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let home = self.path("home").display().to_string();
        let env = [
            ("PATH", path),
            ("HOME", home),
            ("LANG", "C.UTF-8".to_owned()),
        ];
        env.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// An engine's configuration in these folders; `siderail` is the program that is relay and guardian too.
    pub fn config(&self, siderail: &Path) -> EngineConfig {
        let program = siderail.display().to_string();
        let relay = vec![program, "relay".to_owned()];
        let parent = std::process::id().to_string();
        let guardian = ["guardian", "--parent", &parent, "--"].map(str::to_owned);
        EngineConfig {
            guardian: [relay.as_slice(), &guardian].concat(),
            relay,
            runtime_dir: self.path("run"),
            state_dir: self.path("state"),
            env: self.env(),
            agents_files: Vec::new(),
            settings: Settings::default(),
            project: Some(self.project()),
        }
    }
}

/// Every path below a folder, sorted; links are named and not followed.
pub fn paths_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort();
    found
}
