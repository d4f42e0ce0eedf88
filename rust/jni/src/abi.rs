//! The five verbs for C, and for whatever can call C. Described by `include/siderail.h`, which a test generates
//! anew and compares.
//!
//! No panic and no exception crosses this boundary. The library keeps nothing that it is given beyond a call,
//! except the table of callbacks and its context, up to `closed`.

#![expect(
    unsafe_code,
    reason = "pointers and lengths of a caller cannot be checked"
)]

use std::ffi::{c_char, c_void};
use std::panic::AssertUnwindSafe;
use std::slice;
use std::sync::Arc;

use crate::bridge;
use crate::callbacks::{CallbackError, Callbacks};
use crate::error::{BridgeError, Kind, panic_text};

/// What came of a verb.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiderailStatus {
    /// It was handed over.
    Ok = 0,
    /// The handle names no open engine.
    Closed = 1,
    /// An argument is null or cannot be understood.
    Invalid = 2,
    /// It could not be done.
    Failed = 3,
    /// The engine has ended, so nobody will do it.
    Cancelled = 4,
    /// A bug in this library; it was caught.
    Bug = 5,
}

/// Bytes of an error's text, with the final zero.
pub const SIDERAIL_ERROR_TEXT: usize = 1024;

/// Filled in where a verb does not answer SIDERAIL_STATUS_OK.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SiderailError {
    /// UTF-8, ends with a zero. The first line says what happened, further lines what to do.
    pub text: [c_char; SIDERAIL_ERROR_TEXT],
}

/// Functions of the embedder, called from threads of the library, never from within a verb. Texts are UTF-8
/// without a final zero and are valid during the call only. None may be null. Each should hand over and return.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SiderailCallbacks {
    /// Handed to each function; must be usable from any thread until `closed` has returned.
    pub context: *mut c_void,
    /// Takes a JSON array of events.
    pub events: Option<unsafe extern "C" fn(context: *mut c_void, batch: *const u8, len: usize)>,
    /// Starts a host call, given as JSON; answered later by siderail_complete.
    pub start: Option<
        unsafe extern "C" fn(context: *mut c_void, call: u64, request: *const u8, len: usize),
    >,
    /// The call is no longer wanted.
    pub cancel: Option<unsafe extern "C" fn(context: *mut c_void, call: u64)>,
    /// Takes a log record: 1 is an error, 5 a trace.
    pub log: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            level: u8,
            target: *const u8,
            target_len: usize,
            text: *const u8,
            text_len: usize,
        ),
    >,
    /// The engine has ended; nothing is called after this.
    pub closed: Option<unsafe extern "C" fn(context: *mut c_void)>,
}

/// The version of this boundary.
#[unsafe(no_mangle)]
pub extern "C" fn siderail_abi_version() -> u32 {
    bridge::ABI_VERSION.cast_unsigned()
}

/// Starts an engine. Reads a few small files.
///
/// # Safety
/// `config` points to `len` bytes. `callbacks` and `handle` point to one of their kind each. `error` does, or is
/// null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siderail_open(
    config: *const u8,
    len: usize,
    callbacks: *const SiderailCallbacks,
    handle: *mut u64,
    error: *mut SiderailError,
) -> SiderailStatus {
    let opened = || {
        // SAFETY: the caller's promise.
        let config = unsafe { bytes(config, len, "config") }?;
        // SAFETY: the same.
        let callbacks = unsafe { callbacks.as_ref() }.ok_or(BridgeError::Null("callbacks"))?;
        // SAFETY: the same.
        let handle = unsafe { handle.as_mut() }.ok_or(BridgeError::Null("handle"))?;
        *handle = bridge::open(config, Arc::new(CHost::new(callbacks)?))?;
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { answer(opened, error) }
}

/// Hands over a command.
///
/// # Safety
/// `command` points to `len` bytes. `error` points to one of its kind, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siderail_send(
    handle: u64,
    command: *const u8,
    len: usize,
    error: *mut SiderailError,
) -> SiderailStatus {
    // SAFETY: the caller's promise.
    let sent = || bridge::send(handle, unsafe { bytes(command, len, "command") }?);
    // SAFETY: the same.
    unsafe { answer(sent, error) }
}

/// Answers a host call. One that is over is no error.
///
/// # Safety
/// `reply` points to `len` bytes. `error` points to one of its kind, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siderail_complete(
    handle: u64,
    call: u64,
    reply: *const u8,
    len: usize,
    error: *mut SiderailError,
) -> SiderailStatus {
    // SAFETY: the caller's promise.
    let completed = || bridge::complete(handle, call, unsafe { bytes(reply, len, "reply") }?);
    // SAFETY: the same.
    unsafe { answer(completed, error) }
}

