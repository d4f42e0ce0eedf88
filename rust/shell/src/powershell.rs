//! What PowerShell's cmdlets, its aliases for them and its methods do.

mod cmdlets;
mod files;
mod items;
mod lists;
mod methods;
mod parameters;

pub(super) use cmdlets::{command, is_alias};
