//! Lists that are one argument, `a, b`: how the parser writes them down, and how they come apart again.
//!
//! It knows neither parsers nor cmdlets.

use crate::ir::Arg;
use siderail_syntax::powershell::LIST_SEPARATOR;

/// The elements of a list, or the one argument itself.
pub(super) fn elements(arg: &Arg) -> Vec<Arg> {
    if !arg.text.contains(LIST_SEPARATOR) {
        return vec![arg.clone()];
    }
    let pieces = arg.text.split(LIST_SEPARATOR);
    let pieces = pieces.map(|piece| arg.with_text(piece));
    Arg::bounded(pieces.collect())
}
