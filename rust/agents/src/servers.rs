//! MCP servers of the user's own, which agents get beside ours: `mcp.json` in the settings folder, in the form that
//! other clients read, too.
//!
//! Which of them an agent gets is decided by what it says it takes and by what its profile knows better; what it does
//! not get is reported. `${NAME}` is replaced by a variable of the environment, so that no secret has to be in the
//! file.

use std::collections::BTreeMap;
use std::path::Path;

use http::{HeaderName, HeaderValue, Uri};
use serde_json::{Map, Value};
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests::McpServer;

use siderail_guard::tool::SERVER;
use siderail_state::values;
use siderail_workspace::confine::on_one_line;
use siderail_workspace::small_file;

use crate::profile::McpDelivery;

/// A larger file holds no list of servers.
const MOST_BYTES: u64 = 1 << 20;
/// Servers that are handed on; each is a process or a connection of every session, and its tools are read by the model.
const MOST_SERVERS: usize = 100;

/// Servers of the user's, ready to be handed on.
#[derive(Clone, Debug, Default)]
pub struct UserServers {
    servers: Vec<McpServer>,
    /// What was put in for `${NAME}` in headers and variables, as far as it may be secret.
    put_in: Vec<String>,
    /// What could not be used, for the user.
    untold: Vec<String>,
}

impl UserServers {
    /// Reads the user's file; without one the list is empty. One bad entry keeps no other away.
    pub fn read(file: &Path, env: &BTreeMap<String, String>) -> Self {
        let mut found = Self::default();
        if let Err(why) = found.take(file, env) {
            let text = format!("the MCP servers of {} are left out: {why}", file.display());
            found.untold.push(text);
        }
        found
    }

    fn take(&mut self, file: &Path, env: &BTreeMap<String, String>) -> Result<(), String> {
        let text = match small_file::text(file, MOST_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            text => text.map_err(|error| error.to_string())?,
        };
        let given = serde_json::from_str(text.trim_start_matches('\u{feff}'));
        let given: Value = given.map_err(|error| {
            // The parser's words may hold a value, which may be a secret.
            format!(
                "it is not JSON (line {}, column {})",
                error.line(),
                error.column()
            )
        })?;
        let servers = given.get("mcpServers").and_then(Value::as_object);
        let servers = servers.ok_or("it has no object `mcpServers` with servers by name")?;
        let is_used = |(_, entry): &(&String, &Value)| entry.get("disabled") != Some(&true.into());
        let mut used = servers.iter().filter(is_used);
        for (name, entry) in used.by_ref().take(MOST_SERVERS) {
            let filling = Filling(env);
            match server(name, entry, &filling) {
                Ok(server) => {
                    self.servers.push(server);
                    self.put_in.extend(filling.put_in(entry));
                }
                Err(why) => self.untold.push(left_out(name, "", &why)),
            }
        }
        let n_more = used.count();
        if n_more > 0 {
            self.untold.push(format!(
                "{n_more} further MCP servers of {} are left out: only the first {MOST_SERVERS} are used",
                file.display()
            ));
        }
        Ok(())
    }

    /// Values that no event and no trace may reveal: those of headers and variables, whole, what was put into them, and
    /// what follows the scheme of a login: programs write that alone, too. What came from the environment elsewhere
    /// (`${HOME}`) is not one, unless its name makes it one.
    pub fn secrets(&self) -> Vec<String> {
        let values = self.servers.iter().flat_map(|server| match server {
            McpServer::Stdio { env, .. } => env.values().cloned().collect::<Vec<_>>(),
            McpServer::Http { headers, .. } | McpServer::Sse { headers, .. } => {
                headers.values().cloned().collect()
            }
        });
        let mut secrets: Vec<String> = Vec::new();
        for value in values.chain(self.put_in.iter().cloned()) {
            let credentials = credentials(&value).map(ToOwned::to_owned);
            secrets.extend(credentials.into_iter().chain([value]));
        }
        secrets.retain(|secret| secret.len() > 3);
        secrets.sort_unstable();
        secrets.dedup();
        secrets
    }

