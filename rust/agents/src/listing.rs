//! What is known of the agents without starting one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siderail_acp::process::{CommandLine, resolve};

use crate::error_message::ErrorMessages;
use crate::packages::PackageRun;
use crate::profile::{Profile, Profiles};

/// A profile as people are shown it.
#[derive(Clone, Debug, Default)]
pub struct ProfileInfo {
    /// Name on the command line.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The file of another program that it was found in.
    pub origin: Option<PathBuf>,
    /// The program that is started.
    pub program: String,
    /// Versions that the profile was tried on.
    pub tested: Vec<String>,
    /// Where the program is, if it is there.
    pub found: Option<PathBuf>,
    /// Built-in tools that are hidden.
    pub hide: Vec<String>,
    /// How guidance reaches the model in the turn of a denial.
    pub channel: String,
    /// Its own mode for making a plan; without one the guard alone keeps the files as they are meanwhile.
    pub plan: Option<String>,
    /// How to install it.
    pub install: String,
    /// By which it can be run although it is not installed, once a person has agreed.
    pub package: Option<PackageRun>,
    /// Errors that it reports as messages.
    pub error_messages: ErrorMessages,
    /// Why it cannot be started.
    pub problem: Option<String>,
}

/// The known profiles, and what is wrong with others.
#[derive(Clone, Debug)]
pub struct KnownProfiles {
    /// By name. One that cannot be used says why, and nothing else.
    pub profiles: Vec<ProfileInfo>,
    /// What of the user's own files cannot be used, a text each with file, line and column.
    pub problems: Vec<String>,
    /// What of the agents that were added in other programs cannot be used, a text each.
    pub import_problems: Vec<String>,
}

/// All known profiles. Programs are looked for as they would be found with this environment from this folder.
pub fn listed(profiles: &Profiles, env: &BTreeMap<String, String>, cwd: &Path) -> KnownProfiles {
    let known: Vec<_> = profiles.iter().collect();
    let usable = known.iter().map(|profile| info(profile, &known, env, cwd));
    let unusable = profiles.unusable().iter().map(|(name, why)| ProfileInfo {
        name: name.clone(),
        title: name.clone(),
        problem: Some(why.clone()),
        ..ProfileInfo::default()
    });
    let mut all: Vec<ProfileInfo> = usable.chain(unusable).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    KnownProfiles {
        profiles: all,
        problems: profiles.problems().to_vec(),
        import_problems: profiles.import_problems().to_vec(),
    }
}

fn info(
    profile: &Profile,
    all: &[Cow<'_, Profile>],
    env: &BTreeMap<String, String>,
    cwd: &Path,
) -> ProfileInfo {
    let line = CommandLine {
        program: profile.program.clone(),
        args: Vec::new(),
        env: env.clone(),
        cwd: cwd.to_owned(),
    };
    let (found, problem) = match resolve(&line) {
        Err(error) => (None, Some(error.to_string())),
        Ok(path) => match other_agent(profile, all, &path) {
            Some(other) => {
                let program = path.display();
                (None, Some(format!("{program} is {other}'s")))
            }
            None => (Some(path), None),
        },
    };
    let channel = if profile.hook.is_some() {
        "hook"
    } else if profile.api.is_some() {
        "api"
    } else if profile.refusal.is_some() {
        "refusal"
    } else if profile.guard.reject_ends_turn {
        "continuation"
    } else {
        "notice"
    };
    ProfileInfo {
        name: profile.name.clone(),
        title: profile.title.clone(),
        origin: profile.origin.clone(),
        program: profile.program.clone(),
        tested: profile.tested.clone(),
        found,
        hide: profile.hide.tools.clone(),
        channel: channel.to_owned(),
        plan: profile.plan.as_ref().map(|plan| plan.mode.clone()),
        install: profile.install.clone(),
        package: profile.package_run(),
        error_messages: profile.error_messages.clone(),
        problem,
    }
}

/// The agent whose npm package a program was installed by, where another profile has a program of the same name.
fn other_agent<'a>(
    profile: &Profile,
    all: &'a [Cow<'_, Profile>],
    program: &Path,
) -> Option<&'a str> {
    let real = program.canonicalize().ok()?;
    let names: Vec<&str> = real.iter().filter_map(|name| name.to_str()).collect();
    let at = names.iter().rposition(|name| *name == "node_modules")?;
    let package = match names.get(at + 1..)? {
        [scope, name, ..] if scope.starts_with('@') => format!("{scope}/{name}"),
        [name, ..] => (*name).to_owned(),
        [] => return None,
    };
    let mut others = all
        .iter()
        .filter(|other| other.name != profile.name && other.program == profile.program);
    let other = others.find(|other| other.package.as_ref().is_some_and(|of| of.name == package))?;
    Some(&other.name)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_the_same_name_from_another_package_is_not_this_agent() {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("bin");
        let package = folder
            .path()
            .join("node_modules/@agentclientprotocol/codex-acp");
        std::fs::create_dir_all(&package).expect("made");
        std::fs::create_dir_all(&bin).expect("made");
        let program = package.join("codex-acp");
        std::fs::write(&program, "#!/bin/sh\n").expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("set");
        std::os::unix::fs::symlink(&program, bin.join("codex-acp")).expect("linked");
        let env = BTreeMap::from([("PATH".to_owned(), bin.display().to_string())]);
        let none: [&Path; 0] = [];
        let known = listed(&Profiles::load(&none), &env, folder.path());
        let of = |name: &str| {
            let found = known.profiles.iter().find(|one| one.name == name);
            found.expect(name).clone()
        };
        assert!(of("codex").found.is_some());
        let other = of("codex-zed");
        assert_eq!(other.found, None);
        let problem = other.problem.expect("it says why");
        assert!(problem.ends_with("is codex's"), "{problem}");
    }
}
