//! A shell or a command that is given to the network: whoever is at the other end says what runs.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::connections::{is_connection, starts_shell};
use crate::ir::{Arg, Origin, Sink, Stream};
use crate::judge::Judge;
use crate::program::Call;
use siderail_catalog::ActionKind;

const WHY: &str = "Opens a shell to the network: the other end decides what runs.";

impl Judge<'_> {
    pub(crate) fn connector(&mut self, call: Call<'_>) -> Option<Stream> {
        match call.name {
            "nc" | "ncat" | "netcat" | "nc.traditional" | "nc.openbsd" => {
                let long = &["exec", "sh-exec", "lua-exec"];
                let options = Grammar::of("ecpswiqgGdmx", long).split(call.args);
                let texts: Vec<Arg> = [("e", "exec"), ("c", "sh-exec")]
                    .iter()
                    .flat_map(|(short, long)| options.values(short, long).cloned())
                    .collect();
                for text in texts {
                    self.given_to_network(&text, call);
                }
            }
            "socat" => self.relayed(call),
            _ => return None,
        }
        Some(Stream::printed(Origin::Program))
    }

    /// `socat address address`, where an address may be a command.
    fn relayed(&mut self, call: Call<'_>) {
        let options = Grammar::of("btTlLW", &[]).split(call.args);
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
            let command = Arg {
                text: command.into(),
                ..(*address).clone()
            };
            self.given_to_network(&command, call);
        }
    }

    fn given_to_network(&mut self, command: &Arg, call: Call<'_>) {
        if starts_shell(&command.text) {
            self.network_shell(call.text);
        } else {
            self.run_code(&command.text, command.unknown, Dialect::Bash, call, false);
        }
    }

    pub(crate) fn network_shell(&mut self, text: &str) {
        self.report(ActionKind::RemoteCode, None, text, WHY, &[]);
    }

    /// Whether a shell that reads its input is given to the network.
    pub(super) fn is_given_away(&self) -> bool {
        let prints_there =
            matches!(&self.io.stdout, Sink::File(target) if is_connection(&target.path));
        let constant = matches!(&self.io.stdin, Stream::Text(text) if text.unknown.is_none());
        (prints_there || self.is_carried) && !constant
    }
}
