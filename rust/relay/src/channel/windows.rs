//! The engine's named pipe, as an overlapped handle.
//!
//! A plain handle does one thing at a time: a read that waits for the engine would hold up every write. The
//! standard library opens such handles and cannot use them, so reading and writing are four system calls here.

use std::ffi::{OsString, c_void};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::{
    AsHandle as _, AsRawHandle as _, FromRawHandle as _, OwnedHandle, RawHandle,
};
use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Whether the engine sees the end of what we write while it can still answer. A pipe has one end for both, so
/// a payload's length is said ahead of it.
pub(crate) const HALF_CLOSES: bool = false;

/// Between one client and the next the engine needs a moment to offer the pipe again.
const BUSY_LIMIT: Duration = Duration::from_secs(2);
const BUSY_PAUSE: Duration = Duration::from_millis(5);

const FILE_FLAG_OVERLAPPED: u32 = 0x4000_0000;
/// The engine may learn who we are, and not act in our name.
const SECURITY_IDENTIFICATION: u32 = 0x0001_0000;
const ERROR_BROKEN_PIPE: i32 = 109;
const ERROR_PIPE_BUSY: i32 = 231;
const ERROR_IO_PENDING: i32 = 997;

/// `OVERLAPPED` of the Windows API; the union in its middle as the two words that it is for pipes, which have no position.
#[repr(C)]
struct Overlapped {
    internal: usize,
    internal_high: usize,
    offset: u32,
    offset_high: u32,
    event: RawHandle,
}

#[expect(unsafe_code, reason = "foreign functions have no safe declaration")]
mod ffi {
    use std::ffi::c_void;
    use std::os::windows::io::RawHandle;

    use super::Overlapped;

    // SAFETY: the declarations match the Windows API; BOOL is a 32-bit integer.
    #[link(name = "kernel32")]
    unsafe extern "system" {
        pub(super) fn CreateEventW(
            attributes: *const c_void,
            manual_reset: i32,
            initial: i32,
            name: *const u16,
        ) -> RawHandle;
        pub(super) fn ReadFile(
            file: RawHandle,
            buffer: *mut c_void,
            n_bytes: u32,
            n_done: *mut u32,
            overlapped: *mut Overlapped,
        ) -> i32;
        pub(super) fn WriteFile(
            file: RawHandle,
            buffer: *const c_void,
            n_bytes: u32,
            n_done: *mut u32,
            overlapped: *mut Overlapped,
        ) -> i32;
        pub(super) fn GetOverlappedResult(
            file: RawHandle,
            overlapped: *mut Overlapped,
            n_done: *mut u32,
            wait: i32,
        ) -> i32;
    }
}

/// A connection to the engine.
pub(crate) struct Channel(OwnedHandle);

impl Channel {
    pub(crate) fn connect(address: &Path) -> io::Result<Self> {
        let give_up = Instant::now() + BUSY_LIMIT;
        loop {
            let opened = OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(FILE_FLAG_OVERLAPPED)
                .security_qos_flags(SECURITY_IDENTIFICATION)
                .open(address);
            match opened {
                Ok(pipe) => return Ok(Self(pipe.into())),
                Err(error)
                    if error.raw_os_error() == Some(ERROR_PIPE_BUSY)
                        && Instant::now() < give_up =>
                {
                    sleep(BUSY_PAUSE);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The same connection, for another thread.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Nothing more will be written: the engine takes a message of no bytes for the end of input.
    pub(crate) fn end_input(&self) -> io::Result<()> {
        self.put(&[]).map(drop)
    }

    /// Tells the engine that its answer was read and printed, not only sent: a pipe does not say it by closing.
    pub(crate) fn printed(self) {
        let _gone = self.put(b"\n");
    }

    #[expect(
        unsafe_code,
        reason = "the standard library cannot write to an overlapped handle"
    )]
    fn put(&self, bytes: &[u8]) -> io::Result<usize> {
        let n_bytes = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.transfer(|pipe, overlapped| {
            // SAFETY: `bytes` and `overlapped` outlive the operation, which `transfer` waits for.
            unsafe {
                ffi::WriteFile(
                    pipe,
                    bytes.as_ptr().cast(),
                    n_bytes,
                    std::ptr::null_mut(),
                    overlapped,
                )
            }
        })
    }

    /// Starts a read or write and waits until it is done.
    #[expect(
        unsafe_code,
        reason = "overlapped operations are not in the standard library"
    )]
    fn transfer(&self, start: impl FnOnce(RawHandle, *mut Overlapped) -> i32) -> io::Result<usize> {
        // SAFETY: no attributes, no name; what is returned is a new handle or null.
        let event = unsafe { ffi::CreateEventW(std::ptr::null(), 1, 0, std::ptr::null()) };
        if event.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and nobody else closes it.
        let event = unsafe { OwnedHandle::from_raw_handle(event) };
        let mut overlapped = Overlapped {
            internal: 0,
            internal_high: 0,
            offset: 0,
            offset_high: 0,
            event: event.as_raw_handle(),
        };
        let pipe = self.0.as_raw_handle();
        if start(pipe, &raw mut overlapped) == 0 {
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(ERROR_IO_PENDING) {
                return Err(error);
            }
        }
        let mut n_done = 0;
        // SAFETY: the operation was started with this structure, and both live until it has ended.
        if unsafe { ffi::GetOverlappedResult(pipe, &raw mut overlapped, &raw mut n_done, 1) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(n_done as usize)
    }
}

impl Read for Channel {
    #[expect(
        unsafe_code,
        reason = "the standard library cannot read from an overlapped handle"
    )]
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n_bytes = u32::try_from(into.len()).unwrap_or(u32::MAX);
        let done = self.transfer(|pipe, overlapped| {
            // SAFETY: `into` and `overlapped` outlive the operation, which `transfer` waits for.
            unsafe {
                ffi::ReadFile(
                    pipe,
                    into.as_mut_ptr().cast::<c_void>(),
                    n_bytes,
                    std::ptr::null_mut(),
                    overlapped,
                )
            }
        });
        match done {
            Err(error) if error.raw_os_error() == Some(ERROR_BROKEN_PIPE) => Ok(0),
            other => other,
        }
    }
}

impl Write for Channel {
    /// No bytes would mean the end of input.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.put(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard input and output as files: `Stdin` and `Stdout` would add a buffer and a lock each.
pub(crate) fn standard_streams() -> io::Result<(File, File)> {
    let input = File::from(io::stdin().as_handle().try_clone_to_owned()?);
    let output = File::from(io::stdout().as_handle().try_clone_to_owned()?);
    Ok((input, output))
}

/// The role of the guardian, which Windows needs nobody for: the engine holds each program in a job object.
pub(crate) fn guardian(_args: impl Iterator<Item = OsString>) -> ExitCode {
    crate::usage_error(
        "there is no guardian on Windows; the engine keeps each program in a job object",
    )
}
