//! `siderail agents`: the known agents as a table, or as JSON for programs; and undoing what was
//! changed for one of them with the user's consent.

use std::io::{self, Write};

use serde_json::{Value, json};
use siderail_engine::ProfileInfo;
use siderail_engine::consent::Journal;
use siderail_engine::settings::{Layer, Settings};

use crate::args::{AgentsArgs, AgentsCommand};
use crate::exit::{Exit, Failure};
use crate::run::options::known_agent;
use crate::run::usage;
use crate::setup::Setup;
use crate::style::{Style, Tone, one_line};

/// Characters of a text in the table.
const LINE: usize = 200;

/// Runs the command.
pub(crate) fn run(args: &AgentsArgs, setup: &Setup) -> Result<Exit, Failure> {
    if let Some(AgentsCommand::Untrust(untrusted)) = &args.command {
        return untrust(&untrusted.agent, setup);
    }
    let files = setup.agents_files(&args.agents_file)?;
    let settings = setup.settings(None, Layer::default())?.settings;
    let config = setup.engine(&setup.cwd, files, &settings)?;
    let profiles = siderail_engine::profiles(&config).map_err(usage)?;
    let text = match args.json {
        true => Value::from_iter(profiles.iter().map(as_json)).to_string() + "\n",
        false => table(&profiles, setup.manners.out),
    };
    print(&text)
}

/// Prints a command's whole answer.
pub(crate) fn print(text: &str) -> Result<Exit, Failure> {
    let mut stream = io::stdout();
    let written = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(Exit::Ended),
    }
}

/// Names of all profiles that need not be typed.
fn names(setup: &Setup) -> Result<Vec<String>, Failure> {
    let files = setup.agents_files(&[])?;
    let config = setup.engine(&setup.cwd, files, &Settings::default())?;
    let profiles = siderail_engine::profiles(&config).map_err(usage)?;
    Ok(profiles.into_iter().map(|profile| profile.name).collect())
}

/// Puts back every file that was changed for this agent, kept or not.
fn untrust(agent: &str, setup: &Setup) -> Result<Exit, Failure> {
    let journal = Journal::new(&setup.state_folder());
    let changed = journal.list().unwrap_or_default();
    if !changed.iter().any(|(of, _)| of == agent) {
        // one that is unknown now may have been known when it was trusted
        known_agent(agent, false, &names(setup)?)?;
    }
    let failed = |error: io::Error| {
        Failure::new(
            Exit::Failed,
            format!("a file that was changed for {agent} is not put back: {error}"),
        )
        .hint("its earlier text is kept; set the file's rights right and try again")
    };
    let undone = journal.untrust(agent).map_err(failed)?;
    let mut text = String::new();
    for path in &undone {
        let path = one_line(&path.to_string_lossy(), LINE);
        text += &format!("put back: {path}\n");
    }
    if undone.is_empty() {
        text = format!(
            "nothing of yours is changed for {}\n",
            one_line(agent, LINE)
        );
    }
    print(&text)
}

fn as_json(profile: &ProfileInfo) -> Value {
    json!({
        "name": profile.name,
        "title": profile.title,
        "program": profile.program,
        "found": profile.found,
        "tested": profile.tested,
        "channel": profile.channel,
        "hide": profile.hide,
        "problem": profile.problem,
    })
}

fn table(profiles: &[ProfileInfo], style: Style) -> String {
    let width = |text: fn(&ProfileInfo) -> &str| {
        profiles
            .iter()
            .map(|profile| text(profile).chars().count())
            .max()
            .unwrap_or_default()
    };
    let (names, channels) = (width(|p| &p.name), width(|p| &p.channel));
    let mut text = String::new();
    for profile in profiles {
        let name = style.paint(
            Tone::Strong,
            &format!("{:<names$}", one_line(&profile.name, LINE)),
        );
        let (mark, place) = match &profile.found {
            Some(path) => {
                let path = one_line(&path.to_string_lossy(), LINE);
                (style.paint(Tone::Good, "found    "), path)
            }
            None => (
                style.paint(Tone::Dim, "not found"),
                one_line(&profile.program, LINE),
            ),
        };
        let channel = format!("{:<channels$}", one_line(&profile.channel, LINE));
        let tested = one_line(&profile.tested.join(", "), LINE);
        text += &format!("{name}  {mark}  guidance by {channel}  tested {tested}  {place}\n");
        if let Some(problem) = &profile.problem {
            // which folders were searched is for programs; a person wants the way out
            let shown = match profile.install.as_str() {
                "" => problem.clone(),
                install => format!("to install: {install}"),
            };
            text += &format!("{:names$}  {}\n", "", one_line(&shown, LINE));
        }
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
            program: "agent".to_owned(),
            tested: vec!["1.0".to_owned(), "1.1".to_owned()],
            found: found.map(Into::into),
            hide: vec!["Bash".to_owned()],
            channel: "hook".to_owned(),
            install: "npm i -g agent".to_owned(),
            problem: found.is_none().then(|| "no such file".to_owned()),
        }
    }

    #[test]
    fn the_table_says_where_an_agent_is_or_how_to_get_it() {
        let profiles = [profile("mine", Some("/bin/agent")), profile("theirs", None)];
        assert_eq!(
            table(&profiles, Style::PLAIN),
            "mine    found      guidance by hook  tested 1.0, 1.1  /bin/agent\n\
             theirs  not found  guidance by hook  tested 1.0, 1.1  agent\n        \
             to install: npm i -g agent\n"
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
