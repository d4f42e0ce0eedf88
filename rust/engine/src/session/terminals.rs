//! Terminals of the agent (`terminal/*`, ACP schema 1.15): commands that it lets us run.
//!
//! The session's worker starts each process ([`start`]), a task owns it and sends its output ([`life`]); [`table`]
//! keeps that and knows who waits. What nobody was asked about is decided here like any other command. Where an ACP
//! client that has terminals is behind the host, what may run runs there ([`crate::session::outer_client`]). It knows
//! no session.

pub(in crate::session) mod life;
pub(in crate::session) mod start;
pub(in crate::session) mod table;

use serde_json::{Value, json};
use siderail_acp::client_request::{CreateTerminal, TerminalRequest};

use crate::session::permissions::judge::{Judge, Judged};
use crate::session::permissions::unasked::Unasked;
use crate::session::terminal_command::{CommandIn, TerminalCommand};

use table::Wish;

/// What a request is about.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum About {
    /// A command that is to be run.
    Create(CreateTerminal),
    /// This terminal, and what is wanted of it.
    Terminal(String, Wish),
}

impl About {
    pub(in crate::session) fn of(request: TerminalRequest) -> Self {
        let (of, wish) = match request {
            TerminalRequest::Create(create) => return Self::Create(create),
            TerminalRequest::Output(of) => (of, Wish::Output),
            TerminalRequest::WaitForExit(of) => (of, Wish::WaitForExit),
            TerminalRequest::Kill(of) => (of, Wish::Kill),
            TerminalRequest::Release(of) => (of, Wish::Release),
        };
        Self::Terminal(of.terminal_id, wish)
    }
}

/// What a client is to run: what the agent wrote, in the folder for which it was judged, however the agent has written that.
pub(in crate::session) fn for_client(mut written: Value, command: &TerminalCommand) -> Value {
    written["cwd"] = json!(command.of.folder);
    written
}

impl Judge {
    /// The command of a terminal in the folder where it truly starts, and what the guard says of it.
    pub(in crate::session) fn terminal(
        &self,
        create: &CreateTerminal,
    ) -> (TerminalCommand, Judged) {
        let folder = self.folder_at(create.cwd.as_deref().unwrap_or_default());
        let command = TerminalCommand::new(create, folder);
        let CommandIn { line, folder, env } = &command.of;
        let call = json!({
            "name": "terminal/create",
            "kind": "execute",
            "rawInput": {"command": line, "cwd": folder, "env": env},
        });
        let judged = self.unasked(&call, Unasked::Command);
        (command, judged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::value::to_raw_value;
    use siderail_acp::client_request::methods;

    fn about(method: &str, params: &Value) -> About {
        let params = to_raw_value(params).expect("JSON");
        About::of(TerminalRequest::read(method, &params).expect("a request"))
    }

    #[test]
    fn a_request_is_about_a_new_command_or_a_terminal_that_is_there() {
        let params = json!({"sessionId": "s", "terminalId": "t1", "command": "ls"});
        let wishes = [
            ("terminal/output", Wish::Output),
            ("terminal/wait_for_exit", Wish::WaitForExit),
            ("terminal/kill", Wish::Kill),
            ("terminal/release", Wish::Release),
        ];
        for (method, wish) in wishes {
            let terminal = About::Terminal("t1".to_owned(), wish);
            assert_eq!(about(method, &params), terminal);
        }
        let created = about(methods::CREATE_TERMINAL, &params);
        assert!(matches!(created, About::Create(create) if create.command == "ls"));
    }

    #[test]
    fn a_client_runs_a_command_where_it_was_judged_to_run() {
        let written = json!({"sessionId": "s", "command": "ls", "cwd": "link", "_meta": {"a": 1}});
        let About::Create(create) = about(methods::CREATE_TERMINAL, &written) else {
            panic!("a command");
        };
        let command = TerminalCommand::new(&create, "/p/there".to_owned());
        let sent = for_client(written, &command);
        assert_eq!(sent["cwd"], "/p/there");
        assert_eq!(
            (&sent["command"], &sent["_meta"]),
            (&json!("ls"), &json!({"a": 1}))
        );
    }
}
