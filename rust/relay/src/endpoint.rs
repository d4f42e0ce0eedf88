//! Where the engine listens, how to prove that we may talk to it, and the first line of a connection.
//!
//! Socket and token come from options or from the environment that the engine gave the agent. The
//! module knows neither MCP nor hooks: after the hello line the bytes belong to the caller.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use crate::channel::{Channel, HALF_CLOSES};

/// What the command line and the environment say about the engine.
#[derive(Debug, Default)]
pub(crate) struct Options {
    socket: Option<PathBuf>,
    token_file: Option<PathBuf>,
    /// Name of the agent, for the engine's log.
    pub(crate) agent: Option<String>,
    /// Arguments that are not options, in order.
    pub(crate) operands: Vec<OsString>,
}

impl Options {
    /// Sorts arguments into options and operands. The error is a sentence fragment for the person.
    pub(crate) fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            let Some(name) = arg.to_str().filter(|text| text.starts_with("--")) else {
                options.operands.push(arg);
                continue;
            };
            let mut value = || args.next().ok_or_else(|| format!("{name} needs a value"));
            match name {
                "--socket" => options.socket = Some(value()?.into()),
                "--token-file" => options.token_file = Some(value()?.into()),
                "--agent" => options.agent = Some(value()?.to_string_lossy().into_owned()),
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(options)
    }

    /// Finds out where to connect. The error is a sentence fragment for the person.
    pub(crate) fn endpoint(
        &self,
        env: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Endpoint, String> {
        let socket = self
            .socket
            .clone()
            .or_else(|| env("SIDERAIL_SOCKET").map(PathBuf::from))
            .ok_or("SIDERAIL_SOCKET is not set; start the agent from Siderail")?;
        let token_file = self
            .token_file
            .clone()
            .or_else(|| env("SIDERAIL_TOKEN_FILE").map(PathBuf::from));
        let token = match &token_file {
            Some(path) => std::fs::read_to_string(path)
                .map_err(|error| format!("cannot read token file {}: {error}", path.display()))?,
            None => env("SIDERAIL_TOKEN")
                .and_then(|token| token.into_string().ok())
                .ok_or("SIDERAIL_TOKEN is not set; start the agent from Siderail")?,
        };
        Ok(Endpoint {
            socket,
            token: token.trim().to_owned(),
        })
    }
}

/// A socket of the engine, and the token that one agent session was given for it.
pub(crate) struct Endpoint {
    socket: PathBuf,
    token: String,
}

impl Endpoint {
    /// Connects and introduces this process; `payload` is the length of all that will follow, where
    /// that is known. The error is a sentence fragment for the person.
    pub(crate) fn connect(
        &self,
        role: &str,
        agent: Option<&str>,
        event: Option<&str>,
        payload: Option<usize>,
    ) -> Result<Channel, String> {
        let hello = self.hello(role, agent, event, payload.filter(|_| !HALF_CLOSES));
        Channel::connect(&self.socket)
            .and_then(|mut channel| channel.write_all(hello.as_bytes()).map(|()| channel))
            .map_err(|error| {
                format!(
                    "the engine does not answer at {}: {error}",
                    self.socket.display()
                )
            })
    }

    fn hello(
        &self,
        role: &str,
        agent: Option<&str>,
        event: Option<&str>,
        payload: Option<usize>,
    ) -> String {
        let mut line = format!("{{\"v\":1,\"role\":\"{role}\"");
        for (key, value) in [
            ("agent", agent),
            ("event", event),
            ("token", Some(&*self.token)),
        ] {
            if let Some(value) = value {
                let _ = write!(line, ",\"{key}\":");
                quote(value, &mut line);
            }
        }
        if let Some(length) = payload {
            let _ = write!(line, ",\"payload\":{length}");
        }
        let _ = writeln!(line, ",\"pid\":{}}}", std::process::id());
        line
    }
}

/// Appends `text` as a JSON string.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
