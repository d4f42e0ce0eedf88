//! `docs/agents/NAME.md` is what profiles and measurements say: pages are made from them, and never by hand.
//!
//! `cargo xtask agent-pages` (this test with `SIDERAIL_BLESS=1`) writes them anew. The figures and the words on single
//! agents are those of `docs/agents.md`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use siderail_agents::profile::{Delivery, Profile, Profiles};

/// The page with the measured tables and what is to be known of single agents.
const OVERVIEW: &str = include_str!("../../../docs/agents.md");
/// What a run of a scenario shows.
const SCENARIOS: &str = include_str!("../../../tests/live/scenarios.toml");

/// A page of facts, section by section.
#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, title: &str) {
        write!(self.0, "\n## {title}\n\n").expect("a string takes it");
    }

    fn paragraph(&mut self, text: &str) {
        let text = wrapped(text, "");
        writeln!(self.0, "{text}").expect("a string takes it");
    }

    fn point(&mut self, text: &str) {
        let text = wrapped(text, "  ");
        write!(self.0, "- {text}").expect("a string takes it");
    }

    fn command(&mut self, text: &str) {
        write!(self.0, "    {text}\n\n").expect("a string takes it");
    }
}

/// Lines of a width at which pages are read; `margin`: ahead of all but the first.
fn wrapped(text: &str, margin: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > 110 {
            lines += &format!("{line}\n");
            line = margin.to_owned();
        } else if !line.trim().is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &line + "\n"
}

fn names(tools: &[String]) -> String {
    let quoted: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    quoted.join(", ")
}

fn page(profile: &Profile) -> String {
    let mut page = Page(format!(
        "# {}\n\nMade by `cargo xtask agent-pages` out of the profile `rust/agents/profiles/{}.toml` and [the \
         measurements](../agents.md).\n",
        profile.title, profile.name
    ));
    install(profile, &mut page);
    log_in(profile, &mut page);
    works(profile, &mut page);
    does_not(profile, &mut page);
    measured(profile, &mut page);
    let mut text = page.0;
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

fn install(profile: &Profile, page: &mut Page) {
    page.head("Install");
    page.command(&profile.install);
    page.paragraph(&format!(
        "Tested on {}. Other versions get the same recipes and a line in the log that says so.",
        profile.tested.join(", ")
    ));
    if let Some(run) = profile.package_run() {
        page.0.push('\n');
        page.paragraph(&format!(
            "Without installing it: `siderail agents fetch {}`, once. From then on it is run by",
            profile.name
        ));
        page.0.push('\n');
        page.command(&run.typed());
        page.0.pop();
    }
}

fn log_in(profile: &Profile, page: &mut Page) {
    page.head("Log in");
    page.command(&profile.login);
    page.paragraph(&format!(
        "or `siderail agents login {}`, which goes one of the agent's own ways and sees whether it then opens a \
         session. A run without a login ends with status 7 and says the exact command.",
        profile.name
    ));
    if let (Some(method), Some(variable)) = (&profile.auth_method, &profile.auth_env) {
        page.0.push('\n');
        page.paragraph(&format!(
            "Where `{variable}` is set, the login `{method}` is used by itself."
        ));
    }
}

/// How the reason of a denial reaches the model in the same turn.
fn channel(profile: &Profile) -> String {
    if let Some(hook) = &profile.hook {
        let place = match &hook.overlay {
            Some(overlay) => format!(
                ", in a stand-in for `{}` that lasts as long as the session",
                overlay.home.replace("{home}", "~")
            ),
            None => String::new(),
        };
        let or = match &hook.consent {
            Some(file) => format!(
                ", or with `--consent {}` in `{}`, from which it is taken back afterwards",
                profile.name,
                file.path.replace("{home}", "~")
            ),
            None => String::new(),
        };
        return format!("its own pre-tool hook{place}{or}");
    }
    if profile.api.is_some() {
        return "its own API: a rejection with a message".to_owned();
    }
    match &profile.refusal {
        Some(refusal) if refusal.commands => {
            "a refusal where it comes to our files and terminals".to_owned()
        }
        Some(_) => "a refusal where it comes to our files".to_owned(),
        None => "a notice ahead of the next result of our tools".to_owned(),
    }
}

fn works(profile: &Profile, page: &mut Page) {
    page.head("What works");
    page.point(&format!(
        "A denial's reason reaches the model in the same turn, by {}.",
        channel(profile)
    ));
    if !profile.hide.tools.is_empty() {
        page.point(&format!(
            "Hidden from the model at launch: {}.",
            names(&profile.hide.tools)
        ));
    }
    let server = match profile.mcp.delivery {
        Delivery::Session => "in `session/new`",
        Delivery::Launch => "by launch flags",
    };
    let seen = profile
        .mcp
        .as_seen
        .replace("{server}", "intellij-code-tools");
    page.point(&format!(
        "Our tools are announced {server}; its model sees them as `{seen}`."
    ));
    if let Some(mode) = &profile.mode {
        page.point(&format!(
            "It is started in its mode `{mode}`, in which it asks; `--mode` sets another."
        ));
    }
    page.point(&match &profile.plan {
        Some(plan) => format!("Plans (`--plan`) are made in its own mode `{}`.", plan.mode),
        None => "Plans (`--plan`) are made under the guard alone: it has no mode for them, so its writing is denied."
            .to_owned(),
    });
}

fn does_not(profile: &Profile, page: &mut Page) {
    page.head("What does not");
    if profile.hide.tools.is_empty() {
        page.point("None of its built-in tools can be hidden: no way is known.");
    }
    if profile.guard.reject_ends_turn {
        page.point(
            "A rejected permission ends its turn; where only that is left, a continuation prompt carries the reason.",
        );
    }
    if !profile.guard.unasked.is_empty() {
        page.point(&format!(
            "It never asks before {}: what of that is not hidden is denied by its hook, or not at all.",
            names(&profile.guard.unasked)
        ));
    }
    if !profile.hide.always.is_empty() {
        page.point(&format!(
            "With `--hide off`, {} stay hidden: no reason for a denial could reach its model.",
            names(&profile.hide.always)
        ));
    }
    for (ours, theirs) in &profile.mcp.renamed {
        page.point(&format!(
            "It keeps a tool named `{ours}` from its model, which gets ours as `{theirs}`."
        ));
    }
    for note in notes(profile) {
        page.point(&note);
    }
}

/// What the overview says of this agent.
fn notes(profile: &Profile) -> Vec<String> {
    let list = OVERVIEW.split("## What to know\n").nth(1);
    let list = list.and_then(|rest| rest.split("\n## ").next());
    let points = list.unwrap_or_default().split("\n- ");
    // a point on many agents is on what they have in common, which the profile says
    let of_agent = |point: &&str| {
        let bold: Vec<&str> = point.split("**").skip(1).step_by(2).collect();
        let is_named = bold
            .iter()
            .any(|name| name.eq_ignore_ascii_case(&profile.name));
        is_named && bold.len() < 3
    };
    // What stands behind a blank line belongs to no point.
    let text = |point: &str| {
        let point = point.split("\n\n").next().unwrap_or_default();
        point
            .trim_start_matches("- ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    points.filter(of_agent).map(text).collect()
}

/// The rows of a table under a heading that begins so: scenario and cell of this agent.
fn cells(heading: &str, agent: &str) -> Vec<(String, String)> {
    let from = OVERVIEW
        .find(heading)
        .unwrap_or_else(|| panic!("docs/agents.md has no part `{heading}`"));
    let mut rows = OVERVIEW[from..]
        .lines()
        .skip_while(|line| !line.starts_with("| agent |"))
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells = line.trim_matches('|').split('|');
            cells.map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
        });
    let scenarios = rows.next().expect("the table has a head");
    let name = |row: &Vec<String>| row[0].split(',').next() == Some(agent);
    let cells = rows.find(name).expect("every agent has a row");
    scenarios.into_iter().zip(cells).skip(1).collect()
}

fn about(scenario: &str) -> &'static str {
    let name = format!("\n[{scenario}]\n");
    let rest = SCENARIOS.split(&name).nth(1).expect("a known scenario");
    let line = rest
        .lines()
        .find_map(|line| line.strip_prefix("about = \""));
    line.and_then(|line| line.strip_suffix('"'))
        .expect("a scenario says what it is about")
}

