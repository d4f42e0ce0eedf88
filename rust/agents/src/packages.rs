//! Agents that are not installed, run from a package registry in the version that was tested.
//!
//! A package is a program of other people's that is downloaded and run, so a person agrees to each command line once,
//! and to another version anew. What was agreed to is kept here (state folder, 0600); a file that is not trusted allows
//! nothing. Nothing is downloaded here.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::quoting::shell_word;
use siderail_state::private;

/// Version of the file's shape.
const VERSION: u32 = 1;

/// What a person agreed to, by agent: the command line, word by word.
#[derive(Clone, Debug)]
pub struct Agreements {
    folder: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    agreed: BTreeMap<String, Vec<String>>,
}

/// A package of a registry, in the version that was tested.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// What runs it.
    pub runner: Runner,
    /// Its name in the registry.
    pub name: String,
    /// The version, exactly.
    pub version: String,
    /// The least major version of Node that it wants (npx); an older one fails in the middle of the start.
    #[serde(default)]
    pub node: Option<u32>,
    /// The version of Python that it wants (uvx).
    #[serde(default)]
    pub python: Option<String>,
    /// What has to come with it (uvx).
    #[serde(default)]
    pub with: Vec<String>,
}

/// What runs a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// npm's.
    Npx,
    /// uv's.
    Uvx,
}

/// A command line that runs an agent out of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRun {
    /// The runner with all words, up to the agent's own arguments included.
    pub command: Vec<String>,
    /// The same for a program that does and says nothing: it downloads the package and ends.
    pub fetch: Vec<String>,
    /// The least major version of Node that it wants.
    pub node: Option<u32>,
}

impl PackageRun {
    /// The command line as a person would type it.
    pub fn typed(&self) -> String {
        let words = self.command.iter().map(|word| shell_word(word));
        words.collect::<Vec<_>>().join(" ")
    }

    /// How a program is run out of its package.
    pub fn new(package: &Package, program: &str, args: &[String]) -> Self {
        let runner = runner(package);
        let with = |words: &[&str]| -> Vec<String> {
            let words = words.iter().map(|word| (*word).to_owned());
            runner.iter().cloned().chain(words).collect()
        };
        let mut command = with(&[program]);
        command.extend(args.iter().cloned());
        let fetch = match package.runner {
            Runner::Npx => with(&["node", "-e", "0"]),
            Runner::Uvx => with(&["python", "-c", "pass"]),
        };
        let node = package.node;
        Self {
            command,
            fetch,
            node,
        }
    }
}

/// The runner with what it has to provide, up to the program's name.
fn runner(package: &Package) -> Vec<String> {
    let Package { name, version, .. } = package;
    match package.runner {
        Runner::Npx => {
            let package = format!("--package={name}@{version}");
            vec!["npx".to_owned(), "-y".to_owned(), package, "--".to_owned()]
        }
        Runner::Uvx => {
            let mut words = vec!["uvx".to_owned()];
            if let Some(python) = &package.python {
                words.extend(["--python".to_owned(), python.clone()]);
            }
            for with in &package.with {
                words.extend(["--with".to_owned(), with.clone()]);
            }
            words.extend(["--from".to_owned(), format!("{name}=={version}")]);
            words
        }
    }
}

impl Agreements {
    /// Those in this state folder.
    pub fn new(state_folder: &Path) -> Self {
        Self {
            folder: state_folder.join("packages"),
        }
    }

    /// Whether exactly this was agreed to.
    pub fn holds(&self, agent: &str, run: &PackageRun) -> bool {
        match self.load() {
            Ok(stored) => stored.agreed.get(agent) == Some(&run.command),
            Err(why) => {
                tracing::warn!(%why, "the saved consent is not trusted");
                false
            }
        }
    }

    /// Notes that a person agreed; an earlier version is forgotten.
    ///
    /// # Errors
    /// It cannot be written down.
    pub fn agree(&self, agent: &str, run: &PackageRun) -> io::Result<()> {
        self.change(|agreed| {
            agreed.insert(agent.to_owned(), run.command.clone());
        })
    }

    /// Revokes it; true when there was something.
    ///
    /// # Errors
    /// It cannot be written down; then it still counts.
    pub fn withdraw(&self, agent: &str) -> io::Result<bool> {
        if !self.file().exists() {
            return Ok(false);
        }
        let mut withdrawn = false;
        self.change(|agreed| withdrawn = agreed.remove(agent).is_some())?;
        Ok(withdrawn)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("agreed.json")
    }

    fn load(&self) -> io::Result<Stored> {
        let Some(text) = private::read_file(&self.file())? else {
            return Ok(Stored::default());
        };
        private::check_folder(&self.folder)?;
        let stored: Stored = serde_json::from_str(&text)?;
        match stored.version {
            VERSION => Ok(stored),
            other => Err(io::Error::other(format!("it is of version {other}"))),
        }
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Vec<String>>)) -> io::Result<()> {
        private::make_folder(&self.folder)?;
        let _lock = private::lock(&self.folder.join("lock"))?;
        // What cannot be trusted is asked about anew.
        let mut stored = self.load().unwrap_or_default();
        stored.version = VERSION;
        change(&mut stored.agreed);
        let text = serde_json::to_string_pretty(&stored)?;
        let new = self.folder.join("agreed.new");
        // What a killed process left could have other rights.
        let _ = std::fs::remove_file(&new);
        private::write_file(&new, &text)?;
        std::fs::rename(&new, self.file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiles;

    fn run_of(agent: &str) -> PackageRun {
        let profiles = Profiles::load(&[] as &[&Path]);
        let profile = profiles.get(agent, false).expect("a built-in profile");
        profile.package_run().expect("it has a package")
    }

    #[test]
    fn every_agent_is_run_in_the_version_that_was_tested() {
        let profiles = Profiles::load(&[] as &[&Path]);
        for profile in profiles.iter() {
            let package = profile
                .package
                .as_ref()
                .expect("every built-in profile has one");
            let tested = format!("{} {}", package.name, package.version);
            let is_tested = profile.tested.iter().any(|text| text.starts_with(&tested));
            assert!(is_tested, "{}: {tested}", profile.name);
        }
        assert_eq!(
            run_of("copilot").typed(),
            "npx -y --package=@github/copilot@1.0.102 -- copilot --acp --stdio"
        );
        assert_eq!(
            run_of("fast-agent").typed(),
            "uvx --python 3.13 --from fast-agent-acp==0.10.48 fast-agent acp"
        );
    }

    #[test]
    fn another_version_is_agreed_to_anew_and_what_was_agreed_can_be_taken_back() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let agreements = Agreements::new(folder.path());
        let run = run_of("claude");
        assert!(!agreements.holds("claude", &run));
        agreements.agree("claude", &run).expect("written");
        assert!(agreements.holds("claude", &run) && !agreements.holds("codex", &run));
        let mut other = run.clone();
        other.command[2] += "1";
        assert!(!agreements.holds("claude", &other));
        assert!(agreements.withdraw("claude").expect("written"));
        assert!(!agreements.holds("claude", &run));
        assert!(!agreements.withdraw("claude").expect("nothing to write"));
    }

    #[cfg(unix)]
    #[test]
    fn what_others_could_have_written_allows_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let agreements = Agreements::new(folder.path());
        let run = run_of("claude");
        agreements.agree("claude", &run).expect("written");
        let open = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(agreements.file(), open).expect("changed");
        assert!(!agreements.holds("claude", &run));
    }
}
