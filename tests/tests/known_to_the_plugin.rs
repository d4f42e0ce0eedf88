//! The agents and tools that the plugin's settings show are those of the engine: one Kotlin file, written by this test.
//!
//! `SIDERAIL_BLESS=1` writes it anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use siderail_engine::guard::guidance::Surroundings;
use siderail_engine::guard::tool::{Needs, Runner, Tool};
use siderail_engine::profile::Profiles;
use siderail_engine::tools::definitions;

const FILE: &str = "plugin/src/main/kotlin/dev/siderail/settings/Known.kt";
const HEAD: &str = r#"package dev.siderail.settings

/*
 * Written by tests/tests/known_to_the_plugin.rs from the engine's profiles and its table of tools; run it with
 * SIDERAIL_BLESS=1 once either has changed.
 */

/** An agent whose profile the engine has. */
data class KnownAgent(val id: String, val title: String, val install: String)

/** The agents to choose from. */
object KnownAgents {
    val all = listOf(
"#;
const TOOLS: &str = r#"    )

    fun title(id: String): String = all.find { it.id == id }?.title ?: id
}

/** The tools that can be switched off, in the order of their themes. */
object KnownTools {
    val all = listOf(
"#;
const EXPERIMENTAL: &str = r#"    )

    /** Offered only where the person has switched such tools on. */
    val experimental = setOf(
"#;
const COMMANDS: &str = r#"    )

    /** Those that are given a command line. */
    val commands = setOf(
"#;

#[test]
fn the_plugin_knows_the_engines_agents_and_tools() {
    let made = made();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FILE);
    if std::env::var_os("SIDERAIL_BLESS").is_some() {
        std::fs::write(&file, &made).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&file).expect("the plugin's file");
    let differs = made.lines().zip(kept.lines()).find(|(a, b)| a != b);
    assert!(
        made == kept,
        "SIDERAIL_BLESS=1 writes {FILE} anew; first difference: {differs:?}"
    );
}

fn made() -> String {
    let mut text = HEAD.to_owned();
    let profiles = Profiles::load(&[] as &[PathBuf]);
    assert!(profiles.problems().is_empty(), "{:?}", profiles.problems());
    let mut agents: Vec<_> = profiles.iter().collect();
    agents.sort_by_key(|agent| agent.title.to_lowercase());
    for agent in agents {
        let words = [&agent.name, &agent.title, &agent.install].map(|word| quoted(word));
        let _ = writeln!(text, "        KnownAgent({}),", words.join(", "));
    }
    text.push_str(TOOLS);
    let offered = definitions(Tool::ALL, Surroundings::Ide);
    let tools = offered.iter().map(|offered| Tool::named(&offered.name));
    let tools: Vec<Tool> = tools.collect::<Option<_>>().expect("tools of the table");
    let is_on_trial = |tool: &Tool| tool.runner() == Runner::HostOnTrial;
    let is_command = |tool: &Tool| tool.needs() == Needs::Command;
    list(&mut text, tools.iter().copied());
    text.push_str(EXPERIMENTAL);
    list(&mut text, tools.iter().copied().filter(is_on_trial));
    text.push_str(COMMANDS);
    list(&mut text, tools.iter().copied().filter(is_command));
    text + "    )\n}\n"
}

fn list(text: &mut String, tools: impl Iterator<Item = Tool>) {
    for tool in tools {
        let _ = writeln!(text, "        {},", quoted(tool.name()));
    }
}

/// As Kotlin writes a text.
fn quoted(text: &str) -> String {
    format!("{text:?}").replace('$', "\\$")
}
