//! The connection to the engine, per operating system: a Unix socket, or on Windows a named pipe.
//!
//! Both platforms keep one contract, so that the roles need not know the difference: a [`Channel`] is read and written
//! from different threads at once, [`Channel::end_input`] says that nothing more will be written, and
//! [`Channel::printed`] that an answer has reached the agent. Connecting waits on Windows only, for a pipe that is free
//! (`BUSY_LIMIT`); a socket is there or not. Knows no hello line and no role.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use self::unix::{Channel, HALF_CLOSES, guardian, standard_streams};
#[cfg(windows)]
pub(crate) use self::windows::{Channel, HALF_CLOSES, guardian, standard_streams};
