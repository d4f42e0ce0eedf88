//! A shell or a command that is given to the network: whoever is at the other end says what runs.

use crate::Dialect;
use crate::FindingKind;
use crate::args::Grammar;
use crate::commands::Call;
use crate::ir::{Arg, Origin, Sink, Stream};
use crate::judge::Judge;
use crate::syntax::Node;

const WHY: &str = "Gives a shell to the network: whoever is at the other end says what runs.";

/// Programs that carry their input to another machine.
#[rustfmt::skip]
const CARRIERS: [&str; 7] = ["nc", "ncat", "netcat", "telnet", "socat", "openssl", "websocat"];

/// Shells without text of their own run what they read.
const SHELLS: [&str; 11] = [
    "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "pwsh", "cmd",
];

impl Judge<'_> {
    pub(super) fn connector(&mut self, call: Call<'_>) -> Option<Stream> {
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

/// Whether a stage of a pipeline carries what it reads to another machine.
pub(crate) fn carries(stage: &Node) -> bool {
    let Node::Simple(simple) = stage else {
        return false;
    };
    let name = simple.words.first().and_then(|word| word.bare());
    name.is_some_and(|name| CARRIERS.contains(&name))
}

/// A path that bash takes for an address.
pub(crate) fn is_connection(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Whether a command line is a shell that reads what to run.
pub(crate) fn starts_shell(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    let first = first.trim_matches(['"', '\'']);
    let name = first.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    SHELLS.contains(&name)
        && words.all(|word| {
            let option = word.starts_with(['-', '+']) && !word.contains('c');
            option || word.contains(['<', '>', '&'])
        })
}
