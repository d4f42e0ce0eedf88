//! Interprets an examination: each thing is well, worth a note, or a problem with a way out.
//!
//! Pure. A note changes nothing about the guard; a problem means that a denial does not reach the model
//! as it should, or that something is not denied.

use siderail_engine::ProfileInfo;
use siderail_engine::event::{ErrorKind, OptionKind, SessionOption, short_names};
use siderail_engine::inspect::{Recipe, RecipeFacts, RecipeState, SessionFacts, Standing, Trial};
use siderail_engine::tools::SERVER;

use super::examination::Examined;
use crate::agents::DAMAGED_JOURNAL;
use crate::exit::Exit;

/// Values of an option that are named.
const MOST_VALUES: usize = 12;

/// How one thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Well,
    Note,
    Problem,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Start,
    Version,
    Abilities,
    Login,
    Tools,
    Hidden,
    Modes,
    Options,
    Consent,
    Guidance,
    HookTried,
    ApiAnswers,
    Recipe(Recipe),
}

impl Check {
    /// Its name in reports.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Version => "version",
            Self::Abilities => "abilities",
            Self::Login => "login",
            Self::Tools => "tools",
            Self::Hidden => "hidden",
            Self::Modes => "modes",
            Self::Options => "options",
            Self::Consent => "consent",
            Self::Guidance => "guidance",
            Self::HookTried => "hook tried",
            Self::ApiAnswers => "api answers",
            Self::Recipe(recipe) => recipe.as_str(),
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) check: Check,
    pub(super) state: State,
    pub(super) text: String,
    /// What to do about a problem.
    pub(super) fix: Option<String>,
}

impl Finding {
    fn new(check: Check, state: State, text: impl Into<String>) -> Self {
        Self {
            check,
            state,
            text: text.into(),
            fix: None,
        }
    }

    fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

/// Everything about one agent.
pub(super) struct Checkup {
    pub(super) agent: String,
    pub(super) title: String,
    pub(super) findings: Vec<Finding>,
    pub(super) exit: Exit,
}

/// What the agent lets people set: its modes and options.
fn of_settings(facts: &SessionFacts) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !facts.modes.is_empty() {
        let ids: Vec<&str> = facts.modes.iter().map(String::as_str).collect();
        let text = format!("{} (--mode ID)", short_names(&ids).join(", "));
        findings.push(Finding::new(Check::Modes, State::Well, text));
    }
    if !facts.options.is_empty() {
        let line = |option: &SessionOption| {
            let values: Vec<&str> = option.choices.iter().map(|c| c.value.as_str()).collect();
            let values = match (option.kind, values.len()) {
                (OptionKind::Boolean, _) => "true, false".to_owned(),
                (_, 0..=MOST_VALUES) => values.join(", "),
                (_, n) => format!(
                    "{} and {} more",
                    values[..MOST_VALUES].join(", "),
                    n - MOST_VALUES
                ),
            };
            format!("{} = {} ({values})", option.id, option.current)
        };
        let lines: Vec<String> = facts.options.iter().map(line).collect();
        let text = format!("set them with --set OPTION=VALUE\n{}", lines.join("\n"));
        findings.push(Finding::new(Check::Options, State::Well, text));
    }
    findings
}

/// Words an examination. `profile` is `None` for an agent that is only given by a command.
pub(super) fn checkup(name: &str, profile: Option<&ProfileInfo>, examined: Examined) -> Checkup {
    let mut findings = Vec::new();
    let is_ready = examined.facts.as_ref().is_some_and(|facts| facts.is_ready);
    let exit = match &examined.error {
        Some((kind, text, hint)) => {
            let (check, exit) = failure(*kind, is_ready);
            let mut found = Finding::new(check, State::Problem, text);
            found.fix.clone_from(hint);
            findings.push(found);
            Some(exit)
        }
        None if !is_ready => {
            let text = "the agent did not open a session";
            findings.push(Finding::new(Check::Start, State::Problem, text));
            Some(Exit::NotStarted)
        }
        None => {
            let place = profile.and_then(|profile| profile.found.as_ref());
            let place = place.map_or_else(
                || "from the given command".to_owned(),
                |p| p.display().to_string(),
            );
            findings.push(Finding::new(Check::Start, State::Well, place));
            None
        }
    };
    if let Some(facts) = &examined.facts {
        // what ended it came after what it had said of itself
        let at = if exit.is_some() { 0 } else { findings.len() };
        findings.splice(at..at, of_agent(facts));
        if is_ready {
            findings.extend(of_session(facts, profile, &examined));
            findings.extend(of_settings(facts));
        }
    }
    let damaged = examined.damaged.iter().map(|text| {
        let found = Finding::new(Check::Consent, State::Problem, text.as_str());
        found.fix(DAMAGED_JOURNAL)
    });
    findings.extend(damaged);
    let has_problem = findings.iter().any(|found| found.state == State::Problem);
    let otherwise = if has_problem {
        Exit::Failed
    } else {
        Exit::Ended
    };
    Checkup {
        agent: name.to_owned(),
        title: profile.map_or_else(|| name.to_owned(), |profile| profile.title.clone()),
        findings,
        exit: exit.unwrap_or(otherwise),
    }
}

fn failure(kind: ErrorKind, is_ready: bool) -> (Check, Exit) {
    match kind {
        ErrorKind::Login => (Check::Login, Exit::LoginNeeded),
        ErrorKind::Protocol => (Check::Start, Exit::Failed),
        _ if is_ready => (Check::Start, Exit::Failed),
        _ => (Check::Start, Exit::NotStarted),
    }
}

