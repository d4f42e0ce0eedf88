//! Chooses the agent if none is named: the one in the settings, else the only one that is installed, else the person's
//! choice.

use siderail_engine::ProfileInfo;
use siderail_engine::settings::Settings;

use crate::exit::Failure;
use crate::menu;
use crate::terminal::{Manners, print_error};

/// Finds the agent.
///
/// # Errors
/// None is installed, several are and nobody can be asked, or the person has cancelled.
pub(crate) fn choose(
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
            "no agent was named, and none is installed",
            "install one (`siderail agents` lists them), or name one with --agent",
        )),
        [only] => {
            print_error(&format!("using {only}, the only agent installed\n"));
            Ok((*only).to_owned())
        }
        several if manners.asks => pick(several),
        several => Err(Failure::usage(
            "no agent was named",
            format!(
                "name one with --agent, SIDERAIL_AGENT or `agent` in the settings; installed: {}",
                several.join(", ")
            ),
        )),
    }
}

/// Asks at the terminal.
fn pick(found: &[&str]) -> Result<String, Failure> {
    let rows: Vec<String> = found.iter().map(|name| (*name).to_owned()).collect();
    let question = "Which agent? (`siderail config set agent NAME` saves the answer)";
    let chosen = menu::choose(question, &rows, found, None, "no agent was chosen");
    chosen
        .map(|at| rows[at].clone())
        .map_err(|failure| failure.hint("name one with --agent; `siderail agents` lists them"))
}