/// Ends an engine; its `closed` comes when nothing of it is left.
///
/// # Safety
/// `error` points to one of its kind, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siderail_close(handle: u64, error: *mut SiderailError) -> SiderailStatus {
    // SAFETY: the caller's promise.
    unsafe { answer(|| bridge::close(handle), error) }
}

/// The bytes of a caller.
///
/// # Safety
/// `start` is null, or points to `len` bytes that stay as they are during the verb.
unsafe fn bytes<'a>(
    start: *const u8,
    len: usize,
    name: &'static str,
) -> Result<&'a [u8], BridgeError> {
    if start.is_null() {
        return Err(BridgeError::Null(name));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { slice::from_raw_parts(start, len) })
}

/// Runs a verb. Public for libraries that add verbs of their own, such as those of tests.
///
/// # Safety
/// `error` is null or points to one of its kind.
pub unsafe fn answer(
    verb: impl FnOnce() -> Result<(), BridgeError>,
    error: *mut SiderailError,
) -> SiderailStatus {
    let (status, text) = match std::panic::catch_unwind(AssertUnwindSafe(verb)) {
        Ok(Ok(())) => return SiderailStatus::Ok,
        Ok(Err(error)) => (status(&error), error.to_string()),
        Err(panic) => (SiderailStatus::Bug, panic_text(panic)),
    };
    // SAFETY: the caller's promise.
    if let Some(error) = unsafe { error.as_mut() } {
        let room = SIDERAIL_ERROR_TEXT - 1;
        let end = (0..=room.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at));
        error.text.fill(0);
        for (place, byte) in error.text.iter_mut().zip(text[..end.unwrap_or(0)].bytes()) {
            *place = byte.cast_signed() as c_char;
        }
    }
    status
}

fn status(error: &BridgeError) -> SiderailStatus {
    match error.kind() {
        Kind::Closed => SiderailStatus::Closed,
        Kind::Invalid => SiderailStatus::Invalid,
        Kind::Failed => SiderailStatus::Failed,
        Kind::Cancelled => SiderailStatus::Cancelled,
    }
}

/// An embedder in C.
struct CHost {
    context: *mut c_void,
    events: unsafe extern "C" fn(*mut c_void, *const u8, usize),
    start: unsafe extern "C" fn(*mut c_void, u64, *const u8, usize),
    cancel: unsafe extern "C" fn(*mut c_void, u64),
    log: unsafe extern "C" fn(*mut c_void, u8, *const u8, usize, *const u8, usize),
    closed: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: the contract of `SiderailCallbacks` says that the context is usable from any thread; the rest are
// addresses of functions.
unsafe impl Send for CHost {}
// SAFETY: the same; events, calls and records come from a thread each, at the same time.
unsafe impl Sync for CHost {}

impl CHost {
    fn new(callbacks: &SiderailCallbacks) -> Result<Self, BridgeError> {
        Ok(Self {
            context: callbacks.context,
            events: callbacks.events.ok_or(BridgeError::Null("events"))?,
            start: callbacks.start.ok_or(BridgeError::Null("start"))?,
            cancel: callbacks.cancel.ok_or(BridgeError::Null("cancel"))?,
            log: callbacks.log.ok_or(BridgeError::Null("log"))?,
            closed: callbacks.closed.ok_or(BridgeError::Null("closed"))?,
        })
    }
}

impl Callbacks for CHost {
    fn events(&self, batch: &[u8]) -> Result<(), CallbackError> {
        // SAFETY: the embedder's function, with its context and bytes that live through the call.
        unsafe { (self.events)(self.context, batch.as_ptr(), batch.len()) };
        Ok(())
    }

    fn start(&self, call: u64, request: &[u8]) -> Result<(), CallbackError> {
        // SAFETY: as in `events`.
        unsafe { (self.start)(self.context, call, request.as_ptr(), request.len()) };
        Ok(())
    }

    fn cancel(&self, call: u64) -> Result<(), CallbackError> {
        // SAFETY: as in `events`.
        unsafe { (self.cancel)(self.context, call) };
        Ok(())
    }

    fn log(&self, level: u8, target: &str, text: &str) {
        let (target, text) = (target.as_bytes(), text.as_bytes());
        // SAFETY: as in `events`.
        unsafe {
            (self.log)(
                self.context,
                level,
                target.as_ptr(),
                target.len(),
                text.as_ptr(),
                text.len(),
            );
        }
    }

    fn closed(&self) {
        // SAFETY: as in `events`; the last call of all.
        unsafe { (self.closed)(self.context) };
    }
}
