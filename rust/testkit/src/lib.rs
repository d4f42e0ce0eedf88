//! A scripted ACP agent: it behaves on the wire like one of ten real agents, and its model is a
//! script. Also the faults that a client must survive, the replay of recordings, and the
//! normalising of texts for golden files.
//!
//! It needs no account and no network, so that the demo and the tests run everywhere. It decides
//! nothing about permissions and knows no policy: it is the other side.
//!
//! Reading order: [`script`] (what a script may say), [`shape`] (how an agent behaves), `agent`,
//! `requests`, `turn`, `tool_call`.

mod agent;
pub mod args;
mod call_vars;
mod calling;
pub mod faults;
pub mod hide;
pub mod hook;
pub mod mcp_client;
mod mcp_stub;
mod model_log;
mod outcome;
mod peer;
mod perform;
mod permission_api;
mod play;
pub mod redact;
pub mod replay;
mod requests;
mod rng;
mod safe_command;
pub mod script;
mod session;
pub mod settings;
pub mod shape;
mod shell;
pub mod template;
mod tool_call;
mod turn;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

use agent::Agent;
use args::Args;
use faults::Faults;
use model_log::ModelLog;
use peer::Peer;
use permission_api::PermissionApi;
use replay::Recording;
use requests::Requests;
use rng::Rng;
use script::Script;
use shape::Shape;

/// Exit code for a command line or script that makes no sense.
const USAGE_ERROR: u8 = 2;

/// Runs the scripted agent on this process's stdin and stdout.
///
/// `args` are the words after the program's name; see [`args::USAGE`]. Exit code 0 when the client
/// closed stdin, 9 when an expectation of the script failed, 2 for a wrong command line.
pub fn scripted_agent(args: Vec<OsString>) -> ExitCode {
    if args.first().is_some_and(|word| word == "--mcp-stub") {
        return mcp_stub::serve();
    }
    match prepare(args) {
        Ok(Run::Script(requests)) => requests.serve(std::io::stdin()),
        Ok(Run::Replay(recording)) => replay::play(&recording, std::io::stdin(), std::io::stdout()),
        Ok(Run::Help) => {
            println!("{}", args::USAGE);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("scripted agent: {why}\n{}", args::USAGE);
            ExitCode::from(USAGE_ERROR)
        }
    }
}

enum Run {
    Script(Arc<Requests>),
    Replay(Recording),
    Help,
}

fn prepare(args: Vec<OsString>) -> Result<Run, String> {
    let args = Args::parse(args)?;
    if args.help {
        return Ok(Run::Help);
    }
    if let Some(path) = &args.replay {
        return Recording::load(path).map(Run::Replay);
    }
    let script = match (&args.script_text, &args.script) {
        (Some(text), _) => Script::parse(text)?,
        (None, Some(path)) => Script::load(path)?,
        (None, None) => Script::default(),
    };
    let name = args.shape.as_deref().or(script.shape.as_deref());
    let shape = Shape::named(name.ok_or("neither --shape nor a shape in the script")?)?;
    let log = match &args.model_log {
        Some(path) => {
            ModelLog::open(path).map_err(|error| format!("{}: {error}", path.display()))?
        }
        None => ModelLog::default(),
    };
    let specs: Vec<&str> = script
        .faults
        .iter()
        .chain(&args.faults)
        .map(String::as_str)
        .collect();
    let faults = Faults::parse(&specs, args.seed.unwrap_or(1))?;
    let rng = args.seed.map_or_else(Rng::fresh, Rng::new);
    let out = Box::new(std::io::stdout());
    let peer = Peer::new(out, shape.request_ids, faults, rng, args.numbered_updates);
    let api = permission_api(&shape, &args)?;
    let agent = Agent::new(shape, script, args, peer, log, api);
    Ok(Run::Script(Requests::new(agent)))
}

/// opencode serves HTTP where it is given a port.
fn permission_api(shape: &Shape, args: &Args) -> Result<Option<Arc<PermissionApi>>, String> {
    let port = args.agent_values("--port").pop();
    let Some(port) = port.filter(|_| shape.name == "opencode") else {
        return Ok(None);
    };
    let number = port
        .parse()
        .map_err(|_| format!("--port is not a port: {port}"))?;
    let password = std::env::var("OPENCODE_SERVER_PASSWORD").ok();
    let api = PermissionApi::start(number, password.as_deref())
        .map_err(|error| format!("port {port}: {error}"))?;
    Ok(Some(api))
}
