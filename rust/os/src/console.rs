//! The console that a person sits at: its size, whether it can be asked and drawn on, and keys one by one, per
//! operating system.
//!
//! The questions are about standard input and standard error, where a dialogue takes place; escape sequences go to
//! standard output, too. Knows nothing of what is asked or drawn.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{KeyMode, forget_typed, gives_keys, has_input, is_owned, reads_escapes, size};
#[cfg(windows)]
pub use windows::{KeyMode, forget_typed, gives_keys, has_input, is_owned, reads_escapes, size};
