//! The executable that agents start: it joins their pipes to the engine's socket and decides nothing.
//!
//! Three roles, one per invocation: joining an agent's MCP pipes to the engine, asking the engine
//! about one tool call on behalf of an agent's hook, and guarding a program so that no process of it
//! is left behind. Standard library only, because every agent pays its start time and memory once
//! per server and per hook. It never interprets MCP, and a hook that cannot be answered always means
//! "no decision". Read `endpoint` first, the part that both roles facing the engine share; then
//! `stdio`, `hook`, `guardian`; `channel` is what differs between operating systems, connecting
//! included.

use std::ffi::OsString;
use std::process::ExitCode;

mod answer;
mod channel;
mod endpoint;
#[cfg(unix)]
mod guardian;
mod hook;
mod stdio;

/// The engine cannot be reached, or went away while it was needed.
const EXIT_ENGINE_GONE: u8 = 3;
/// The arguments make no sense.
const EXIT_USAGE: u8 = 2;

const USAGE: &str = "\
usage: siderail-relay [--socket PATH] [--token-file PATH] [--agent NAME]
           join standard input and output to the engine's MCP server
       siderail-relay hook [--socket PATH] [--token-file PATH] AGENT [EVENT] [--no-decision allow]
           hand the hook payload on standard input to the engine, print its answer; without one
           print {}, or with --no-decision allow the decision that lets the agent carry on
       siderail-relay guardian --parent PID -- PROGRAM [ARGS...]
           run PROGRAM and end its whole process tree when process PID ends

Without options, the socket is read from SIDERAIL_SOCKET, and the token from the file that
SIDERAIL_TOKEN_FILE names, else from SIDERAIL_TOKEN.
";

/// Runs the role that `args` (without the program's own name) ask for, and returns the exit status.
///
/// Statuses: 0 done, 2 wrong arguments, 3 engine not reachable or gone, 127 program not startable;
/// `hook` returns what the engine says, or 0 with the agent's "no decision"; `guardian` returns the
/// program's own status, 128 + signal where a signal ended it.
pub fn run(
    args: impl Iterator<Item = OsString>,
    env: impl Fn(&str) -> Option<OsString>,
) -> ExitCode {
    let mut args = args.peekable();
    match args.peek().and_then(|first| first.to_str()) {
        Some("--help" | "-h" | "help") => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some("hook") => hook::run(args.skip(1), &env),
        Some("guardian") => channel::guardian(args.skip(1)),
        _ => stdio::run(args, &env),
    }
}

/// Says what is wrong with the arguments, then how they should look.
fn usage_error(what: &str) -> ExitCode {
    eprint!("siderail-relay: {what}\n{USAGE}");
    ExitCode::from(EXIT_USAGE)
}
