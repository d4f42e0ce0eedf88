//! A client taking in what an agent says: our crate and the official Rust SDK over the same socket.
//!
//! The agent is a thread that answers `initialize` and, when it is prompted, writes session updates as fast as
//! they are read, then the prompt's answer. Every update is read as a typed value and its text counted; both
//! must have counted the same. Measured is the processor time of the client's thread from the prompt to its
//! answer, system calls included: what else the machine does, the agent's thread among it, is no merit of either.

mod agent;
mod ours;
mod sdk;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::net::UnixStream;

use crate::Failure;
use crate::figures::{Aim, Report, Series};
use crate::machine::locked;
use agent::Traffic;

/// What a client counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    updates: usize,
    text_bytes: usize,
}

/// One run of a contender.
type Outcome = Result<(Duration, Counted), Failure>;

pub(crate) fn measure(rounds: usize, report: &mut Report) -> Result<(), Failure> {
    let theirs = format!("agent-client-protocol {}", locked("agent-client-protocol"));
    let chunks = Traffic::chunks(200_000);
    let large = Traffic::large(2_000);
    for (traffic, aim) in [(&chunks, 5.0), (&large, 1.0)] {
        let [mut our_rates, mut their_rates] = [Series::default(), Series::default()];
        // The first round warms up and does not count.
        for round in 0..=rounds {
            for (series, client) in [
                (&mut our_rates, Client::Ours),
                (&mut their_rates, Client::Sdk),
            ] {
                let (took, counted) = run(client, traffic)?;
                if counted != traffic.expected() {
                    return Err(format!("{client:?} counted {counted:?}").into());
                }
                if round > 0 {
                    series.push(counted.updates as f64 / took.as_secs_f64());
                }
            }
        }
        report.heading(&format!(
            "ACP: {} taken in per second of processor time",
            traffic.name()
        ));
        report.row("siderail-acp", &our_rates);
        report.row(&theirs, &their_rates);
        let ratio = our_rates.median() / their_rates.median();
        report.figure("times as fast as the SDK", ratio);
        let name = format!("ACP {}, times the official SDK", traffic.name());
        report.aim(&name, ratio, Aim::AtLeast(aim));
    }
    Ok(())
}

/// Processor time of this thread so far.
fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[derive(Clone, Copy, Debug)]
enum Client {
    Ours,
    Sdk,
}

/// Both get the same: a thread with a runtime, and a socket to the agent's thread.
fn run(client: Client, traffic: &Traffic) -> Outcome {
    let (here, there) = std::os::unix::net::UnixStream::pair()?;
    here.set_nonblocking(true)?;
    std::thread::scope(|scope| {
        let agent = scope.spawn(|| agent::play(there, traffic));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let outcome = runtime.block_on(async {
            let stream = UnixStream::from_std(here)?;
            match client {
                Client::Ours => ours::take_in(stream).await,
                Client::Sdk => sdk::take_in(stream).await,
            }
        });
        drop(runtime);
        agent.join().map_err(|_| "the agent's thread panicked")??;
        outcome
    })
}
