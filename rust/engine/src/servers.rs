//! MCP servers of the user's own, which agents get beside ours: `mcp.json` in the settings folder, in the form that
//! other clients read, too.
//!
//! Which of them an agent gets is decided by what it says it takes and by what its profile knows better; what it does
//! not get is said. `${NAME}` stands for a variable of the environment, so that no secret has to stand in the file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests::McpServer;

use crate::profile::McpDelivery;
use crate::tools::SERVER;

/// Servers of the user's, ready to be handed on.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserServers {
    servers: Vec<McpServer>,
    /// What could not be used, for the user.
    untold: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "mcpServers", default)]
    servers: BTreeMap<String, Given>,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Given {
    #[serde(rename = "type")]
    kind: Option<String>,
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
    disabled: bool,
}

impl UserServers {
    /// Reads the user's file; without one there are none.
    pub(crate) fn read(file: &Path, env: &BTreeMap<String, String>) -> Self {
        let mut found = Self::default();
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return found,
            Err(error) => {
                found
                    .untold
                    .push(format!("{} cannot be read: {error}", file.display()));
                return found;
            }
        };
        let given: File = match serde_json::from_str(&text) {
            Ok(given) => given,
            Err(error) => {
                // The parser's words may hold a value, which may be a secret.
                let at = format!("line {}, column {}", error.line(), error.column());
                let text = format!("{} is no list of MCP servers ({at})", file.display());
                found.untold.push(text);
                return found;
            }
        };
        for (name, given) in given.servers {
            if given.disabled {
                continue;
            }
            match given.server(&name, env) {
                Ok(server) => found.servers.push(server),
                Err(why) => found
                    .untold
                    .push(format!("the MCP server `{name}` is left out: {why}")),
            }
        }
        found
    }

    /// Values that no event and no trace may tell: those of headers and variables.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let values = self.servers.iter().flat_map(|server| match server {
            McpServer::Stdio { env, .. } => env.values().cloned().collect::<Vec<_>>(),
            McpServer::Http { headers, .. } | McpServer::Sse { headers, .. } => {
                headers.values().cloned().collect()
            }
        });
        values.filter(|value| value.len() > 3).collect()
    }

    /// Those that an agent gets, and what is to be said of the others.
    pub(crate) fn for_agent(
        &self,
        capabilities: &AgentCapabilities,
        mcp: &McpDelivery,
    ) -> (Vec<McpServer>, Vec<String>) {
        let mut told = self.untold.clone();
        let mut servers = Vec::new();
        for server in &self.servers {
            let (name, kind, offered) = match server {
                McpServer::Stdio { name, .. } => (name, "stdio", true),
                McpServer::Http { name, .. } => (name, "http", capabilities.mcp_http),
                McpServer::Sse { name, .. } => (name, "sse", capabilities.mcp_sse),
            };
            let is_in = |list: &[String], word: &str| list.iter().any(|one| one == word);
            let why = if is_in(&mcp.reserved, name) {
                "its name means something else to this agent"
            } else if is_in(&mcp.loses, kind) {
                "this agent loses such servers when a client names them; add it to the agent's own settings"
            } else if !offered && !is_in(&mcp.takes, kind) {
                "this agent takes no such servers"
            } else {
                servers.push(server.clone());
                continue;
            };
            told.push(format!(
                "the MCP server `{name}` ({kind}) is left out: {why}"
            ));
        }
        (servers, told)
    }
}

impl Given {
    fn server(self, name: &str, env: &BTreeMap<String, String>) -> Result<McpServer, String> {
        if name == SERVER {
            return Err("that name is taken".to_owned());
        }
        let filled = |values: BTreeMap<String, String>| {
            let pairs = values.into_iter();
            let pair = |(key, value): (String, String)| Ok((key, filled(&value, env)?));
            pairs.map(pair).collect::<Result<BTreeMap<_, _>, String>>()
        };
        let name = name.to_owned();
        match (self.url, self.command) {
            (Some(url), None) => {
                let url = self::filled(&url, env)?;
                let headers = filled(self.headers)?;
                match self.kind.as_deref() {
                    None | Some("http" | "streamable-http" | "streamableHttp") => {
                        Ok(McpServer::Http { name, url, headers })
                    }
                    Some("sse") => Ok(McpServer::Sse { name, url, headers }),
                    Some(kind) => Err(format!("there is no type `{kind}`; take http or sse")),
                }
            }
            (None, Some(command)) => Ok(McpServer::Stdio {
                name,
                command,
                args: self.args,
                env: filled(self.env)?,
            }),
            _ => Err("it needs either a command or a url".to_owned()),
        }
    }
}

/// The text with `${NAME}` replaced.
fn filled(text: &str, env: &BTreeMap<String, String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        let value = env
            .get(name)
            .ok_or_else(|| format!("the variable {name} is not set"))?;
        out.push_str(before);
        out.push_str(value);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}
