//! What gives data, or a shell, to another machine.

use siderail_syntax::tree::Node;

/// Programs that carry their input to another machine.
#[rustfmt::skip]
const CARRIERS: [&str; 7] = ["nc", "ncat", "netcat", "telnet", "socat", "openssl", "websocat"];

/// Shells without text of their own run what they read.
const SHELLS: [&str; 11] = [
    "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "pwsh", "cmd",
];

/// Whether a stage of a pipeline carries what it reads to another machine.
pub(super) fn carries(stage: &Node) -> bool {
    let Node::Simple(simple) = stage else {
        return false;
    };
    let name = simple.words.first().and_then(|word| word.bare());
    name.is_some_and(|name| CARRIERS.contains(&name))
}

/// A path that bash takes for an address.
pub(super) fn is_connection(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Whether a command line is a shell that reads what to run.
pub(super) fn starts_shell(text: &str) -> bool {
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