    /// Those that an agent gets, and what is to be said of the others.
    pub fn for_agent(
        &self,
        capabilities: &AgentCapabilities,
        mcp: &McpDelivery,
    ) -> (Vec<McpServer>, Vec<String>) {
        let mut told = self.untold.clone();
        let mut servers = Vec::new();
        for server in &self.servers {
            let (name, kind) = match server {
                McpServer::Stdio { name, .. } => (name, "stdio"),
                McpServer::Http { name, .. } => (name, "http"),
                McpServer::Sse { name, .. } => (name, "sse"),
            };
            match why_not(name, kind, capabilities, mcp) {
                None => servers.push(server.clone()),
                Some(why) => told.push(left_out(name, &format!(" ({kind})"), why)),
            }
        }
        (servers, told)
    }
}

/// Of the servers that an ACP client names, those that an agent gets, as the client wrote them, and what is to be said of
/// the others. `taken` are the names of servers that it gets anyway.
pub fn of_client(
    servers: &[Value],
    taken: &[&str],
    capabilities: &AgentCapabilities,
    mcp: &McpDelivery,
) -> (Vec<Value>, Vec<String>) {
    let (mut kept, mut told) = (Vec::new(), Vec::new());
    for server in servers {
        let name = server["name"].as_str().unwrap_or_default();
        let kind = server["type"].as_str().unwrap_or("stdio");
        let why = if is_ours(name) {
            Some("that name is taken")
        } else if taken.contains(&name) {
            Some("your `mcp.json` has a server of that name")
        } else {
            why_not(name, kind, capabilities, mcp)
        };
        match why {
            None => kept.push(server.clone()),
            Some(why) => told.push(left_out(name, " of the client", why)),
        }
    }
    (kept, told)
}

/// Why an agent does not get a server.
fn why_not(
    name: &str,
    kind: &str,
    capabilities: &AgentCapabilities,
    mcp: &McpDelivery,
) -> Option<&'static str> {
    let is_in = |list: &[String], word: &str| list.iter().any(|one| one == word);
    let offered = match kind {
        "stdio" => true,
        "http" => capabilities.mcp_http,
        "sse" => capabilities.mcp_sse,
        // What nobody knows is the agent's to judge.
        _ => true,
    };
    if is_in(&mcp.reserved, name) {
        Some("its name means something else to this agent")
    } else if is_in(&mcp.loses, kind) {
        Some(
            "this agent loses such servers when a client names them; add it to the agent's own settings",
        )
    } else if !offered && !is_in(&mcp.takes, kind) {
        Some("this agent does not support such servers")
    } else {
        None
    }
}

/// What follows the scheme of an `Authorization`.
fn credentials(value: &str) -> Option<&str> {
    let (scheme, credentials) = value.trim().split_once(' ')?;
    let is_one = ["bearer", "basic", "token"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    is_one.then(|| credentials.trim())
}

/// Reports that a server is left out.
fn left_out(name: &str, kind: &str, why: &str) -> String {
    let name = values::shown_name(name);
    format!(
        "the MCP server `{name}`{kind} is left out: {}",
        on_one_line(why)
    )
}

/// One entry.
fn server(name: &str, entry: &Value, filling: &Filling<'_>) -> Result<McpServer, String> {
    check_name(name)?;
    let text = |member: &str| match entry.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.as_str())),
        Some(_) => Err(format!("its `{member}` is empty or not text")),
    };
    if !entry.is_object() {
        return Err("it is not an object".to_owned());
    }
    if !matches!(
        entry.get("disabled"),
        None | Some(Value::Null | Value::Bool(_))
    ) {
        return Err("its `disabled` is neither true nor false".to_owned());
    }
    let name = name.to_owned();
    match (text("type")?, text("command")?, text("url")?) {
        (None | Some("stdio"), Some(command), None) => Ok(McpServer::Stdio {
            name,
            command: program(command, filling)?,
            args: filling.all(values::list("args", entry.get("args"))?)?,
            env: filling.values(values::variables("env", entry.get("env"))?)?,
        }),
        (kind, None, Some(url)) => {
            let url = address(url, filling)?;
            let headers = headers(entry, filling)?;
            match kind {
                None | Some("http" | "streamable-http" | "streamableHttp") => {
                    Ok(McpServer::Http { name, url, headers })
                }
                Some("sse") => Ok(McpServer::Sse { name, url, headers }),
                Some(_) => Err("its `type` fits no `url`; take http or sse".to_owned()),
            }
        }
        (_, Some(_), None) => Err("its `type` fits no `command`; leave it out".to_owned()),
        _ => Err("it needs exactly one of `command` and `url`".to_owned()),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    values::check_name(name)?;
    match is_ours(name) {
        true => Err("that name is taken".to_owned()),
        false => Ok(()),
    }
}

