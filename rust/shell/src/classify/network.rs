//! A shell or a command that is given to the network: whoever is at the other end says what runs.

use crate::connections::{is_connection, starts_shell};
use crate::ir::{Arg, Origin, Sink, Stream};
use crate::judge::Judge;
use crate::kinds::FindingKind;
use crate::program::Call;

const WHY: &str = "Opens a shell to the network: the other end decides what runs.";

impl Judge<'_> {
    /// `nc -e program`, `nc -c text`
    pub(crate) fn connector(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        for (short, long) in [("e", "exec"), ("c", "sh-exec")] {
            for text in options.values(short, long) {
                self.given_to_network(text, call);
            }
        }
        Stream::printed(Origin::Program)
    }

    /// `socat address address`, where an address may be a command.
    pub(crate) fn relayed(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        for address in options.files() {
            let Some((kind, text)) = address.text.split_once(':') else {
                continue;
            };
            if !matches!(
                kind.to_ascii_lowercase().as_str(),
                "exec" | "system" | "shell"
            ) {
                continue;
            }
            let command = text.split(',').next().unwrap_or_default();
            let command = address.with_text(command);
            self.given_to_network(&command, call);
        }
        Stream::printed(Origin::Program)
    }

    fn given_to_network(&mut self, command: &Arg, call: Call<'_>) {
        if starts_shell(&command.text) {
            self.network_shell(call.text);
        } else {
            self.run_line(command, call);
        }
    }

    pub(crate) fn network_shell(&mut self, text: &str) {
        self.report(FindingKind::RemoteCode, None, text, WHY, &[]);
    }

    /// Whether a shell that reads its input is given to the network.
    pub(super) fn is_given_away(&self) -> bool {
        let prints_there =
            matches!(&self.io.stdout, Sink::File(target) if is_connection(&target.path));
        let constant = matches!(&self.io.stdin, Stream::Text(text) if text.unknown.is_none());
        (prints_there || self.is_carried) && !constant
    }
}
