//! Consoles as POSIX has them: `termios` and `poll`.

use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush,
    tcgetattr, tcgetwinsize, tcsetattr,
};

/// Columns and rows, where the console says.
pub fn size() -> Option<(usize, usize)> {
    let size = tcgetwinsize(io::stderr()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then(|| (size.ws_col.into(), size.ws_row.into()))
}

/// Whether a terminal on standard input can give its keys one by one: each can.
pub fn gives_keys() -> bool {
    true
}

/// Whether this process has a terminal that a shell would want for itself, whatever its streams are.
pub fn is_owned() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

/// Whether escape sequences are more than odd letters: `TERM` says that, and the caller reads it.
pub fn reads_escapes() -> bool {
    true
}

/// Waits until there is something to read on standard input, at most so long. Also true if that is unknown: the read
/// that follows then says why.
pub fn has_input(limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).ok();
    let input = io::stdin();
    let mut waits = [PollFd::new(&input, PollFlags::IN)];
    !matches!(
        poll(&mut waits, limit.as_ref()),
        Ok(0) | Err(rustix::io::Errno::INTR)
    )
}

/// Throws away what was typed and not read yet.
///
/// # Errors
///
/// The system's, where standard input is not a terminal.
pub fn forget_typed() -> io::Result<()> {
    Ok(tcflush(io::stdin(), QueueSelector::IFlush)?)
}

/// Keys come one by one and unseen while this lives; interrupts still arrive as signals.
#[derive(Debug)]
pub struct KeyMode(Termios);

impl KeyMode {
    /// Switches the terminal of standard input.
    ///
    /// # Errors
    ///
    /// The system's, where it is not a terminal.
    pub fn enter() -> io::Result<Self> {
        let input = io::stdin();
        let before = tcgetattr(&input)?;
        let mut keys = before.clone();
        keys.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        // a pasted line end of two characters stays two, and is taken for one
        keys.input_modes.remove(InputModes::ICRNL);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&input, OptionalActions::Now, &keys)?;
        Ok(Self(before))
    }
}

impl Drop for KeyMode {
    fn drop(&mut self) {
        // a terminal that has gone away needs no settings
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
