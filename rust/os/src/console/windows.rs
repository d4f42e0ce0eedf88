//! Consoles as Windows has them: modes of two handles, and input records, of which only some are letters.
//!
//! A terminal of another kind (mintty, an editor's) reaches a program as pipes: nobody can be asked there, and what is
//! drawn is its own concern.

#![expect(unsafe_code, reason = "consoles are not in the standard library")]

use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use windows_sys::Win32::Foundation::{HANDLE, WAIT_OBJECT_0};
use windows_sys::Win32::System::Console::{
    CONSOLE_MODE, CONSOLE_SCREEN_BUFFER_INFO, ENABLE_ECHO_INPUT, ENABLE_LINE_INPUT,
    ENABLE_PROCESSED_INPUT, ENABLE_VIRTUAL_TERMINAL_INPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING,
    FlushConsoleInputBuffer, GetConsoleMode, GetConsoleScreenBufferInfo, GetStdHandle,
    INPUT_RECORD, KEY_EVENT, PeekConsoleInputW, ReadConsoleInputW, STD_ERROR_HANDLE, STD_HANDLE,
    STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetConsoleMode,
};
use windows_sys::Win32::System::Threading::WaitForSingleObject;

/// The key that a letter is composed with by its number: the letter comes when this one is let go.
const VK_MENU: u16 = 0x12;

/// Columns and rows of the window, where there is a console.
pub fn size() -> Option<(usize, usize)> {
    let mut info = MaybeUninit::<CONSOLE_SCREEN_BUFFER_INFO>::uninit();
    // SAFETY: the structure is as long as the function expects, and read only after the function has filled it.
    let info = unsafe {
        let console = GetStdHandle(STD_ERROR_HANDLE);
        if GetConsoleScreenBufferInfo(console, info.as_mut_ptr()) == 0 {
            return None;
        }
        info.assume_init()
    };
    let window = info.srWindow;
    let columns = i32::from(window.Right) - i32::from(window.Left) + 1;
    let rows = i32::from(window.Bottom) - i32::from(window.Top) + 1;
    let (columns, rows) = (usize::try_from(columns).ok()?, usize::try_from(rows).ok()?);
    (columns > 0 && rows > 0).then_some((columns, rows))
}

/// Whether standard input is a console and not another terminal's pipe.
pub fn gives_keys() -> bool {
    mode(STD_INPUT_HANDLE).is_some()
}

/// Whether this process has a terminal that a shell would want for itself: consoles are shared here.
pub fn is_owned() -> bool {
    false
}

/// Has the consoles of both outputs read escape sequences, and says whether they do. What is not a console is not
/// asked.
pub fn reads_escapes() -> bool {
    [STD_OUTPUT_HANDLE, STD_ERROR_HANDLE]
        .into_iter()
        .all(|stream| match mode(stream) {
            Some(mode) => set_mode(stream, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING).is_ok(),
            None => true,
        })
}

/// Waits until there is a letter to read on standard input, at most so long. Also true if that is unknown: the read
/// that follows then says why.
pub fn has_input(limit: Duration) -> bool {
    if !gives_keys() {
        return true;
    }
    let limit = u32::try_from(limit.as_millis()).unwrap_or(u32::MAX - 1);
    let console = handle(STD_INPUT_HANDLE);
    // SAFETY: the handle is that of standard input, which this program never closes.
    let waited = unsafe { WaitForSingleObject(console, limit) };
    waited != WAIT_OBJECT_0 || has_letter(console)
}

/// Looks at what has happened at the console. What no read would give (a moved mouse, a key let go) is taken out, or
/// the wait would never be one again.
fn has_letter(console: HANDLE) -> bool {
    const MOST: usize = 32;
    // SAFETY: input records are plain data, for which zero is a value.
    let mut records: [INPUT_RECORD; MOST] = unsafe { std::mem::zeroed() };
    let mut count = 0;
    // SAFETY: the array has as many records as are asked for.
    let seen = unsafe { PeekConsoleInputW(console, records.as_mut_ptr(), 32, &mut count) };
    if seen == 0 {
        return true;
    }
    let count_seen = count as usize;
    if records[..count_seen.min(MOST)].iter().any(is_letter) {
        return true;
    }
    if count > 0 {
        // SAFETY: as above; at most as many as were just seen are taken.
        let _ = unsafe { ReadConsoleInputW(console, records.as_mut_ptr(), count, &mut count) };
    }
    false
}

fn is_letter(record: &INPUT_RECORD) -> bool {
    if u32::from(record.EventType) != KEY_EVENT {
        return false;
    }
    // SAFETY: the type says which of the variants the record holds, and a letter's two forms are as long.
    let (key, letter) = unsafe {
        let key = record.Event.KeyEvent;
        (key, key.uChar.UnicodeChar)
    };
    letter != 0 && (key.bKeyDown != 0 || key.wVirtualKeyCode == VK_MENU)
}

/// Throws away what was typed and not read yet.
///
/// # Errors
///
/// The system's, where standard input is not a console.
pub fn forget_typed() -> io::Result<()> {
    // SAFETY: the handle is that of standard input, which this program never closes.
    match unsafe { FlushConsoleInputBuffer(handle(STD_INPUT_HANDLE)) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Keys come one by one and unseen while this lives, those without a letter as escape sequences; Ctrl-C still comes as
/// an event.
#[derive(Debug)]
pub struct KeyMode(CONSOLE_MODE);

impl KeyMode {
    /// Switches the console of standard input.
    ///
    /// # Errors
    ///
    /// The system's, where it is not a console or knows no escape sequences.
    pub fn enter() -> io::Result<Self> {
        let before = mode(STD_INPUT_HANDLE).ok_or_else(io::Error::last_os_error)?;
        let keys = before & !(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT);
        let keys = keys | ENABLE_PROCESSED_INPUT | ENABLE_VIRTUAL_TERMINAL_INPUT;
        set_mode(STD_INPUT_HANDLE, keys)?;
        Ok(Self(before))
    }
}

impl Drop for KeyMode {
    fn drop(&mut self) {
        // a console that has gone away needs no mode
        let _ = set_mode(STD_INPUT_HANDLE, self.0);
    }
}

fn handle(stream: STD_HANDLE) -> HANDLE {
    // SAFETY: asks for one of this process's own handles; nothing is opened.
    unsafe { GetStdHandle(stream) }
}

/// The mode of a stream that is a console.
fn mode(stream: STD_HANDLE) -> Option<CONSOLE_MODE> {
    let mut mode = 0;
    // SAFETY: the mode is written to where the reference leads.
    let is_console = unsafe { GetConsoleMode(handle(stream), &mut mode) } != 0;
    is_console.then_some(mode)
}

fn set_mode(stream: STD_HANDLE, mode: CONSOLE_MODE) -> io::Result<()> {
    // SAFETY: a handle of this process, and bits that Windows checks.
    match unsafe { SetConsoleMode(handle(stream), mode) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
