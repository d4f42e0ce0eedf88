//! Arithmetic, and the subscripts and slices that are arithmetic as well.

use super::{Piece, Writer};

/// What may hold any program.
const FRAMES: [(&str, &str); 11] = [
    ("list[0$(", ")]=1"),
    ("echo ${list[0$(", ")]}"),
    ("echo \"${list[0$(", ")]}\""),
    ("echo ${x:0$(", "):1}"),
    ("echo $[ 0$(", ") ]"),
    ("(( x = (0$(", ") + 1) << 2 ))"),
    ("echo \"$(( 1 + (0$(", ") + 2) ))\""),
    ("[[ x == @(y|$(", ")) ]]"),
    ("list[\"$(", ")\"]=1"),
    ("let 'x = 1' \"y = 0$(", ")\""),
    ("[[ 0$(", ") -lt 1 ]]"),
];
/// The subscripts of declarations and of elements in a list are expanded twice: what a program in them prints runs as
/// well, and so would decoys, of which a variable may hold one.
const TWICE: [(&str, &str); 2] = [("declare list[0$(", ")]=1"), ("list=([0$(", ")]=1 2)")];
// Quotes that hide nothing; within them there can be none.
const QUOTED: [(&str, &str); 5] = [
    ("list['$(", ")']=1"),
    ("echo $(( '$(", ")' ))"),
    ("(( '$(", ")' ))"),
    ("echo ${x:'$(", ")':1}"),
    ("echo $[ '$(", ")' ]"),
];

impl Writer {
    pub(super) fn counted(&mut self, inner: &Piece) -> Piece {
        let text = inner.flat();
        let prints_decoy = has_decoy(&text) || text.contains("${x");
        let frames = if self.random.one_in(6) && !prints_decoy {
            TWICE.as_slice()
        } else if text.contains('\'') || self.random.one_in(2) {
            FRAMES.as_slice()
        } else {
            &QUOTED
        };
        let (open, close) = *self.random.pick(frames);
        inner.inside(open, "", close)
    }
}

/// Whether a decoy is somewhere in a text.
fn has_decoy(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let mut decoys = words.filter(|word| word.starts_with('d'));
    decoys.any(super::is_marker)
}
