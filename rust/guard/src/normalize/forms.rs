//! Tool names as agents write them: ours, and those of other MCP servers, folded to a bare name.
//!
//! Our names are matched whole against every known form, never by prefix or ending: a name that
//! merely contains ours is somebody else's.

use super::names::AgentNames;
use super::quirk::Quirk;
use crate::action::Identity;
use crate::tool::Tool;

/// Our own tool in any form that names our server. Agents turn `-` in a server's name into `_`.
pub(super) fn own(text: &str, names: &AgentNames) -> Option<Identity> {
    let (server, tool) = split(text).or_else(|| after_our_server(text, names.server))?;
    own_of(server, tool, names).map(Identity::OwnTool)
}

/// A tool of some server, in a form that cannot be anything else: ours or another's.
pub(super) fn any(text: &str, names: &AgentNames) -> Option<Identity> {
    own(text, names).or_else(|| {
        let (server, tool) = split(text)?;
        Some(Identity::OtherMcp {
            server: server.to_owned(),
            tool: tool.to_owned(),
        })
    })
}

/// A tool of a server that fields name apart.
pub(super) fn of_server(server: &str, tool: &str, names: &AgentNames) -> Identity {
    match own_of(server, tool, names) {
        Some(own) => Identity::OwnTool(own),
        None => Identity::OtherMcp {
            server: server.to_owned(),
            tool: tool.to_owned(),
        },
    }
}

fn own_of(server: &str, tool: &str, names: &AgentNames) -> Option<Tool> {
    let is_ours = is_our_server(server, names.server);
    names.own_tool(tool).filter(|_| is_ours)
}

/// A bare name of one of our tools that no built-in tool has: all that begin with `intellij_`, and
/// all of them where the agent drops the server's name.
pub(super) fn bare(text: &str, names: &AgentNames) -> Option<Identity> {
    let is_unique = text.starts_with("intellij_") || names.has(Quirk::BareNames);
    let own = names.own_tool(text).filter(|_| is_unique);
    own.map(Identity::OwnTool)
}

/// `server/tool`, which few agents write bare; elsewhere it is a path.
pub(super) fn slashed(text: &str, names: &AgentNames) -> Option<Identity> {
    let (server, tool) = text.split_once('/')?;
    // Requests for our own files and terminals are named after ACP's methods.
    let is_method = matches!(server, "fs" | "terminal");
    (names.has(Quirk::SlashedNames) && !is_method && is_name(server) && is_name(tool))
        .then(|| of_server(server, tool, names))
}

/// Server and tool of `mcp__s__t`, `mcp__s.t`, `mcp__s::t`, `mcp.s.t`, `mcp_s.t`, `tools.mcp_s.t`,
/// `t (s MCP Server)`, `Tool: s/t`, `Running: @s/t`.
fn split(text: &str) -> Option<(&str, &str)> {
    let found = if let Some(rest) = text.strip_prefix("mcp__") {
        ["__", "::", "."].iter().find_map(|by| rest.split_once(by))
    } else if let Some(rest) = text.strip_prefix("mcp.") {
        rest.split_once('.')
    } else if let Some(rest) = text
        .strip_prefix("tools.mcp_")
        .or_else(|| text.strip_prefix("mcp_"))
    {
        rest.split_once('.')
    } else if let Some(rest) = text.strip_suffix(" MCP Server)") {
        rest.split_once(" (").map(|(tool, server)| (server, tool))
    } else if let Some(rest) = text.strip_prefix("Tool: ") {
        rest.split_once('/')
    } else if let Some(rest) = text.strip_prefix("Running: @") {
        rest.split_once('/')
    } else {
        None
    };
    found.filter(|(server, tool)| is_name(server) && is_name(tool))
}

