//! Arithmetic, and the subscripts and slices that are arithmetic as well.

use super::{Piece, Writer};

/// What may hold any program.
const FRAMES: [(&str, &str); 12] = [
    ("list[0$(", ")]=1"),
    ("list=([0$(", ")]=1 2)"),
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
/// The subscript of a declaration is expanded twice: what a program in it prints runs as well, and so would decoys.
const DECLARED: (&str, &str) = ("declare list[0$(", ")]=1");
// Quotes that hide nothing; within them there can be none.
const QUOTED: [(&str, &str); 6] = [
    ("list['$(", ")']=1"),
    ("echo $(( '$(", ")' ))"),
    ("(( '$(", ")' ))"),
    ("echo ${x:'$(", ")':1}"),
    ("list=(['$(", ")']=1)"),
    ("echo $[ '$(", ")' ]"),
];

impl Writer {
    pub(super) fn counted(&mut self, inner: &Piece) -> Piece {
        let has_quotes = inner.flat().contains('\'');
        let frames = if has_quotes || self.random.one_in(2) {
            FRAMES.as_slice()
        } else {
            &QUOTED
        };
        let (open, close) = match self.random.below(frames.len() + 1) {
            0 if !has_decoy(&inner.flat()) => DECLARED,
            at => frames[at.saturating_sub(1)],
        };
        inner.inside(open, "", close)
    }
}

/// Whether a decoy stands somewhere in a text.
fn has_decoy(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let mut decoys = words.filter(|word| word.starts_with('d'));
    decoys.any(super::is_marker)
}
