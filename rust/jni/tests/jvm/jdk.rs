//! JDKs of this machine: `JAVA_HOME`, then the usual folders, then what `PATH` leads to.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest that is supported; class files are made for it.
pub(crate) const OLDEST: u32 = 17;

const FOLDERS: [&str; 4] = [
    "/usr/lib/jvm",
    "/usr/java",
    "/Library/Java/JavaVirtualMachines",
    "C:/Program Files/Java",
];

/// A JDK.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Jdk {
    pub(crate) version: u32,
    pub(crate) home: PathBuf,
}

impl Jdk {
    pub(crate) fn program(&self, name: &str) -> Command {
        Command::new(self.home.join("bin").join(name))
    }

    fn at(home: &Path) -> Option<Self> {
        let nested = home.join("Contents/Home");
        let home = if nested.is_dir() { &nested } else { home };
        let home = home.canonicalize().ok()?;
        let release = std::fs::read_to_string(home.join("release")).ok()?;
        let line = release
            .lines()
            .find(|line| line.starts_with("JAVA_VERSION="))?;
        let version = line.split(['"', '.']).nth(1)?.parse().ok()?;
        let javac = home
            .join("bin")
            .join(format!("javac{}", std::env::consts::EXE_SUFFIX));
        (javac.is_file() && version >= OLDEST).then_some(Self { version, home })
    }
}

/// The oldest supported JDK and the newest one that is there, which may be the same.
///
/// # Panics
/// There is none.
pub(crate) fn jdks() -> Vec<Jdk> {
    let mut found: Vec<Jdk> = candidates()
        .iter()
        .filter_map(|home| Jdk::at(home))
        .collect();
    found.sort();
    let (Some(first), Some(last)) = (found.first(), found.last()) else {
        panic!(
            "there is no JDK of version {OLDEST} or later: install one (such as openjdk-17-jdk-headless, or \
             from adoptium.net) and set JAVA_HOME to its folder"
        );
    };
    let mut chosen = vec![first.clone()];
    chosen.extend((last.version != first.version).then(|| last.clone()));
    chosen
}

fn candidates() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = std::env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .collect();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        homes.extend(entries.map(|entry| entry.path()));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        let javac = folder.join(format!("javac{}", std::env::consts::EXE_SUFFIX));
        let real = javac.canonicalize().ok();
        homes.extend(real.and_then(|javac| Some(javac.parent()?.parent()?.to_owned())));
    }
    homes
}
