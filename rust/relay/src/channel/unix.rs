//! The engine's Unix socket.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

/// Whether the engine sees the end of what we write while it can still answer.
pub(crate) const HALF_CLOSES: bool = true;

/// A connection to the engine.
pub(crate) struct Channel(UnixStream);

impl Channel {
    pub(crate) fn connect(address: &Path) -> io::Result<Self> {
        UnixStream::connect(address).map(Self)
    }

    /// The same connection, for another thread.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Nothing more will be written.
    pub(crate) fn end_input(&self) -> io::Result<()> {
        self.0.shutdown(Shutdown::Write)
    }

    /// Tells the engine that its answer was read and printed, not only sent: it sees the connection close.
    pub(crate) fn printed(self) {}
}

impl Read for Channel {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Channel {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard input and output as files: `Stdin` and `Stdout` would add a buffer and a lock each.
pub(crate) fn standard_streams() -> io::Result<(File, File)> {
    let input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    Ok((input, output))
}

/// The role of the guardian.
pub(crate) fn guardian(args: impl Iterator<Item = OsString>) -> ExitCode {
    crate::guardian::run(args)
}
