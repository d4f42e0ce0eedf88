//! Agents that are not installed, run by npx or uvx: asked once on the terminal, or agreed to by `siderail agents fetch`.
//!
//! An answer given beforehand (`--answer allow`) does not count here: it is about what an agent may do, not about which
//! programs are downloaded.

use std::time::Duration;

use siderail_engine::acp::process::{CommandLine, ProcessTree, Streams, resolve};
use siderail_engine::packages::{Agreements, PackageRun};
use siderail_engine::settings::Layer;
use siderail_engine::{EngineConfig, ProfileInfo};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::args::FetchArgs;
use crate::exit::{Exit, Failure};
use crate::menu::says_yes;
use crate::settings_files::announce;
use crate::setup::Setup;
use crate::starting::{self, profile_named, runtime};
use crate::style::one_line;
use crate::terminal::print_error;
use crate::terminal::print_rows;

/// What keeps npm from advertising itself and from warnings that nobody here can act on; the user's own values take
/// precedence.
const QUIET: [(&str, &str); 3] = [
    ("npm_config_loglevel", "error"),
    ("npm_config_fund", "false"),
    ("npm_config_update_notifier", "false"),
];
/// Characters of a command line.
const LINE: usize = 400;
/// For a Node to say its version, and until it is said that it is waited for. One that is slower is taken as it is.
const NODE: Duration = Duration::from_secs(5);
const SILENT: Duration = Duration::from_secs(2);
/// Bytes of that word.
const VERSION: u64 = 1_000;

/// The command that replaces an agent that is not installed; `None` if none is needed or available. A command that
/// nobody has agreed to yet is asked about if somebody can be asked.
///
/// # Errors
/// Nobody agreed, with what to do.
pub(crate) fn stand_in(
    agent: &ProfileInfo,
    config: &EngineConfig,
    asks: bool,
) -> Result<Option<Vec<String>>, Failure> {
    let Some(run) = &agent.package else {
        return Ok(None);
    };
    // Without the runner there is nothing to agree to: the way to install the agent is said as ever.
    if agent.found.is_some() || resolve(&line(&run.command, config)).is_err() {
        return Ok(None);
    }
    check_node(&agent.name, run, config)?;
    let agreements = Agreements::new(&config.state_dir);
    if agreements.holds(&agent.name, run) {
        return Ok(Some(run.command.clone()));
    }
    let typed = one_line(&run.typed(), LINE);
    if !asks {
        let what = format!(
            "{} is not installed, and you have not agreed to run it from its package",
            agent.name
        );
        let hint = format!(
            "install it: {}\n      or agree to run `{typed}`: siderail agents fetch {}",
            agent.install, agent.name
        );
        return Err(Failure::new(Exit::NotStarted, what).hint(hint));
    }
    let question = format!(
        "{} is not installed. It can run from its package, which is downloaded first:\n  {typed}\n\
         Your answer is saved for this version; `siderail agents untrust {}` revokes it. Run it?",
        agent.name, agent.name
    );
    let what = format!("{} is not installed", agent.name);
    if !says_yes(&question, &what)? {
        let hint = format!("install it: {}", agent.install);
        return Err(Failure::new(Exit::NotStarted, what).hint(hint));
    }
    agree(&agreements, &agent.name, run)?;
    Ok(Some(run.command.clone()))
}

/// The same without a question: what was agreed to before, where it can be run.
pub(crate) fn agreed(agent: &ProfileInfo, config: &EngineConfig) -> Option<Vec<String>> {
    let run = agent.package.as_ref().filter(|_| agent.found.is_none())?;
    let agreements = Agreements::new(&config.state_dir);
    agreements
        .holds(&agent.name, run)
        .then(|| run.command.clone())
}

/// Whether there is a Node that is new enough. On an older one the package is downloaded, and then fails with a trace of
/// calls in its own code.
fn check_node(agent: &str, run: &PackageRun, config: &EngineConfig) -> Result<(), Failure> {
    let Some(least) = run.node else {
        return Ok(());
    };
    let runtime = runtime()?;
    // On a thread of its own, since `siderail acp` comes here from within a runtime.
    let ask = || runtime.handle().block_on(node_says(config));
    let said = std::thread::scope(|scope| scope.spawn(ask).join())
        .map_err(|_panic| Failure::new(Exit::NotStarted, "asking `node` for its version failed"))?;
    runtime.shutdown_background();
    let there = match &said {
        Some(said) => {
            let major = said.trim().trim_start_matches('v').split('.').next();
            match major.and_then(|major| major.parse::<u32>().ok()) {
                Some(major) if major < least => format!("`node` here is {}", one_line(said, 40)),
                // a word that nobody knows is not a reason to stop
                Some(_) | None => return Ok(()),
            }
        }
        None => "`node` does not run here".to_owned(),
    };
    let what = format!("{agent} needs Node {least} or later, and {there}");
    Err(Failure::new(Exit::NotStarted, what).hint("put a later Node first on your PATH"))
}

