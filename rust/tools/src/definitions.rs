//! The tool table: names, arguments and descriptions as models read them.
//!
//! Rules behind the texts (MCP 2025-11-25 and what agents do with tool lists): schemas are flat with one `type` each,
//! since agents drop unions, bounds and defaults, so that texts name bounds and defaults; all four annotations are
//! given; descriptions say what a tool is for and never what other tools are not for. The order is fixed. This table
//! does not know who runs a tool.

mod code;
mod files;
mod git;
mod ide;
mod network;
mod project;
mod run;
mod schema;

use std::sync::Arc;

use siderail_guard::Tool;
use siderail_guard::guidance::{NameForm, Surroundings};
use siderail_guard::tool::Runner;
use siderail_mcp::ToolDefinition;

/// The definitions of the offered tools, in the table's order.
pub fn definitions(offered: &[Tool], surroundings: Surroundings) -> Vec<ToolDefinition> {
    table(surroundings)
        .into_iter()
        .filter(|definition| offered.iter().any(|tool| tool.name() == definition.name))
        .collect()
}

/// Tools that agents are offered at once. Some models and agents take no more.
pub const AT_ONCE: usize = 40;

/// Leaves out tools above the limit: those on trial, the last ones first. A person who wants them switches others off.
pub fn at_once(offered: &mut Vec<Tool>) {
    let is_on_trial = |tool: &Tool| tool.runner() == Runner::HostOnTrial;
    while offered.len() > AT_ONCE {
        let Some(last) = offered.iter().rposition(is_on_trial) else {
            return;
        };
        offered.remove(last);
    }
}

/// The same tools under the names that an agent takes.
pub fn offered_as(tools: &Arc<[ToolDefinition]>, names: &NameForm) -> Arc<[ToolDefinition]> {
    let name_of = |tool: &ToolDefinition| {
        let mut renamed = names.renamed();
        let found = renamed.find(|(ours, _)| ours.name() == tool.name);
        found.map(|(_, theirs)| theirs)
    };
    if tools.iter().all(|tool| name_of(tool).is_none()) {
        return Arc::clone(tools);
    }
    let renamed = tools.iter().map(|tool| ToolDefinition {
        name: name_of(tool).unwrap_or(&tool.name).to_owned(),
        description: names.in_text(tool.description.clone()),
        ..tool.clone()
    });
    renamed.collect()
}

/// What agents may see of the whole list, in bytes of JSON. Every model request carries it, some agents
/// cut or refuse long ones, and 33 KB made a model API refuse the request.
pub const MOST_BYTES: usize = 28_000;

/// The whole table, as in an IDE.
pub fn all() -> Vec<ToolDefinition> {
    table(Surroundings::Ide)
}

