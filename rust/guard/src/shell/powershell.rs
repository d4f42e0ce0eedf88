//! The front end for PowerShell.

use super::commands::Call;
use super::ir::Stream;
use super::judge::Judge;
use super::syntax::{Parsed, Trouble};

pub(super) fn parse(_text: &str, _depth: u32, _limit: u32) -> Parsed {
    Parsed {
        trouble: Some(Trouble::Syntax("not built yet")),
        ..Parsed::default()
    }
}

pub(super) fn command(_judge: &mut Judge<'_>, _call: Call<'_>) -> Option<Stream> {
    None
}