/// What the agent says of itself.
fn of_agent(facts: &SessionFacts) -> Vec<Finding> {
    let Some(version) = &facts.version else {
        if facts.capabilities.is_empty() && !facts.is_ready {
            // it has said nothing yet
            return Vec::new();
        }
        return vec![Finding::new(
            Check::Version,
            State::Note,
            "the agent does not report its version",
        )];
    };
    let tested = facts.tested.join(", ");
    let (state, text) = match facts.standing {
        Standing::Tested => (State::Well, format!("{version}, a tested version")),
        Standing::Near => (
            State::Note,
            format!("{version} is close to a tested version: {tested}"),
        ),
        Standing::Untested => (
            State::Note,
            format!("{version} was not tested; tested: {tested}"),
        ),
        Standing::Unknown => (State::Note, format!("{version}; no version was tested")),
    };
    let mut findings = vec![Finding::new(Check::Version, state, text)];
    let abilities = facts.capabilities.join(", ");
    findings.push(Finding::new(Check::Abilities, State::Well, abilities));
    findings
}

/// What works of the guard.
fn of_session(
    facts: &SessionFacts,
    profile: Option<&ProfileInfo>,
    examined: &Examined,
) -> Vec<Finding> {
    let logins = match facts.logins.as_slice() {
        [] => "not needed; the agent offers none".to_owned(),
        logins => {
            let ways: Vec<String> = logins.iter().map(ToString::to_string).collect();
            format!("not needed now; the agent offers {}", ways.join("; "))
        }
    };
    let mut findings = vec![
        Finding::new(Check::Login, State::Well, logins),
        tools(facts),
        hidden(facts),
    ];
    findings.extend(facts.recipes.iter().map(|recipe| of_recipe(recipe, facts)));
    if let (Some(edit), Some(harmless)) = (&examined.edit, &examined.harmless) {
        findings.push(trials(facts, edit, harmless));
    }
    if let Some(trial) = &examined.api {
        findings.push(match trial {
            Trial::Passed => Finding::new(Check::ApiAnswers, State::Well, "with our password"),
            Trial::Failed(why) => Finding::new(Check::ApiAnswers, State::Problem, why)
                .fix("denials are plain rejections now; use a tested version"),
        });
    }
    if facts.recipes.is_empty() {
        let way = profile.map_or("notice", |profile| profile.channel.as_str());
        let text = format!("denials reach the model by {way} only");
        findings.push(Finding::new(Check::Guidance, State::Note, text));
    }
    findings
}

fn tools(facts: &SessionFacts) -> Finding {
    let how = match facts.announced_by_launch {
        true => "by launch flags",
        false => "in session/new",
    };
    let fix = "look at the agent's own log for MCP servers, and whether its policy or organisation \
               forbids them";
    match (facts.server_connected, facts.tools_listed) {
        (_, true) => {
            let n = facts.n_tools;
            let text = format!("{SERVER} was announced {how}; the agent asked for its {n} tools");
            Finding::new(Check::Tools, State::Well, text)
        }
        (true, false) => {
            let text = format!("the agent started {SERVER} but never asked for its tools");
            Finding::new(Check::Tools, State::Problem, text).fix(fix)
        }
        (false, false) if facts.server_at_prompt => {
            let text = format!(
                "{SERVER} was announced {how}; this agent starts servers with its first prompt"
            );
            Finding::new(Check::Tools, State::Note, text)
        }
        (false, false) => {
            let text = format!("{SERVER} was announced {how}; the agent did not start it");
            Finding::new(Check::Tools, State::Problem, text).fix(fix)
        }
    }
}

fn hidden(facts: &SessionFacts) -> Finding {
    match (facts.hidden.as_slice(), facts.hideable.as_slice()) {
        ([], []) => Finding::new(
            Check::Hidden,
            State::Note,
            "Siderail knows no way to hide its tools",
        ),
        ([], _) => Finding::new(
            Check::Hidden,
            State::Note,
            "nothing: turned off by the settings or the given command",
        ),
        (hidden, _) => Finding::new(Check::Hidden, State::Well, hidden.join(", ")),
    }
}

fn of_recipe(recipe: &RecipeFacts, facts: &SessionFacts) -> Finding {
    let state = match recipe.state {
        RecipeState::Verified | RecipeState::Assumed => State::Well,
        RecipeState::NotWanted => State::Note,
        RecipeState::Off => State::Problem,
    };
    let text = match (recipe.recipe, &facts.mode) {
        (Recipe::Mode, Some(mode)) => format!("{} ({mode})", recipe.text),
        _ => recipe.text.clone(),
    };
    let found = Finding::new(Check::Recipe(recipe.recipe), state, text);
    if state != State::Problem {
        return found;
    }
    let tested = facts.tested.join(", ");
    found.fix(match recipe.recipe {
        Recipe::Mode => "set `mode` to the agent's mode that asks before it acts".to_owned(),
        Recipe::Hook | Recipe::Api | Recipe::Refusal => {
            format!("use a tested version ({tested}); until then denials are plain rejections")
        }
    })
}

fn trials(facts: &SessionFacts, edit: &Trial, harmless: &Trial) -> Finding {
    let command = facts.hook.as_ref().map_or("", |hook| hook.command());
    let why = match (edit, harmless) {
        (Trial::Passed, Trial::Passed) => {
            let text = match facts.hook.as_ref().is_some_and(|hook| hook.denies()) {
                true => "a built-in edit is denied with guidance, a harmless tool passes",
                false => "it works, and denies nothing under this policy",
            };
            return Finding::new(Check::HookTried, State::Well, text);
        }
        (Trial::Failed(why), _) | (_, Trial::Failed(why)) => why,
    };
    Finding::new(Check::HookTried, State::Problem, why.as_str())
        .fix(format!("the agent must be able to run this: {command}"))
}
