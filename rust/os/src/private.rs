//! Folders and files for this user alone, and whose they are, per operating system.
//!
//! Unix has modes, which are set when something is made. Windows has access lists, which what is made takes over from
//! the folder that it stands in: so folders are closed there, and files have nothing of their own. Decides nothing of
//! what is believed; `state` does.

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
