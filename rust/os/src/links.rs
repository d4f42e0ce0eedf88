//! A second name for a file or folder, through which it is read and written, per operating system.
//!
//! Unix has symbolic links. Windows lets few users make those, so a folder gets a junction there and a file a second
//! name on its disk (a hard link), on another disk a copy. [`leads_to`] finds out whether a program has replaced a name
//! of either kind by a file of its own. Knows nothing of what is linked, and why.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{copy, leads_to, make};
#[cfg(windows)]
pub use windows::{copy, leads_to, make};
