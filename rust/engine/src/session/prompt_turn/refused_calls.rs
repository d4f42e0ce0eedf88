//! Actions of a prompt turn that are allowed in ACP only to be refused when they come to us, with the reason that the
//! model then reads. It knows no session, no agent and no events.

use std::path::{Path, PathBuf};

use crate::session::terminal_command::CommandIn;

/// Such an action.
#[derive(Debug)]
pub(in crate::session) struct Refused {
    /// The permission request that allowed it.
    pub(in crate::session) request_id: u64,
    /// The agent's id of the call, where it was named.
    pub(in crate::session) call_id: Option<String>,
    pub(in crate::session) paths: Vec<PathBuf>,
    /// The command, where it is one.
    pub(in crate::session) command: Option<CommandIn>,
    /// The reason.
    pub(in crate::session) text: String,
}

/// Those of a turn.
#[derive(Debug, Default)]
pub(in crate::session) struct RefusedCalls(Vec<Held>);

#[derive(Debug)]
struct Held {
    refused: Refused,
    is_used: bool,
}

impl RefusedCalls {
    pub(in crate::session) fn add(&mut self, refused: Refused) {
        let is_used = false;
        self.0.push(Held { refused, is_used });
    }

    /// A write comes to us: the request and the reason, where it is to be refused.
    pub(in crate::session) fn meet_write(&mut self, path: &Path) -> Option<(u64, String)> {
        self.meet(|refused| refused.command.is_none() && refused.paths.iter().any(|p| p == path))
    }

    /// The same for a command.
    pub(in crate::session) fn meet_command(
        &mut self,
        is: impl Fn(&CommandIn) -> bool,
    ) -> Option<(u64, String)> {
        self.meet(|refused| refused.command.as_ref().is_some_and(&is))
    }

    /// The latest that fits; one that has not been used goes first.
    fn meet(&mut self, fits: impl Fn(&Refused) -> bool) -> Option<(u64, String)> {
        let mut held = self.0.iter();
        let unused = held.rposition(|held| fits(&held.refused) && !held.is_used);
        let at = unused.or_else(|| self.0.iter().rposition(|held| fits(&held.refused)))?;
        let held = &mut self.0[at];
        held.is_used = true;
        Some((held.refused.request_id, held.refused.text.clone()))
    }

    /// A call ran without coming to us: its request, where it was to be refused.
    pub(in crate::session) fn ran(&mut self, call_id: &str) -> Option<u64> {
        let past = |held: &Held| !held.is_used && held.refused.call_id.as_deref() == Some(call_id);
        let at = self.0.iter().position(past)?;
        Some(self.0.remove(at).refused.request_id)
    }

    /// The turn is over: gives the requests of those that never came.
    pub(in crate::session) fn settle(&mut self) -> Vec<u64> {
        let unused = std::mem::take(&mut self.0).into_iter();
        let unused = unused.filter(|held| !held.is_used);
        unused.map(|held| held.refused.request_id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(request_id: u64, path: &str) -> Refused {
        Refused {
            request_id,
            call_id: Some(format!("call {request_id}")),
            paths: vec![path.into()],
            command: None,
            text: format!("reason {request_id}"),
        }
    }

    #[test]
    fn a_write_is_refused_with_the_latest_reason_that_was_not_used() {
        let mut calls = RefusedCalls::default();
        calls.add(write(1, "/p/a"));
        calls.add(write(2, "/p/a"));
        calls.add(write(3, "/p/b"));
        let path = Path::new("/p/a");
        let met: Vec<_> = (0..3).filter_map(|_| calls.meet_write(path)).collect();
        let ids: Vec<_> = met.iter().map(|(id, _)| *id).collect();
        assert_eq!(
            ids,
            [2, 1, 2],
            "a used one serves again when no other is left"
        );
        assert_eq!(met[0].1, "reason 2");
        assert_eq!(calls.meet_write(Path::new("/p/c")), None);
        assert_eq!(calls.settle(), [3]);
    }

    #[test]
    fn a_command_is_no_write_of_its_paths() {
        let mut calls = RefusedCalls::default();
        let line = CommandIn {
            line: "rm a".to_owned(),
            folder: "/p".to_owned(),
            env: Default::default(),
        };
        calls.add(Refused {
            command: Some(line.clone()),
            ..write(1, "/p/a")
        });
        assert_eq!(calls.meet_write(Path::new("/p/a")), None);
        assert_eq!(calls.meet_command(|asked| asked.line == "ls"), None);
        let met = calls.meet_command(|asked| *asked == line);
        assert_eq!(met.map(|(id, _)| id), Some(1));
    }

    #[test]
    fn what_ran_past_us_is_found_once_and_by_its_id() {
        let mut calls = RefusedCalls::default();
        calls.add(write(1, "/p/a"));
        assert_eq!(calls.ran("call 2"), None);
        assert_eq!(calls.ran("call 1"), Some(1));
        assert_eq!(calls.ran("call 1"), None);
        calls.add(write(2, "/p/a"));
        calls.meet_write(Path::new("/p/a"));
        assert_eq!(calls.ran("call 2"), None, "it came to us");
    }
}
