//! The state that the client's end and the engine's share, behind its lock, and where its effects go.

use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::agent_side::{Effect, Face};
use crate::output::Output;

/// Everything that both ends need.
pub(super) struct Shared {
    pub(super) ends: Mutex<Ends>,
    /// Standard error, for what the engine has to say: clients show it, or keep it in a log.
    pub(super) notices: Output,
    /// Every event as a line, where that is wanted.
    pub(super) log: Option<Output>,
}

pub(super) struct Ends {
    pub(super) face: Face,
    pub(super) client: Output,
    /// For the engine. The holder of the lock never waits: neither end is called from here.
    pub(super) works: mpsc::UnboundedSender<Effect>,
}

impl Shared {
    /// Lets the face deal with something. Lines leave in the order in which it made them.
    pub(super) fn act<T>(&self, act: impl FnOnce(&mut Face) -> T) -> T {
        let mut ends = self.ends.lock();
        let done = act(&mut ends.face);
        for effect in ends.face.take_effects() {
            match effect {
                Effect::Line(line) => {
                    let line = String::from_utf8(line);
                    let line = line
                        .unwrap_or_else(|odd| String::from_utf8_lossy(odd.as_bytes()).into_owned());
                    ends.client.write(line);
                }
                // Without a worker the program is about to end.
                work => drop(ends.works.send(work)),
            }
        }
        done
    }
}
