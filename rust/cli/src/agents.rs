//! `siderail agents`: the known agents as a table, or as JSON for programs; and undoing what was
//! changed for one of them with the user's consent.

use std::io;

use serde_json::{Value, json};
use siderail_engine::ProfileInfo;
use siderail_engine::consent::Journal;
use siderail_engine::packages::Agreements;
use siderail_engine::settings::{Layer, Settings};

use siderail_os::System;

use crate::args::{AgentsArgs, AgentsCommand};
use crate::exit::{Exit, Failure};
use crate::login;
use crate::packages;
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::starting::{self, announce_import, profile_named};
use crate::style::{Style, Tone, one_line};
use crate::terminal::{print, print_rows};

/// Between the folders of PATH.
const PATH_SEPARATOR: char = System::HERE.list_separator();
/// Blanks ahead of a continued row of the table.
const HANG: usize = 12;
/// Characters of a text in the table.
const LINE: usize = 200;
/// What to do about an entry of the consent journal that cannot be read.
pub(crate) const DAMAGED_JOURNAL: &str = "the earlier text of the agent's file is unknown: check that file \
     yourself, then remove the journal's";

/// Runs the command.
pub(crate) fn run(args: &AgentsArgs, setup: &Setup) -> Result<Exit, Failure> {
    match &args.command {
        Some(AgentsCommand::Untrust(untrusted)) => return untrust(&untrusted.agent, setup),
        Some(AgentsCommand::Fetch(args)) => return packages::fetch(args, setup),
        Some(AgentsCommand::Login(args)) => return login::run(args, setup),
        None => {}
    }
    let files = setup.agents_files(&args.agents_file)?;
    let resolved = setup.settings(None, Layer::default());
    announce(&resolved);
    let settings = resolved.settings;
    let config = setup.engine(&setup.cwd, files, &settings)?;
    let known = starting::profiles(&config);
    announce_import(&known);
    let profiles = known.profiles;
    if args.json {
        return print(&format!(
            "{}\n",
            Value::from_iter(profiles.iter().map(as_json))
        ));
    }
    let path = setup.var("PATH").unwrap_or_default();
    print_rows(&table(&profiles, path, setup.manners.out), HANG)
}

/// Names of all profiles that need not be typed.
fn names(setup: &Setup) -> Result<Vec<String>, Failure> {
    let files = setup.agents_files(&[])?;
    let config = setup.engine(&setup.cwd, files, &Settings::default())?;
    let profiles = starting::profiles(&config).profiles;
    Ok(profiles.into_iter().map(|profile| profile.name).collect())
}

/// Puts back every file that was changed for this agent, kept or not, and runs it out of its package no more.
fn untrust(agent: &str, setup: &Setup) -> Result<Exit, Failure> {
    let journal = Journal::new(&setup.state_folder()?);
    let changed = journal.list().unwrap_or_default();
    if !changed.iter().any(|(of, _)| of == agent) {
        // one that is unknown now may have been known when it was trusted
        profile_named(agent, &names(setup)?)?;
    }
    let failed = |error: io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::InvalidData => DAMAGED_JOURNAL,
            _ => "its earlier text is saved; make the file writable and try again",
        };
        let what = format!("a file that was changed for {agent} cannot be restored: {error}");
        Failure::new(Exit::Failed, what).hint(hint)
    };
    let undone = journal.untrust(agent).map_err(failed)?;
    let withdrawn = Agreements::new(&setup.state_folder()?).withdraw(agent);
    let withdrawn = withdrawn.map_err(|error| {
        let what = format!("your consent for {agent} cannot be revoked: {error}");
        Failure::new(Exit::Failed, what).hint("make the state folder writable for you")
    })?;
    let mut text = String::new();
    if withdrawn {
        text = format!(
            "{} no longer runs from its package\n",
            one_line(agent, LINE)
        );
    }
    for path in &undone {
        let path = one_line(&path.to_string_lossy(), LINE);
        text += &format!("restored: {path}\n");
    }
    if undone.is_empty() && !withdrawn {
        text = format!(
            "no file of yours is changed for {}\n",
            one_line(agent, LINE)
        );
    }
    let consented = setup.settings(None, Layer::default()).settings.consent;
    if consented.iter().any(|name| name == agent) {
        text += &format!(
            "the setting `consent` still names {}; `siderail policy show` says where it is set\n",
            one_line(agent, LINE)
        );
    }
    print(&text)
}

