//! Arithmetic, and the subscripts and slices that are arithmetic as well.

use super::{Piece, Writer};

/// What may hold any program.
const FRAMES: [(&str, &str); 13] = [
    ("list[0$(", ")]=1"),
    ("list=([0$(", ")]=1 2)"),
    ("declare list[0$(", ")]=1"),
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
        let (open, close) = *self.random.pick(frames);
        inner.inside(open, "", close)
    }
}
