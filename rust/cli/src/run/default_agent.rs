//! The agent where none is named: the one that is set, else the only one that is installed, else the person's choice.

use siderail_engine::ProfileInfo;
use siderail_engine::settings::Settings;

use crate::exit::Failure;
use crate::terminal::{Manners, print_error};

/// Finds the agent.
///
/// # Errors
/// None is installed, or several are and nobody can be asked.
pub(super) fn choose(
    settings: &Settings,
    profiles: &[ProfileInfo],
    manners: Manners,
) -> Result<String, Failure> {
    if let Some(agent) = &settings.agent {
        return Ok(agent.clone());
    }
    let found: Vec<&str> = profiles
        .iter()
        .filter(|profile| profile.found.is_some())
        .map(|profile| profile.name.as_str())
        .collect();
    match found.as_slice() {
        [] => Err(Failure::usage(
            "no agent is named, and none is installed",
            "install one (`siderail agents` lists them), or name one with --agent",
        )),
        [only] => {
            print_error(&format!("using {only}, the only agent that is installed\n"));
            Ok((*only).to_owned())
        }
        several if manners.asks => pick(several),
        several => Err(Failure::usage(
            "no agent is named",
            format!(
                "name one with --agent, SIDERAIL_AGENT or `agent` in the settings; installed: {}",
                several.join(", ")
            ),
        )),
    }
}

/// Asks at the terminal.
fn pick(found: &[&str]) -> Result<String, Failure> {
    print_error("Which agent?\n");
    for (number, name) in found.iter().enumerate() {
        print_error(&format!("  {}  {name}\n", number + 1));
    }
    loop {
        print_error(&format!(
            "[1 to {}; `agent` in the settings saves the question] ",
            found.len()
        ));
        let mut line = String::new();
        let n_read = std::io::stdin().read_line(&mut line).unwrap_or(0);
        let typed = line.trim();
        let number = typed.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let by_number = number.and_then(|at| found.get(at));
        if let Some(name) = by_number.or_else(|| found.iter().find(|name| **name == typed)) {
            return Ok((*name).to_owned());
        }
        if n_read == 0 || typed.is_empty() {
            let hint = "name one with --agent; `siderail agents` lists them";
            return Err(Failure::usage("no agent was chosen", hint));
        }
    }
}