fn as_json(profile: &ProfileInfo) -> Value {
    json!({
        "name": profile.name,
        "title": profile.title,
        "from": profile.origin,
        "program": profile.program,
        "found": profile.found,
        "tested": profile.tested,
        "channel": profile.channel,
        "hide": profile.hide,
        "package": profile.package.as_ref().map(|run| &run.command),
        "plan": profile.plan,
        "problem": profile.problem,
    })
}

/// Those that are here first, each with its place; then the others, each with the way to get it.
fn table(profiles: &[ProfileInfo], path: &str, style: Style) -> String {
    let names = profiles.iter().map(|profile| profile.name.chars().count());
    let width = names.max().unwrap_or_default();
    let (found, missing): (Vec<_>, Vec<_>) = profiles.iter().partition(|p| p.found.is_some());
    let name = |profile: &ProfileInfo| {
        let name = one_line(&profile.name, LINE);
        style.paint(Tone::Strong, &format!("{name:<width$}"))
    };
    let mut text = String::new();
    for profile in &found {
        let place = profile.found.as_ref().map(|path| path.to_string_lossy());
        text += &format!(
            "{}  {}  {}\n",
            name(profile),
            style.paint(Tone::Good, "found    "),
            one_line(&place.unwrap_or_default(), LINE)
        );
        let tested = match profile.tested.as_slice() {
            [] => "no version was tested".to_owned(),
            tested => format!("tested: {}", tested.join(", ")),
        };
        let plans = match &profile.plan {
            Some(_) => "in its own mode",
            None => "by the guard alone",
        };
        let from = profile.origin.as_ref();
        let from = from.map_or_else(String::new, |file| format!("from {}; ", file.display()));
        let more = format!(
            "{from}{tested}; guidance by {}; plans {plans}",
            profile.channel
        );
        let more = style.paint(Tone::Dim, &one_line(&more, LINE));
        text += &format!("{:width$}  {more}\n", "");
    }
    if !found.is_empty() && !missing.is_empty() {
        text.push('\n');
    }
    for profile in &missing {
        let way = match profile.install.as_str() {
            "" => profile.problem.clone().unwrap_or_default(),
            install => format!("install: {install}"),
        };
        let state = match profile.program.as_str() {
            "" => "unusable ",
            _ => "not found",
        };
        text += &format!(
            "{}  {}  {}\n",
            name(profile),
            style.paint(Tone::Dim, state),
            one_line(&way, LINE)
        );
    }
    if !missing.is_empty() {
        let mut folders: Vec<&str> = Vec::new();
        for folder in path.split(PATH_SEPARATOR) {
            if !folder.is_empty() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let folders = one_line(&folders.join(", "), 4 * LINE);
        text += &format!("\nsearched: {folders}\n");
        if missing.iter().any(|profile| profile.package.is_some()) {
            text += "`siderail agents fetch NAME` downloads the tested version and runs the agent from it\n";
        }
    }
    if !found.is_empty() {
        text += "`siderail doctor NAME` checks an installed agent\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str, found: Option<&str>) -> ProfileInfo {
        ProfileInfo {
            name: name.to_owned(),
            title: "An agent".to_owned(),
            origin: None,
            program: "agent".to_owned(),
            tested: vec!["1.0".to_owned(), "1.1".to_owned()],
            found: found.map(Into::into),
            hide: vec!["Bash".to_owned()],
            channel: "hook".to_owned(),
            plan: None,
            install: "npm i -g agent".to_owned(),
            package: None,
            error_messages: siderail_engine::ErrorMessages::default(),
            problem: found.is_none().then(|| "no such file".to_owned()),
        }
    }

    #[test]
    fn the_table_says_where_an_agent_is_or_how_to_get_it() {
        let path = ["/bin", "/usr/bin", "/bin"].join(&PATH_SEPARATOR.to_string());
        let profiles = [profile("mine", Some("/bin/agent")), profile("theirs", None)];
        assert_eq!(
            table(&profiles, &path, Style::PLAIN),
            "mine    found      /bin/agent\n        tested: 1.0, 1.1; guidance by hook; plans by the guard alone\n\n\
             theirs  not found  install: npm i -g agent\n\n\
             searched: /bin, /usr/bin\n\
             `siderail doctor NAME` checks an installed agent\n"
        );
    }

    #[test]
    fn programs_get_the_same_facts() {
        let value = as_json(&profile("mine", Some("/bin/agent")));
        assert_eq!(
            (value["found"].as_str(), value["problem"].is_null()),
            (Some("/bin/agent"), true)
        );
    }
}
