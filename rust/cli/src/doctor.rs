//! `siderail doctor`: starts an installed agent without a prompt and reports what works with its
//! guard.
//!
//! It looks and tries, and changes nothing: no prompt is sent, no file of the project is touched. What
//! a run would do, with the same settings, is what is examined. `findings` words it, `report` shows it.

mod examination;
mod findings;
mod report;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use siderail_engine::command::{Command, SessionOptions};
use siderail_engine::consent::Journal;
use siderail_engine::event::{self, ErrorKind, EventBody};
use siderail_engine::inspect::SessionFacts;
use siderail_engine::settings::{Layer, Settings};
use siderail_engine::{EngineConfig, EngineHandle, ProfileInfo};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::args::DoctorArgs;
use crate::exit::{Exit, Failure};
use crate::host::{FsSetup, NobodyToAsk};
use crate::packages;
use crate::run::events::{self, Events};
use crate::run::host_link::LinkedHost;
use crate::run::options::{command_words, environment, known_agent, project};
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::starting::{self, not_started, runtime};
use crate::terminal::print_error;
use crate::terminal::{print, print_rows};
use examination::Examined;
use findings::{Checkup, checkup};

/// Blanks ahead of a continued row.
const HANG: usize = 15;
/// Agents start their MCP servers after they have answered `session/new`, some of them slowly.
const TOOLS: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(100);
/// For an agent to go, as in a run.
const END: Duration = Duration::from_secs(12);
/// For the engine to put things away.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs, setup: &Setup) -> Result<Exit, Failure> {
    let agents_files = setup.agents_files(&args.launch.agents_file)?;
    let project = project(args.project.as_deref(), &setup.cwd)?;
    let flags = Layer {
        consent: (!args.consent.is_empty()).then(|| args.consent.clone()),
        ..Layer::default()
    };
    let resolved = setup.settings(Some(&project), flags);
    let mut config = setup.engine(&setup.cwd, agents_files, &resolved.settings)?;
    let profiles = starting::profiles(&config).profiles;
    let patients = patients(args, &profiles, &resolved.settings, &project, &config);
    if patients.is_err() && !args.json {
        // Who looks for the reason wants to know where everything is, too.
        print_rows(&format!("{}\n", setup.places()), HANG)?;
    }
    let patients = patients?;
    announce(&resolved);
    let journal = Journal::new(&setup.state_folder()?);
    let folder = setup.run_folder()?;
    config.runtime_dir = folder.path().to_owned();
    let runtime = runtime()?;
    let exit = runtime.block_on(async {
        let (events_in, mut events) = events::channel(std::env::temp_dir());
        let (host, slot) = LinkedHost::new(events_in, FsSetup::new(Arc::new(NobodyToAsk)), None);
        let engine = siderail_engine::start(config, host).map_err(not_started)?;
        // set once, here: the slot is new
        let _ = slot.set(engine.clone());
        let mut exit = None;
        for (session, patient) in (1..).zip(patients) {
            if setup.manners.motion {
                print_error(&format!("checking {} …", patient.agent));
            }
            let name = patient.agent.clone();
            let profile = profiles.iter().find(|profile| profile.name == name);
            let mut examined = examine(&engine, &mut events, session, patient).await;
            let damaged = journal.damaged(&name).into_iter();
            examined.damaged = damaged.map(|error| error.to_string()).collect();
            if setup.manners.motion {
                print_error("\r\x1b[K");
            }
            let checkup = checkup(&name, profile, examined);
            exit = Some(worse(exit, checkup.exit));
            match args.json {
                true => print(&report::as_json(&checkup))?,
                false => print_rows(&shown(&checkup, args, setup), HANG)?,
            };
        }
        if !args.json {
            print_rows(&format!("\n{}", setup.places()), HANG)?;
        }
        if engine.send(Command::Shutdown).is_ok() {
            let _ = timeout(SHUTDOWN, engine.closed()).await;
        }
        Ok(exit.unwrap_or(Exit::NotStarted))
    });
    runtime.shutdown_background();
    drop(folder);
    exit
}

fn shown(checkup: &Checkup, args: &DoctorArgs, setup: &Setup) -> String {
    let style = setup.manners.out;
    match &args.agent {
        Some(_) => report::in_full(checkup, style),
        None => report::in_short(checkup, style),
    }
}

