//! What gives data, or a shell, to another machine.

use super::analysis::Dialect;
use super::judge::Judge;
use super::program::Fact;
use siderail_syntax::tree::Node;

impl Judge<'_> {
    /// Whether a stage of a pipeline carries what it reads to another machine.
    pub(super) fn carries(&self, stage: &Node) -> bool {
        let Node::Simple(simple) = stage else {
            return false;
        };
        let name = simple.words.first().and_then(|word| word.bare());
        name.is_some_and(|name| self.knows(name, Fact::Connects))
    }
}

/// A path that bash takes for an address.
pub(super) fn is_connection(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Whether the first word of a command is a shell, in any folder and on any system.
pub(super) fn is_shell(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".exe").unwrap_or(name);
    Dialect::from_name(name).is_some()
}

/// Whether a command line is a shell that reads what to run: it has no text of its own.
pub(super) fn starts_shell(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    let first = first.trim_matches(['"', '\'']);
    is_shell(first)
        && words.all(|word| {
            let option = word.starts_with(['-', '+']) && !word.contains('c');
            option || word.contains(['<', '>', '&'])
        })
}