/// Whether a name passes for our server's. Agents write other signs as `_`, and then it would be unclear whose tool is
/// meant.
fn is_ours(name: &str) -> bool {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    plain(name) == plain(SERVER)
}

/// A program's name, or its whole path: from the agent's folder on, a project could say what is started.
fn program(command: &str, filling: &Filling<'_>) -> Result<String, String> {
    let command = filling.text(command)?;
    let path = Path::new(&command);
    match path.is_absolute() || path.components().count() == 1 && !command.contains('/') {
        true => Ok(command),
        false => Err("its `command` is neither a name nor an absolute path".to_owned()),
    }
}

fn address(url: &str, filling: &Filling<'_>) -> Result<String, String> {
    let url = filling.text(url)?;
    let uri = url.parse::<Uri>().ok();
    let is_one = uri.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
    });
    match is_one {
        true => Ok(url),
        false => Err("its `url` is not an http or https address".to_owned()),
    }
}

fn headers(entry: &Value, filling: &Filling<'_>) -> Result<BTreeMap<String, String>, String> {
    let headers = filling.values(values::variables("headers", entry.get("headers"))?)?;
    let is_bad = |(name, value): &(&String, &String)| {
        HeaderName::from_bytes(name.as_bytes()).is_err() || HeaderValue::from_str(value).is_err()
    };
    match headers.iter().find(is_bad) {
        Some((name, _)) => Err(format!(
            "`{name}` in its `headers` is not a valid header name"
        )),
        None => Ok(headers),
    }
}

/// Puts variables of the environment in.
struct Filling<'a>(&'a BTreeMap<String, String>);

impl Filling<'_> {
    /// The text with `${NAME}` replaced.
    fn text(&self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, behind)) = after.split_once('}') else {
                return Err("a `${` in it has no `}`".to_owned());
            };
            let value = self
                .0
                .get(name)
                .ok_or_else(|| format!("the variable {} is not set", values::shown_name(name)))?;
            out.push_str(before);
            out.push_str(value);
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }

    /// What is put into the headers and variables of an entry. A path is not a secret, nor is a part of the home
    /// folder's, such as the user's name: hidden, no file could be named any more.
    fn put_in(&self, entry: &Value) -> Vec<String> {
        let home = self.0.get("HOME").map_or("", String::as_str);
        let members = ["headers", "env"].into_iter();
        let texts = members
            .filter_map(|member| entry.get(member)?.as_object())
            .flat_map(Map::values)
            .filter_map(Value::as_str);
        let names = texts
            .flat_map(|text| text.split("${").skip(1))
            .filter_map(|after| Some(after.split_once('}')?.0));
        names
            .filter_map(|name| self.0.get(name))
            .filter(|value| !Path::new(value.as_str()).is_absolute() && !home.contains(*value))
            .cloned()
            .collect()
    }

    fn all(&self, texts: Vec<String>) -> Result<Vec<String>, String> {
        texts.iter().map(|text| self.text(text)).collect()
    }

    fn values(&self, values: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, String> {
        let pairs = values.into_iter();
        pairs
            .map(|(name, value)| Ok((name, self.text(&value)?)))
            .collect()
    }
}

#[cfg(test)]
mod tests;