/// What `node --version` says, nothing where it takes its time; none if it does not run.
async fn node_says(config: &EngineConfig) -> Option<String> {
    let words = ["node".to_owned(), "--version".to_owned()];
    let mut node = ProcessTree::spawn(&line(&words, config), None, Streams::OutputOnly).ok()?;
    let output = node.stdout.take()?;
    let asked = async {
        let mut said = Vec::new();
        // what cannot be read says nothing
        let _ = output.take(VERSION).read_to_end(&mut said).await;
        let runs = node.wait().await.is_success();
        runs.then(|| String::from_utf8_lossy(&said).into_owned())
    };
    tokio::pin!(asked);
    if let Ok(said) = timeout(SILENT, &mut asked).await {
        return said;
    }
    print_error(&format!(
        "waiting up to {} s for `node --version`\n",
        NODE.as_secs()
    ));
    let said = timeout(NODE.saturating_sub(SILENT), asked).await;
    said.unwrap_or_else(|_| Some(String::new()))
}

fn agree(agreements: &Agreements, agent: &str, run: &PackageRun) -> Result<(), Failure> {
    agreements.agree(agent, run).map_err(|error| {
        let what = format!("your consent to run {agent} from its package cannot be saved: {error}");
        Failure::new(Exit::NotStarted, what).hint("make the state folder writable for you")
    })
}

fn line(words: &[String], config: &EngineConfig) -> CommandLine {
    CommandLine {
        program: words.first().cloned().unwrap_or_default(),
        args: words.iter().skip(1).map(Into::into).collect(),
        env: config.env.clone(),
        cwd: config.runtime_dir.clone(),
    }
}

/// `siderail agents fetch`: typed by a person, it is the agreement; then the package is downloaded.
pub(crate) fn fetch(args: &FetchArgs, setup: &Setup) -> Result<Exit, Failure> {
    let files = setup.agents_files(&args.agents_file)?;
    let resolved = setup.settings(None, Layer::default());
    announce(&resolved);
    let settings = resolved.settings;
    let config = setup.engine(&setup.cwd, files, &settings)?;
    let profiles = starting::profiles(&config).profiles;
    let names: Vec<String> = profiles.iter().map(|p| p.name.clone()).collect();
    profile_named(&args.agent, &names)?;
    let agent = profiles.iter().find(|p| p.name == args.agent);
    let Some(run) = agent.and_then(|agent| agent.package.as_ref()) else {
        let what = format!("{} has no package", args.agent);
        return Err(Failure::usage(
            what,
            "`siderail agents` shows how to install it",
        ));
    };
    check_node(&args.agent, run, &config)?;
    let failed = |why: String| {
        let what = format!("the package of {} cannot be downloaded: {why}", args.agent);
        Failure::new(Exit::NotStarted, what)
    };
    let name = one_line(&args.agent, LINE);
    print_error(&format!(
        "Downloading {name}; this may take a few minutes.\n"
    ));
    let runtime = runtime()?;
    let exit = runtime.block_on(async {
        let mut fetch = line(&run.fetch, &config);
        for (name, value) in QUIET {
            let value = || value.to_owned();
            fetch.env.entry(name.to_owned()).or_insert_with(value);
        }
        let mut tree = ProcessTree::spawn(&fetch, None, Streams::Inherited)
            .map_err(|error| failed(error.to_string()))?;
        Ok::<_, Failure>(tree.wait().await)
    })?;
    if !exit.is_success() {
        return Err(failed(format!("its runner {exit}")));
    }
    agree(&Agreements::new(&config.state_dir), &args.agent, run)?;
    let told = format!(
        "{} is installed; Siderail starts it as {}\n",
        one_line(&args.agent, LINE),
        one_line(&run.typed(), LINE)
    );
    print_rows(&told, 4)
}
