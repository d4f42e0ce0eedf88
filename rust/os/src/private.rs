//! Folders and files for this user alone, and whose they are, per operating system.
//!
//! Unix has modes, which are set when something is made. Windows has access lists, which new files inherit from their
//! folder: so folders are closed there, and files have no list of their own. `state` decides what is trusted.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{
    close_folder, file, folder, is_users, others_can_enter, others_can_write, user_number,
};
#[cfg(windows)]
pub use windows::{
    close_folder, file, folder, is_users, others_can_enter, others_can_write, user_number,
};