/// The forms that only our server's name makes unambiguous: `s-t`, `s_t`, `s__t`, `s/t`, `s(t)`,
/// `mcp_s_t`.
fn after_our_server<'a>(text: &'a str, server: &'a str) -> Option<(&'a str, &'a str)> {
    let with_underscores = server.replace('-', "_");
    let text = text.strip_prefix("mcp_").unwrap_or(text);
    let rest = text
        .strip_prefix(server)
        .or_else(|| text.strip_prefix(with_underscores.as_str()))?;
    let tool = rest
        .strip_prefix("__")
        .or_else(|| rest.strip_prefix(['-', '_', '/']))
        .or_else(|| {
            rest.strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'))
        })?;
    is_name(tool).then_some((server, tool))
}

fn is_our_server(name: &str, server: &str) -> bool {
    name == server || name == server.replace('-', "_")
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: AgentNames = AgentNames {
        quirks: &[],
        tool_name_in_meta: &[],
        server: "intellij-code-tools",
        own_tools: &[Tool::ReadFile, Tool::RunTests],
        title_is_command: true,
    };

    #[test]
    fn every_form_of_an_own_name_folds_to_one() {
        for text in [
            "mcp__intellij-code-tools__run_tests",
            "mcp__intellij_code_tools__run_tests",
            "mcp__intellij_code_tools.run_tests",
            "mcp__intellij_code_tools::run_tests",
            "mcp_intellij-code-tools_run_tests",
            "mcp_intellij_code_tools.run_tests",
            "tools.mcp_intellij_code_tools.run_tests",
            "mcp.intellij-code-tools.run_tests",
            "intellij-code-tools__run_tests",
            "intellij-code-tools_run_tests",
            "intellij-code-tools-run_tests",
            "intellij-code-tools/run_tests",
            "intellij-code-tools(run_tests)",
            "run_tests (intellij-code-tools MCP Server)",
            "Tool: intellij-code-tools/run_tests",
            "Running: @intellij-code-tools/run_tests",
        ] {
            assert_eq!(
                any(text, &NAMES),
                Some(Identity::OwnTool(Tool::RunTests)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_name_that_contains_ours_is_not_ours() {
        for text in [
            "run_tests",
            "xintellij-code-tools-run_tests",
            "intellij-code-tools-run_tests2",
            "intellij-code-tools-run_tests && rm -rf src",
            "mcp__evil__intellij-code-tools__run_tests",
            "mcp__intellij-code-tools-2__run_tests",
            "run_tests (evil MCP Server)",
            "mcp__intellij-code-tools__no_such_tool",
            "Tool: intellij-code-tools/run_tests/..",
            "intellij-code-tools",
            "",
        ] {
            assert_eq!(own(text, &NAMES), None, "{text}");
        }
    }

    #[test]
    fn tools_of_other_servers_are_told_by_server_and_name() {
        for (text, server, tool) in [
            ("mcp__github__create_issue", "github", "create_issue"),
            ("mcp.github.create_issue", "github", "create_issue"),
            ("create_issue (github MCP Server)", "github", "create_issue"),
            ("Tool: github/create_issue", "github", "create_issue"),
        ] {
            let want = Identity::OtherMcp {
                server: server.to_owned(),
                tool: tool.to_owned(),
            };
            assert_eq!(any(text, &NAMES), Some(want), "{text}");
        }
        assert_eq!(any("src/App.java", &NAMES), None);
        assert_eq!(any("cat src/App.java", &NAMES), None);
    }

    #[test]
    fn a_bare_name_is_ours_only_where_no_built_in_tool_can_have_it() {
        let openhands = AgentNames {
            quirks: &[Quirk::BareNames],
            ..NAMES
        };
        assert!(bare("intellij_read_file", &NAMES).is_some());
        assert!(bare("run_tests", &NAMES).is_none());
        assert!(bare("run_tests", &openhands).is_some());
        let fast_agent = AgentNames {
            quirks: &[Quirk::SlashedNames],
            ..NAMES
        };
        assert_eq!(
            slashed("intellij-code-tools/run_tests", &fast_agent),
            Some(Identity::OwnTool(Tool::RunTests))
        );
        assert!(slashed("other/run_tests", &fast_agent).is_some_and(|identity| !identity.is_own()));
        assert_eq!(slashed("src/main", &NAMES), None);
        assert_eq!(slashed("fs/write_text_file", &fast_agent), None);
    }
}
