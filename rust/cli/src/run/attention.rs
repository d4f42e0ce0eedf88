//! What calls the person back to the terminal: a bell, its title, and a notice of the system where the terminal is
//! known to pass one on. It prints nothing; its owner decides whether calls are wanted.

use std::time::{Duration, Instant};

use siderail_engine::event::{EventBody, TurnEnded};

/// A turn that took longer has let its person go elsewhere.
const LONG: Duration = Duration::from_secs(10);
/// Terminals that pass OSC 9 on to the system.
const NOTIFIERS: [&str; 4] = ["iTerm.app", "WezTerm", "ghostty", "kitty"];

/// How the person can be called, and since when there is something to wait for.
#[derive(Default)]
pub(super) struct Attention {
    rings: bool,
    notifies: bool,
    turn_began: Option<Instant>,
}

impl Attention {
    /// Calls are wanted; `terminal` names the program that shows them.
    pub(super) fn wanted(terminal: Option<&str>) -> Self {
        Self {
            rings: true,
            notifies: terminal.is_some_and(|name| NOTIFIERS.contains(&name)),
            turn_began: None,
        }
    }

    /// Seconds of the turn that is running.
    pub(super) fn seconds(&self) -> Option<u64> {
        Some(self.turn_began?.elapsed().as_secs())
    }

    /// What to print when a question waits.
    pub(super) fn question(&self) -> String {
        self.call("a question is waiting")
    }

    /// What to print for an event: the end of a long turn calls the person.
    pub(super) fn event(&mut self, body: &EventBody) -> String {
        match body {
            EventBody::TurnStarted(_) => {
                self.turn_began.get_or_insert_with(Instant::now);
                self.rest().to_owned()
            }
            EventBody::TurnEnded(TurnEnded {
                continues: false, ..
            }) => match self.turn_began.take() {
                Some(began) if began.elapsed() > LONG => self.call("the agent is done"),
                _ => String::new(),
            },
            _ => String::new(),
        }
    }

    fn call(&self, what: &str) -> String {
        let notice = match self.notifies {
            true => format!("\x1b]9;Siderail: {what}\x07"),
            false => String::new(),
        };
        match self.rings {
            true => format!("\x1b]0;siderail: {what}\x07{notice}\x07"),
            false => String::new(),
        }
    }

    fn rest(&self) -> &'static str {
        if self.rings {
            "\x1b]0;siderail\x07"
        } else {
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_wants_it_is_called_and_only_known_terminals_are_sent_notices() {
        assert_eq!(Attention::default().call("x"), "");
        let plain = Attention::wanted(Some("xterm")).call("x");
        assert!(plain.ends_with("\x07\x07") && !plain.contains("]9;"));
        assert!(
            Attention::wanted(Some("WezTerm"))
                .call("x")
                .contains("\x1b]9;Siderail: x\x07")
        );
    }
}