fn measured(profile: &Profile, page: &mut Page) {
    page.head("Measured");
    page.paragraph(
        "The real agent against a scripted model, with its own tools offered (hiding off) and hidden, the default. \
         `hidden` holds because the built-in tool is not offered at all.",
    );
    page.0 += "\n| scenario | | hiding off | hiding on |\n|---|---|---|---|\n";
    for (without, with) in [
        ("Hiding off", "Hiding on"),
        (
            "Plans and questions, hiding off",
            "Plans and questions, hiding on",
        ),
    ] {
        let off = cells(without, &profile.name);
        let on = cells(with, &profile.name);
        for ((scenario, off), (same, on)) in off.iter().zip(&on) {
            assert_eq!(scenario, same, "both tables have the same scenarios");
            let row = format!("| `{scenario}` | {} | {off} | {on} |\n", about(scenario));
            page.0 += &row;
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents")
}

#[test]
fn every_agents_page_says_what_its_profile_and_the_measurements_say() {
    let profiles = Profiles::load(&[] as &[&Path]);
    let mut names = Vec::new();
    for profile in profiles.iter() {
        let name = format!("{}.md", profile.name);
        let (file, text) = (folder().join(&name), page(profile));
        if std::env::var_os("SIDERAIL_BLESS").is_some() {
            std::fs::create_dir_all(folder()).expect("a folder can be made");
            std::fs::write(&file, &text).expect("the page can be written");
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(found, text, "{name} is old: run `cargo xtask agent-pages`");
        names.push(name);
    }
    let entries = std::fs::read_dir(folder()).expect("the folder of the pages");
    for entry in entries {
        let name = entry.expect("an entry").file_name();
        let is_known = names.iter().any(|known| name == known.as_str());
        assert!(is_known, "{} is of no agent", name.display());
    }
}