/// Of several agents the kind of trouble counts if it is the same; else it is trouble.
fn worse(before: Option<Exit>, now: Exit) -> Exit {
    match before {
        None | Some(Exit::Ended) => now,
        Some(before) if now == Exit::Ended || before == now => before,
        Some(_) => Exit::Failed,
    }
}

/// Who is to be examined, as a run would start them.
fn patients(
    args: &DoctorArgs,
    profiles: &[ProfileInfo],
    settings: &Settings,
    project: &Path,
    config: &EngineConfig,
) -> Result<Vec<SessionOptions>, Failure> {
    let command = args.agent_command.as_deref();
    let command = command.map(command_words).transpose()?;
    let env = environment(&args.launch.agent_env)?;
    let names: Vec<String> = match &args.agent {
        Some(name) => {
            let known: Vec<String> = profiles.iter().map(|p| p.name.clone()).collect();
            known_agent(name, command.is_some(), &known)?;
            vec![name.clone()]
        }
        None => {
            let installed = profiles.iter().filter(|profile| {
                profile.found.is_some() || packages::agreed(profile, config).is_some()
            });
            installed.map(|profile| profile.name.clone()).collect()
        }
    };
    if names.is_empty() {
        let what = "none of the known agents is installed";
        let hint = "`siderail agents` shows how to install one";
        return Err(Failure::new(Exit::NotStarted, what).hint(hint));
    }
    let package = |name: &str| {
        let profile = profiles.iter().find(|profile| profile.name == name)?;
        packages::agreed(profile, config)
    };
    let patient = |name: String| SessionOptions {
        agent_command: command.clone().or_else(|| package(&name)),
        agent_env: env.clone(),
        project: project.to_owned(),
        answer: Some(false),
        ..SessionOptions::of(&name, settings)
    };
    Ok(names.into_iter().map(patient).collect())
}

async fn examine(
    engine: &EngineHandle,
    events: &mut Events,
    session: u64,
    options: SessionOptions,
) -> Examined {
    let mut examined = Examined::default();
    if let Err(gone) = engine.send(Command::StartSession {
        session,
        options: Box::new(options),
    }) {
        examined.error = Some((ErrorKind::Spawn, gone.to_string(), None));
        return examined;
    }
    examined.facts = engine.inspect(session).await;
    if examined.facts.as_ref().is_some_and(|facts| facts.is_ready) {
        let deadline = Instant::now() + TOOLS;
        let awaits = |facts: &SessionFacts| !facts.tools_listed && !facts.server_at_prompt;
        while Instant::now() < deadline && examined.facts.as_ref().is_some_and(awaits) {
            sleep(PAUSE).await;
            match engine.inspect(session).await {
                Some(facts) => examined.facts = Some(facts),
                None => break,
            }
        }
        try_out(&mut examined).await;
    }
    // it may be over already
    let _ = engine.send(Command::EndSession { session, why: None });
    let deadline = Instant::now() + END;
    while let Ok(Some(event)) = timeout_at(deadline, events.recv()).await {
        match event.body {
            _ if event.session != session => {}
            EventBody::Error(event::Error { kind, text, hint }) => {
                examined.error.get_or_insert((kind, text, hint));
            }
            EventBody::Summary(_) => break,
            _ => {}
        }
    }
    examined
}

async fn try_out(examined: &mut Examined) {
    let Some(facts) = &examined.facts else { return };
    if let Some(hook) = &facts.hook {
        examined.edit = Some(hook.edit().await);
        examined.harmless = Some(hook.harmless().await);
    }
    if let Some(api) = &facts.api {
        examined.api = Some(api.reach().await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_of_trouble_keeps_its_exit_code_and_several_are_trouble() {
        let of = |exits: &[Exit]| exits.iter().fold(None, |all, one| Some(worse(all, *one)));
        assert_eq!(of(&[Exit::Ended, Exit::Ended]), Some(Exit::Ended));
        assert_eq!(
            of(&[Exit::Ended, Exit::LoginNeeded, Exit::Ended]),
            Some(Exit::LoginNeeded)
        );
        assert_eq!(
            of(&[Exit::NotStarted, Exit::LoginNeeded]),
            Some(Exit::Failed)
        );
    }
}
