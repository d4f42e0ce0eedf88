//! Which tools the model does not have, and which of them are asked for: the agents' own settings,
//! read where the agents read them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::args::Args;
use crate::settings;

/// The tools of a session that are hidden, or asked for by configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    names: BTreeSet<String>,
    /// Where set, only these are offered: tool names, or names of whole MCP servers.
    only: Option<BTreeSet<String>>,
    /// True: `only` does not touch MCP tools.
    mcp_stays: bool,
    /// opencode's permission table: name, or pattern with `*`, and what is to be done.
    permissions: BTreeMap<String, String>,
}

impl Hidden {
    /// Reads the settings of the shape.
    #[must_use]
    pub fn read(shape: &str, args: &Args, new_session: &Value) -> Self {
        let mut hidden = Self::default();
        match shape {
            "copilot" => {
                hidden
                    .names
                    .extend(args.agent_list("--excluded-tools").into_iter().flatten());
                hidden.only = args
                    .agent_list("--available-tools")
                    .map(BTreeSet::from_iter);
            }
            "claude" => hidden.claude(&new_session["_meta"]["claudeCode"]),
            "codex" | "codex-zed" => {
                let features = &settings::codex(args)["features"];
                if features["shell_tool"] == false && features["unified_exec"] == false {
                    hidden.names.insert("exec_command".to_owned());
                }
            }
            "gemini" => hidden.gemini(args),
            "qwen" => hidden.qwen(args),
            "opencode" => hidden.opencode(),
            "fast-agent" if args.agent.iter().any(|word| word == "--no-shell") => {
                hidden.names.insert("execute".to_owned());
            }
            _ => {}
        }
        hidden
    }

    fn claude(&mut self, meta: &Value) {
        let options = &meta["options"];
        self.names.extend(texts(&options["disallowedTools"]));
        self.names
            .extend(texts(&options["settings"]["permissions"]["deny"]));
        self.mcp_stays = true;
        if meta["disableBuiltInTools"] == true || options["disableBuiltInTools"] == true {
            self.only = Some(BTreeSet::new());
        } else if options["tools"].is_array() {
            self.only = Some(texts(&options["tools"]).collect());
        }
    }

    fn gemini(&mut self, args: &Args) {
        for variable in [
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        ] {
            let tools = &settings::json_from_variable(variable)["tools"];
            self.names.extend(texts(&tools["exclude"]));
            if tools["core"].is_array() {
                self.only = Some(texts(&tools["core"]).collect());
            }
        }
        for file in args.agent_values("--policy") {
            let policy = settings::toml_file(Path::new(&file));
            for rule in policy["rule"].as_array().into_iter().flatten() {
                // A rule on arguments denies the call but leaves the tool in sight.
                if rule["decision"] == "deny" && rule.get("argsPattern").is_none() {
                    self.names
                        .extend(rule["toolName"].as_str().map(str::to_owned));
                    self.names.extend(texts(&rule["toolName"]));
                }
            }
        }
    }

    fn qwen(&mut self, args: &Args) {
        self.names
            .extend(args.agent_list("--exclude-tools").into_iter().flatten());
        let defaults = settings::json_from_variable("QWEN_CODE_SYSTEM_DEFAULTS_PATH");
        self.names.extend(texts(&defaults["tools"]["exclude"]));
        self.names.extend(texts(&defaults["permissions"]["deny"]));
    }

    fn opencode(&mut self) {
        let config = settings::opencode();
        for (name, offered) in config["tools"].as_object().into_iter().flatten() {
            if offered == false {
                self.names.insert(name.clone());
            }
        }
        for (name, decision) in config["permission"].as_object().into_iter().flatten() {
            let decision = decision.as_str().unwrap_or("ask").to_owned();
            self.permissions.insert(name.clone(), decision);
        }
    }

    /// True where the agent's configuration says that `name` is to be asked for.
    #[must_use]
    pub fn asks(&self, name: &str) -> bool {
        self.permission(name) == Some("ask")
    }

    /// True where the agent's configuration denies `name`; the model then does not have the tool.
    #[must_use]
    pub fn denies(&self, name: &str) -> bool {
        self.permission(name) == Some("deny")
    }

    /// True where the model does not have the tool `name` (of `server`, for MCP tools).
    #[must_use]
    pub fn hides(&self, name: &str, also: &[String], server: Option<&str>) -> bool {
        let listed = |name: &str| self.names.contains(name);
        if listed(name) || also.iter().any(|name| listed(name)) {
            return true;
        }
        let Some(only) = &self.only else { return false };
        match server {
            Some(_) if self.mcp_stays => false,
            Some(server) => !only.contains(name) && !only.contains(server),
            None => !only.contains(name),
        }
    }

    fn permission(&self, name: &str) -> Option<&str> {
        let matches = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        // The most exact entry wins: a name before its pattern, a long pattern before a short one.
        self.permissions
            .iter()
            .filter(|(pattern, _)| matches(pattern))
            .max_by_key(|(pattern, _)| pattern.len())
            .map(|(_, decision)| decision.as_str())
    }
}

fn texts(list: &Value) -> impl Iterator<Item = String> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Hidden;
    use crate::args::Args;

    fn read(shape: &str, words: &[&str], new_session: serde_json::Value) -> Hidden {
        let args = Args::parse(words.iter().map(Into::into).collect()).expect("valid words");
        Hidden::read(shape, &args, &new_session)
    }

    #[test]
    fn copilot_offers_only_the_server_that_is_named() {
        let hidden = read("copilot", &["--available-tools", "ours"], json!({}));
        assert!(hidden.hides("bash", &[], None));
        assert!(!hidden.hides("ours-read", &[], Some("ours")));
        assert!(hidden.hides("other-read", &[], Some("other")));
    }

    #[test]
    fn copilot_leaves_out_what_is_excluded() {
        let hidden = read("copilot", &["--excluded-tools=bash,edit"], json!({}));
        assert!(hidden.hides("bash", &[], None) && hidden.hides("create", &["edit".into()], None));
        assert!(!hidden.hides("view", &[], None));
    }

    #[test]
    fn claude_without_built_in_tools_keeps_those_of_servers() {
        let none = json!({"_meta": {"claudeCode": {"options": {"tools": []}}}});
        let some = json!({"_meta": {"claudeCode": {"options": {"disallowedTools": ["Bash"]}}}});
        let hidden = read("claude", &[], none);
        assert!(hidden.hides("Bash", &[], None));
        assert!(!hidden.hides("mcp__ours__read", &[], Some("ours")));
        let hidden = read("claude", &[], some);
        assert!(hidden.hides("Bash", &[], None) && !hidden.hides("Edit", &[], None));
    }
}
