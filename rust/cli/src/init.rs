//! `siderail init`: asks for what most people set, and writes it into the settings file.
//!
//! Enter keeps what the file already says; a file with a mistake is not touched.

use siderail_engine::ProfileInfo;
use siderail_engine::settings::{Key, Origin, Resolved};

use crate::config;
use crate::exit::{Exit, Failure};
use crate::menu;
use crate::settings_edit::{self, CORRECT, SettingsFile};
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::terminal::{print_error, print_error_rows};

/// The consequence of unanswered questions.
const NOT_DONE: &str = "nothing was changed";

/// Runs the command.
pub(crate) fn run(setup: &Setup) -> Result<Exit, Failure> {
    let file = config::file(setup)?;
    if !setup.manners.asks {
        return Err(Failure::usage(
            "`siderail init` asks questions and needs a terminal",
            "use `siderail config set KEY VALUE`",
        ));
    }
    let now = settings_edit::read(&file, &settings_edit::text_of(&file)?);
    if !now.problems().is_empty() {
        announce(&now);
        let what = format!("{} has a mistake; {NOT_DONE}", file.display());
        return Err(Failure::usage(what, CORRECT));
    }
    let profiles = config::profiles(setup)?;
    let mut answers: Vec<(Key, String)> = Vec::new();
    if let Some(agent) = agent(&profiles, &now)? {
        answers.push((Key::Agent, agent));
    }
    answers.push((Key::Policy, policy(&now)?));
    answers.push((Key::History, history(&now)?));
    let in_file = |key: Key| matches!(now.origin(key), Origin::User { .. });
    answers.retain(|(key, value)| !in_file(*key) || now.settings.shown(*key) != *value);
    if answers.is_empty() {
        print_error_rows(&format!("\n{} says so already.\n", file.display()));
        return Ok(Exit::Ended);
    }
    let mut settings = SettingsFile::open(&file, setup)?;
    for (key, value) in &answers {
        settings.set(*key, value)?;
    }
    settings.write()?;
    for (key, _) in answers {
        config::note_variable(key, setup);
    }
    print_error_rows(&format!(
        "\nWritten to {}. `siderail` starts a chat; `siderail config edit` changes this.\n",
        file.display()
    ));
    Ok(Exit::Ended)
}

/// The agent to use; `None` if there is none to choose.
fn agent(profiles: &[ProfileInfo], now: &Resolved) -> Result<Option<String>, Failure> {
    let found = profiles.iter().filter(|profile| profile.found.is_some());
    let mut rows: Vec<(&str, &str)> = found
        .map(|agent| (agent.name.as_str(), agent.title.as_str()))
        .collect();
    if rows.is_empty() {
        print_error("No agent is installed yet; `siderail agents` shows how to get one.\n");
        return Ok(None);
    }
    let mut preset = 0;
    if let Some(set) = &now.settings.agent {
        let at = rows.iter().position(|(name, _)| name == set);
        preset = at.unwrap_or(rows.len());
        if at.is_none() {
            rows.push((set, "in your settings; not installed"));
        }
    }
    let names: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    let row = |(name, title): &(&str, &str)| format!("{name:<12} {title}");
    let rows: Vec<String> = rows.iter().map(row).collect();
    let question = "Which agent do you want to use?";
    let chosen = menu::choose(question, &rows, &names, Some(preset), NOT_DONE)?;
    Ok(Some(names[chosen].to_owned()))
}

fn policy(now: &Resolved) -> Result<String, Failure> {
    let policies = ["redirect", "ask", "observe", "yolo"];
    let rows = [
        "redirect     use the project's tools instead of the agent's own; ask about the rest",
        "ask          ask about everything that is not plainly harmless",
        "observe      like ask, but hide no tools and give no instructions",
        "yolo         like redirect, but allow the rest unless it is dangerous or writes outside the project",
    ];
    let set = now.settings.shown(Key::Policy);
    let preset = policies.iter().position(|policy| *policy == set);
    let question = "What may agents do on their own?";
    let rows = rows.map(str::to_owned);
    let chosen = menu::choose(question, &rows, &policies, preset.or(Some(0)), NOT_DONE)?;
    Ok(policies[chosen].to_owned())
}

/// `on` or `off`.
fn history(now: &Resolved) -> Result<String, Failure> {
    let rows = ["yes          on this computer, readable by you alone", "no"];
    let preset = usize::from(!now.settings.history);
    let question = "Save conversations, so that you can resume them?";
    let rows = rows.map(str::to_owned);
    let chosen = menu::choose(question, &rows, &["yes", "no"], Some(preset), NOT_DONE)?;
    Ok(["on", "off"][chosen].to_owned())
}
