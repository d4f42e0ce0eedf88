//! What the relay costs each agent: time until its server answers, and memory.

use std::time::Instant;

use crate::figures::{Aim, Report, Series, percentile};
use crate::mcp::Server;
use crate::mcp::client::Client;
use crate::{Failure, Orders, machine};

const STARTS: usize = 40;

pub(crate) fn measure(orders: &Orders, report: &mut Report) -> Result<(), Failure> {
    let server = Server::start("serve-ours")?;
    let [mut start, mut floor, mut memory] = [const { Vec::new() }; 3];
    let mut rounds = [Series::default(), Series::default(), Series::default()];
    for round in 0..=orders.rounds {
        for _ in 0..STARTS {
            let started = Instant::now();
            let mut client = Client::start(&mut server.relay(orders)?)?;
            start.push(started.elapsed().as_secs_f64() * 1e3);
            // Memory of a relay that has done some work, not of one that only just runs.
            client.together(500, 16)?;
            let (_, most) = machine::memory(client.pid()).ok_or("no memory figures")?;
            memory.push(most as f64 / 1e3);
            let started = Instant::now();
            std::process::Command::new("true").status()?;
            floor.push(started.elapsed().as_secs_f64() * 1e3);
        }
        for (series, figures) in rounds.iter_mut().zip([&mut start, &mut floor, &mut memory]) {
            if round > 0 {
                series.push(percentile(figures, 0.5));
            }
            figures.clear();
        }
    }
    let [start, floor, memory] = rounds;
    report.heading("relay: from its start to the server's first answer, p50 in ms");
    report.row("siderail-relay", &start);
    report.row("for comparison: `true`, start to end", &floor);
    report.heading("relay: most memory that it used, in MB");
    report.row("siderail-relay", &memory);
    report.aim("relay start, ms", start.median(), Aim::Below(5.0));
    report.aim("relay memory, MB", memory.median(), Aim::Below(4.0));
    Ok(())
}
