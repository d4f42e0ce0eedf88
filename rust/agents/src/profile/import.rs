//! Agents that other programs of the user's know: `agent_servers` of `~/.jetbrains/acp.json`.
//!
//! The file is read and never written. What an entry says of its start is kept word for word, secrets in it are not
//! shown; nothing is known of how its agent treats tools. One bad entry keeps no other from being read.

use std::path::Path;

use serde_json::Value;

use super::{McpDelivery, Profile};
use siderail_state::values;
use siderail_workspace::small_file;

/// A larger file holds no list of agents.
const MOST_BYTES: u64 = 1 << 20;

/// What a file of agents says.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// Its usable entries, in its order.
    pub(super) profiles: Vec<Profile>,
    /// What is wrong with it, a text each.
    pub(super) problems: Vec<String>,
}

/// Reads a file; one that is not there says nothing.
pub(super) fn read(file: &Path, home: Option<&Path>) -> Imported {
    let broken = |why: String| Imported {
        problems: vec![format!(
            "the agents of {} are left out: {why}",
            file.display()
        )],
        ..Imported::default()
    };
    let text = match text(file) {
        Ok(Some(text)) => text,
        Ok(None) => return Imported::default(),
        Err(why) => return broken(why),
    };
    let value: Value = match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(value) => value,
        Err(error) => return broken(format!("it is not JSON: {error}")),
    };
    let Some(servers) = value.get("agent_servers") else {
        // Other things are in it, too.
        return match value.is_object() {
            true => Imported::default(),
            false => broken("it is not a JSON object".to_owned()),
        };
    };
    let Some(servers) = servers.as_object() else {
        return broken("its `agent_servers` is not an object of agents by name".to_owned());
    };
    let mut imported = Imported::default();
    for (name, entry) in servers {
        match profile(name, entry, home) {
            // `siderail acp config` has put it there for the IDE: it is not an agent but ourselves.
            Ok(profile) if is_siderail(&profile) => {}
            Ok(mut profile) => {
                profile.origin = Some(file.to_owned());
                imported.profiles.push(profile);
            }
            Err(why) => imported.problems.push(format!(
                "the agent `{}` of {} is left out: {why}",
                values::shown_name(name),
                file.display()
            )),
        }
    }
    imported
}

fn text(file: &Path) -> Result<Option<String>, String> {
    match small_file::text(file, MOST_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some).map_err(|error| error.to_string()),
    }
}

/// One agent. Problems name members, never values: those may be secret.
fn profile(name: &str, entry: &Value, home: Option<&Path>) -> Result<Profile, String> {
    values::check_name(name)?;
    let command = match entry.get("command").map(Value::as_str) {
        Some(Some(command)) if !command.is_empty() => command,
        Some(Some(_)) | None => return Err("it names no `command`".to_owned()),
        Some(None) => return Err("its `command` is not text".to_owned()),
    };
    let program = match (command.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest).display().to_string(),
        _ => command.to_owned(),
    };
    Ok(Profile {
        name: name.to_owned(),
        title: name.to_owned(),
        program,
        args: values::list("args", entry.get("args"))?,
        env: values::variables("env", entry.get("env"))?,
        advertise_fs: true,
        mcp: McpDelivery::plain(),
        ..Profile::default()
    })
}

fn is_siderail(profile: &Profile) -> bool {
    let program = Path::new(&profile.program).file_stem();
    let is_acp = profile.args.first().is_some_and(|word| word == "acp");
    is_acp && program.is_some_and(|name| name.eq_ignore_ascii_case("siderail"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Imported {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("acp.json");
        std::fs::write(&file, text).expect("written");
        read(&file, Some(Path::new("/home/me")))
    }

    #[test]
    fn command_arguments_and_variables_are_kept_word_for_word() {
        let imported = read_text(
            r#"{"default_mcp_settings": {"use_idea_mcp": true}, "agent_servers": {"My Agent": {
                "command": "~/bin/agent", "args": ["--acp", "a b"], "env": {"KEY": "s=ecret", "PORT": 80}}}}"#,
        );
        assert_eq!(imported.problems, Vec::<String>::new());
        let [agent] = imported.profiles.as_slice() else {
            unreachable!("there is one agent");
        };
        assert_eq!(agent.name, "My Agent");
        assert_eq!(Path::new(&agent.program), Path::new("/home/me/bin/agent"));
        assert_eq!(agent.args, ["--acp", "a b"]);
        assert_eq!((&*agent.env["KEY"], &*agent.env["PORT"]), ("s=ecret", "80"));
    }

    #[test]
    fn our_own_entry_is_no_agent() {
        let imported = read_text(
            r#"{"agent_servers": {
                "Siderail (claude)": {"command": "/opt/siderail", "args": ["acp", "--agent", "claude"], "env": {}},
                "other": {"command": "/opt/siderail-like", "args": ["acp"]}}}"#,
        );
        let names: Vec<_> = imported.profiles.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["other"]);
        assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    }

    #[test]
    fn a_bad_entry_is_named_without_its_values_and_keeps_no_other_away() {
        let imported = read_text(
            r#"{"agent_servers": {"a": {"command": ["x"]}, "b": {"command": "b", "env": {"K": ["secret"]}},
                "": {"command": "c"}, "d": {"command": "d", "args": [1]}, "e": {"command": "e"}}}"#,
        );
        let names: Vec<_> = imported.profiles.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["e"]);
        let problems = imported.problems.join("\n");
        assert_eq!(imported.problems.len(), 4, "{problems}");
        assert!(
            problems.contains("`K`") && !problems.contains("secret"),
            "{problems}"
        );
    }

    #[test]
    fn a_name_that_nobody_can_read_or_type_is_left_out_and_told_in_short() {
        let (long, turned) = ("n".repeat(70_000), "turned\u{202e}name");
        let imported = read_text(&format!(
            r#"{{"agent_servers": {{"{long}": {{"command": "a"}}, "{turned}": {{"command": "b"}}, "\t": {{"command": "c"}}}}}}"#
        ));
        assert!(imported.profiles.is_empty());
        let problems = imported.problems.join("\n");
        assert_eq!(imported.problems.len(), 3, "{problems}");
        assert!(problems.contains("more than 64") && problems.contains("invisible"));
        assert!(
            !problems.contains('\u{202e}') && problems.len() < 1_000,
            "{problems}"
        );
    }

    #[test]
    fn a_file_that_is_none_of_agents_is_said_or_says_nothing() {
        for (text, problem) in [
            ("", "not JSON"),
            ("[]", "not a JSON object"),
            (r#"{"agent_servers": []}"#, "not an object of agents"),
        ] {
            let imported = read_text(text);
            assert!(imported.problems[0].contains(problem), "{text}");
            assert!(imported.problems[0].contains("acp.json"), "{text}");
        }
        assert!(read_text("{}").problems.is_empty());
        assert!(
            read(Path::new("/no/such/acp.json"), None)
                .problems
                .is_empty()
        );
    }
}
