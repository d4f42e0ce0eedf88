//! `siderail agents login`: logs in to an agent by one of its own ways, and checks whether it then opens a session.
//!
//! The agent carries it out where it can; else its command is run in this terminal, or printed if nobody is there.
//! Logins and secrets stay with the agent: nothing is kept or read here.

use siderail_engine::acp::process::{CommandLine, ProcessTree, Streams};
use siderail_engine::login::{LoginHow, LoginWay};

use crate::args::LoginArgs;
use crate::bench::{Bench, Outcome, on_bench};
use crate::exit::{Exit, Failure};
use crate::setup::Setup;
use crate::style::one_line;
use crate::terminal::print;
use crate::terminal::print_error;

/// Characters of what an agent says.
const LINE: usize = 400;

/// Runs the command.
pub(crate) fn run(args: &LoginArgs, setup: &Setup) -> Result<Exit, Failure> {
    let done = on_bench(args, None, setup, async |bench| {
        log_in(bench, args, setup).await
    })?;
    print(&format!("{}: {done}\n", one_line(&args.agent, LINE)))
}

async fn log_in(
    bench: &mut Bench,
    args: &LoginArgs,
    setup: &Setup,
) -> Result<&'static str, Failure> {
    let first = bench.try_out(None).await?;
    let ways = match (first, &args.method) {
        (Outcome::Open(_), None) => return Ok("already logged in"),
        (Outcome::Open(ways) | Outcome::Wants { ways, .. }, Some(_)) => ways,
        (Outcome::Wants { ways, text, hint }, None) if ways.is_empty() => {
            let mut failure = Failure::new(Exit::LoginNeeded, one_line(&text, LINE));
            failure.hint = hint;
            return Err(failure);
        }
        (Outcome::Wants { ways, .. }, None) => ways,
    };
    let way = chosen(&ways, args)?;
    let again = match &way.how {
        LoginHow::Agent => {
            let name = one_line(&way.to_string(), LINE);
            print_error(&format!(
                "the agent logs in by {name}; it may open a browser\n"
            ));
            bench.try_out(Some(&way.id)).await?
        }
        LoginHow::Command { line, typed, .. } => {
            in_terminal(line, &one_line(typed, LINE), args, setup).await?;
            bench.try_out(None).await?
        }
        LoginHow::Variables { names, given } => {
            let names = one_line(&names.join(" or "), LINE);
            let what = format!("{} logs in with {names}", args.agent);
            let hint = match given.is_empty() {
                true => format!("set {names} in the environment, or with --agent-env"),
                false => {
                    let given = one_line(&given.join(" and "), LINE);
                    format!(
                        "{given} is set, but the agent rejects its value: check that it is the right one"
                    )
                }
            };
            return Err(Failure::new(Exit::LoginNeeded, what).hint(hint));
        }
        LoginHow::Unknown(_) => {
            let what = one_line(&way.to_string(), LINE);
            let hint = "start the agent itself and log in there";
            return Err(Failure::new(Exit::LoginNeeded, what).hint(hint));
        }
    };
    match again {
        Outcome::Open(_) => Ok("logged in"),
        Outcome::Wants { text, hint, .. } => {
            let what = format!("it is still not logged in: {}", one_line(&text, LINE));
            let mut failure = Failure::new(Exit::LoginNeeded, what);
            failure.hint = hint;
            Err(failure)
        }
    }
}

/// The way that was named, or the only one.
fn chosen<'a>(ways: &'a [LoginWay], args: &LoginArgs) -> Result<&'a LoginWay, Failure> {
    let there_are = || {
        let each = ways.iter().map(|way| {
            let text = one_line(&way.to_string(), LINE);
            format!("  --method {}   {text}", one_line(&way.id, LINE))
        });
        each.collect::<Vec<_>>().join("\n")
    };
    match (&args.method, ways) {
        (None, [way]) => Ok(way),
        (None, _) => {
            let what = format!("{} has several login methods", args.agent);
            Err(Failure::usage(what, format!("take one:\n{}", there_are())))
        }
        (Some(id), _) => ways.iter().find(|way| way.id == *id).ok_or_else(|| {
            let what = format!("{} has no login method `{id}`", args.agent);
            let hint = match ways {
                [] => "it offers none".to_owned(),
                _ => format!("take one:\n{}", there_are()),
            };
            Failure::usage(what, hint)
        }),
    }
}

/// Runs a login command where the person sits, if there is one.
async fn in_terminal(
    line: &CommandLine,
    typed: &str,
    args: &LoginArgs,
    setup: &Setup,
) -> Result<(), Failure> {
    if !setup.manners.asks {
        let what = format!("logging in to {} needs a terminal", args.agent);
        return Err(
            Failure::new(Exit::LoginNeeded, what).hint(format!("in a terminal run: {typed}"))
        );
    }
    print_error(&format!("running: {typed}\n"));
    let failed = |why: String| {
        let what = format!("the login of {} {why}", args.agent);
        Failure::new(Exit::LoginNeeded, what).hint(format!("in a terminal run: {typed}"))
    };
    let mut login = ProcessTree::spawn(line, None, Streams::Inherited)
        .map_err(|error| failed(format!("cannot be started: {error}")))?;
    match login.wait().await {
        exit if exit.is_success() => Ok(()),
        exit => Err(failed(exit.to_string())),
    }
}
