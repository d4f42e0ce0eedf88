//! A tool call's way to a server and back: ours behind its relay, rmcp behind the same relay and on its own
//! standard streams, the TypeScript SDK on its own.
//!
//! The servers have one tool, which answers with the text of 200 bytes that it was given. All of them are
//! driven by the same client over pipes, as an agent would: one call after the other, then with 16 in flight.

pub(crate) mod client;
pub(crate) mod ours;
pub(crate) mod rmcp;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::figures::{Aim, Report, Series, percentile};
use crate::machine::{locked, processor_time};
use crate::{Failure, Orders, program};
use client::Client;

/// Calls of a round, one after the other.
const ALONE: usize = 4_000;
/// Calls of a round with several in flight.
const TOGETHER: usize = 40_000;
const IN_FLIGHT: usize = 16;
const WARM_UP: usize = 2_000;

/// A server process that listens on a socket.
pub(crate) struct Server {
    process: Child,
    /// What a relay needs to find it.
    variables: Vec<(String, String)>,
    _folder: TempDir,
}

impl Server {
    /// Starts this program as a server; it prints two variables.
    pub(crate) fn start(word: &str) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("peers").tempdir()?;
        let mut process = Command::new(std::env::current_exe()?)
            .arg(word)
            .arg(folder.path())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().ok_or("stdout is piped")?;
        let mut variables = Vec::new();
        for line in BufReader::new(output).lines().take(2) {
            let line = line?;
            let (name, value) = line.split_once('=').ok_or("no variable")?;
            variables.push((name.to_owned(), value.to_owned()));
        }
        Ok(Self {
            process,
            variables,
            _folder: folder,
        })
    }

    /// A relay to it, not started.
    pub(crate) fn relay(&self, orders: &Orders) -> Result<Command, Failure> {
        let mut relay = Command::new(program(&orders.programs, "siderail-relay")?);
        relay.envs(self.variables.clone());
        Ok(relay)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

struct Contender {
    name: String,
    client: Client,
    /// The process that answers; not the relay ahead of it.
    server: u32,
    p50: Series,
    p99: Series,
    rate: Series,
    /// Microseconds of the server's processor time per call.
    work: Series,
}

impl Contender {
    /// `server` is the process behind a relay; without one, what `command` starts is the server.
    fn new(name: &str, command: &mut Command, server: Option<&Server>) -> Result<Self, Failure> {
        let mut client = Client::start(command)?;
        let server = server.map_or(client.pid(), |server| server.process.id());
        client.alone(WARM_UP)?;
        client.together(WARM_UP, IN_FLIGHT)?;
        Ok(Self {
            name: name.to_owned(),
            client,
            server,
            p50: Series::default(),
            p99: Series::default(),
            rate: Series::default(),
            work: Series::default(),
        })
    }

    fn round(&mut self) -> Result<(), Failure> {
        let times = self.client.alone(ALONE)?;
        self.p50.push(percentile(&times, 0.5));
        self.p99.push(percentile(&times, 0.99));
        let worked = || processor_time(self.server).ok_or("no processor time");
        let before = worked()?;
        self.rate.push(self.client.together(TOGETHER, IN_FLIGHT)?);
        self.work.push((worked()? - before) / 1e3 / TOGETHER as f64);
        Ok(())
    }
}

pub(crate) fn measure(orders: &Orders, report: &mut Report) -> Result<(), Failure> {
    let (ours, theirs) = (Server::start("serve-ours")?, Server::start("serve-rmcp")?);
    let rmcp = format!("rmcp {}", locked("rmcp"));
    let mut alone = Command::new(std::env::current_exe()?);
    let mut contenders = vec![
        Contender::new(
            "siderail-mcp, relay and socket",
            &mut ours.relay(orders)?,
            Some(&ours),
        )?,
        Contender::new(
            &format!("{rmcp}, relay and socket"),
            &mut theirs.relay(orders)?,
            Some(&theirs),
        )?,
        Contender::new(&format!("{rmcp}, stdio"), alone.arg("serve-rmcp"), None)?,
    ];
    if let Some(folder) = &orders.typescript {
        let mut node = Command::new("node");
        node.arg("server.mjs").current_dir(folder);
        contenders.push(Contender::new("TypeScript SDK, stdio", &mut node, None)?);
    }
    for _ in 0..orders.rounds {
        for contender in &mut contenders {
            contender.round()?;
        }
    }
    tell(&contenders, report);
    Ok(())
}

/// What is reported of each contender.
type Part = fn(&Contender) -> &Series;

fn tell(contenders: &[Contender], report: &mut Report) {
    let parts: [(&str, Part); 4] = [
        ("MCP: one call at a time, p50 in µs", |of| &of.p50),
        ("MCP: one call at a time, p99 in µs", |of| &of.p99),
        ("MCP: calls per second, 16 in flight", |of| &of.rate),
        (
            "MCP: µs of the server's processor time per call, 16 in flight",
            |of| &of.work,
        ),
    ];
    for (heading, series) in parts {
        report.heading(heading);
        for contender in contenders {
            report.row(&contender.name, series(contender));
        }
    }
    let [ours, others @ ..] = contenders else {
        return;
    };
    report.aim(
        "MCP p50 through relay and socket, µs",
        ours.p50.median(),
        Aim::Below(200.0),
    );
    for other in others {
        let ratio = ours.rate.median() / other.rate.median();
        let name = format!("times the calls of {}", other.name);
        report.figure(&name, ratio);
        if other.name.starts_with("rmcp") {
            report.aim(
                &format!("MCP, 16 in flight, {name}"),
                ratio,
                Aim::AtLeast(3.0),
            );
        }
    }
}