fn table(surroundings: Surroundings) -> Vec<ToolDefinition> {
    let mut table = files::definitions(surroundings);
    table.extend(code::definitions());
    table.extend(run::definitions());
    table.extend(git::definitions());
    table.extend(network::definitions());
    table.extend(project::definitions());
    table.extend(ide::definitions());
    table
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn names_are_unique_short_and_without_prefix() {
        let mut names: Vec<String> = all().into_iter().map(|tool| tool.name).collect();
        for name in &names {
            assert!(name.len() <= 40 && name.starts_with(|first: char| first.is_ascii_lowercase()));
            assert!(
                name.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
                "{name}"
            );
        }
        let n_names = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), n_names);
    }

    #[test]
    fn at_most_forty_are_offered_and_those_on_trial_give_way() {
        let every: Vec<Tool> = Tool::all().collect();
        let mut offered = every.clone();
        at_once(&mut offered);
        assert_eq!(offered.len(), AT_ONCE);
        for tool in every.iter().filter(|tool| !offered.contains(tool)) {
            assert_eq!(tool.runner(), Runner::HostOnTrial, "{tool:?}");
        }
        // Switching others off brings them back.
        let mut fewer: Vec<Tool> = every.into_iter().filter(|tool| !tool.is_git()).collect();
        let before = fewer.clone();
        at_once(&mut fewer);
        assert_eq!(fewer, before);
    }

    #[test]
    fn descriptions_fit_every_agent_and_the_whole_list_is_small() {
        for tool in all() {
            let n_chars = tool.description.chars().count();
            assert!((40..=1_200).contains(&n_chars), "{}: {n_chars}", tool.name);
            assert!(!tool.title.is_empty());
            assert!(!tool.description.contains(" never "), "{}", tool.name);
        }
        let mut offered: Vec<Tool> = Tool::all().collect();
        at_once(&mut offered);
        let offered = definitions(&offered, Surroundings::Ide);
        let list = serde_json::to_string(&offered).expect("plain data");
        assert!(list.len() < MOST_BYTES, "{}", list.len());
    }

    #[test]
    fn schemas_are_flat_with_one_plain_type_each() {
        for tool in all() {
            assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
            let properties = tool.input_schema["properties"]
                .as_object()
                .expect("members");
            for (name, member) in properties {
                let at = format!("{}.{name}", tool.name);
                let kind = member["type"].as_str().expect(&at);
                assert!(
                    ["string", "integer", "boolean", "array"].contains(&kind),
                    "{at}"
                );
                assert!(member["description"].is_string(), "{at}");
                for (word, _) in member.as_object().expect(&at) {
                    let known = ["type", "description", "enum", "items"];
                    assert!(known.contains(&word.as_str()), "{at}: {word}");
                }
            }
            let required = tool.input_schema.get("required").and_then(Value::as_array);
            for name in required.into_iter().flatten() {
                assert!(properties.contains_key(name.as_str().expect("a name")));
            }
        }
    }

    #[test]
    fn numbers_and_flags_say_their_bounds_and_defaults_in_words() {
        for tool in all() {
            let properties = tool.input_schema["properties"]
                .as_object()
                .expect("members");
            for (name, member) in properties {
                let words = member["description"].as_str().expect("a description");
                let at = format!("{}.{name}: {words}", tool.name);
                match member["type"].as_str() {
                    Some("boolean") => assert!(words.ends_with("Default false."), "{at}"),
                    Some("integer") => assert!(
                        words.contains("From ") || words.contains(", default "),
                        "{at}"
                    ),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn no_argument_has_a_name_that_breaks_an_agent() {
        // A real agent fails on a schema with a member of that name.
        for tool in all() {
            assert!(
                tool.input_schema["properties"].get("kind").is_none(),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn reading_tools_are_marked_as_such_and_changing_ones_are_not() {
        let tools = all();
        let is_read_only = |name: &str| {
            let tool = tools.iter().find(|tool| tool.name == name).expect(name);
            tool.annotations.read_only
        };
        for name in [
            "intellij_read_file",
            "list_project_files",
            "search_text",
            "get_test_results",
            "get_project_info",
        ] {
            assert!(is_read_only(name), "{name}");
        }
        for name in [
            "intellij_write_file",
            "delete_file",
            "move_file",
            "run_tests",
            "run_command",
        ] {
            assert!(!is_read_only(name), "{name}");
        }
    }

    #[test]
    fn only_offered_tools_are_listed_in_a_fixed_order() {
        let names = |offered: &[Tool]| -> Vec<String> {
            let tools = definitions(offered, Surroundings::Ide);
            tools.into_iter().map(|tool| tool.name).collect()
        };
        assert_eq!(
            names(&[Tool::RunTests, Tool::ReadFile]),
            ["intellij_read_file", "run_tests"]
        );
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn each_tool_of_the_guards_table_has_a_definition_and_the_other_way_round() {
        let tools = all();
        let mut defined: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let mut known: Vec<&str> = Tool::all().map(Tool::name).collect();
        defined.sort_unstable();
        known.sort_unstable();
        assert_eq!(defined, known);
    }
}
