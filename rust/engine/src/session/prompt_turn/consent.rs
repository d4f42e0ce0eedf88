//! What the agent does through us in a turn, a file or a command, and what was said of it when the agent asked. Plain data;
//! it knows no session.

use std::path::Path;

use crate::session::prompt_turn::PromptTurn;
use crate::session::terminal_command::TerminalCommand;

/// What was said of it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Consent {
    /// It was allowed.
    Allowed,
    /// It was allowed only to be refused here: the request, and the reason that the model now reads.
    Refused(u64, String),
    /// Nothing: nobody was asked.
    Unasked,
}

impl PromptTurn {
    /// A command for a terminal. A yes is for one terminal.
    pub(in crate::session) fn meet_command(&mut self, command: &TerminalCommand) -> Consent {
        let mut approved = self.running.approved_commands.iter();
        if let Some(at) = approved.position(|approved| command.is(approved)) {
            self.running.approved_commands.remove(at);
            return Consent::Allowed;
        }
        let refused = &mut self.denials.refused;
        match refused.meet_command(|asked| command.is(asked)) {
            Some((request_id, reason)) => Consent::Refused(request_id, reason),
            None => Consent::Unasked,
        }
    }

    /// A file that is to be read or written.
    pub(in crate::session) fn meet_file(&mut self, file: &Path, writes: bool) -> Consent {
        let refused = &mut self.denials.refused;
        let refused = writes.then(|| refused.meet_write(file)).flatten();
        match refused {
            Some((request_id, reason)) => Consent::Refused(request_id, reason),
            None if self.running.approved_paths.contains(file) => Consent::Allowed,
            None => Consent::Unasked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;
    use serde_json::value::to_raw_value;
    use siderail_acp::client_request::{TerminalRequest, methods};

    use crate::event::StopReason;
    use crate::session::prompt_turn::refused_calls::Refused;

    fn command(line: &str) -> TerminalCommand {
        let params = json!({"sessionId": "s", "command": line});
        let params = to_raw_value(&params).expect("JSON");
        let request = TerminalRequest::read(methods::CREATE_TERMINAL, &params);
        let Ok(TerminalRequest::Create(create)) = request else {
            panic!("a command");
        };
        TerminalCommand::new(&create, "/p".to_owned())
    }

    fn refused(path: &str, line: Option<&str>) -> Refused {
        Refused {
            request_id: 7,
            call_id: None,
            paths: vec![path.into()],
            command: line.map(|line| command(line).of),
            text: "use run_tests".to_owned(),
        }
    }

    #[test]
    fn a_command_that_was_allowed_runs_once() {
        let mut turn = PromptTurn::default();
        turn.running.approved_commands.push(command("ls").of);
        assert_eq!(turn.meet_command(&command("rm a")), Consent::Unasked);
        assert_eq!(turn.meet_command(&command("ls")), Consent::Allowed);
        assert_eq!(turn.meet_command(&command("ls")), Consent::Unasked);
        turn.denials.refused.add(refused("/p/a", Some("ls")));
        let reason = "use run_tests".to_owned();
        assert_eq!(
            turn.meet_command(&command("ls")),
            Consent::Refused(7, reason)
        );
    }

    #[test]
    fn a_write_that_was_allowed_to_be_refused_here_is_refused_whatever_else_was_allowed() {
        let mut turn = PromptTurn::default();
        let file = Path::new("/p/a");
        assert_eq!(turn.meet_file(file, true), Consent::Unasked);
        turn.running.approved_paths.insert(file.to_owned());
        assert_eq!(turn.meet_file(file, true), Consent::Allowed);
        assert_eq!(turn.meet_file(file, false), Consent::Allowed);
        turn.denials.refused.add(refused("/p/a", None));
        let reason = "use run_tests".to_owned();
        assert_eq!(
            turn.meet_file(file, false),
            Consent::Allowed,
            "it is only read"
        );
        assert_eq!(turn.meet_file(file, true), Consent::Refused(7, reason));
    }

    #[test]
    fn a_yes_ends_with_its_turn_and_a_reason_to_refuse_does_not() {
        let (mut turn, file) = (PromptTurn::default(), Path::new("/p/a"));
        turn.running.approved_paths.insert(file.to_owned());
        turn.running.approved_commands.push(command("ls").of);
        turn.denials.refused.add(refused("/p/b", None));
        turn.end(StopReason::EndTurn, false);
        assert_eq!(turn.meet_file(file, true), Consent::Unasked);
        assert_eq!(turn.meet_command(&command("ls")), Consent::Unasked);
        let reason = "use run_tests".to_owned();
        let late = turn.meet_file(Path::new("/p/b"), true);
        assert_eq!(late, Consent::Refused(7, reason));
    }
}
