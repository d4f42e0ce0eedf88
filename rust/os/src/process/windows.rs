//! Windows: a process is asked through a handle to it.

#![expect(
    unsafe_code,
    reason = "other processes are not in the standard library"
)]

use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, FILETIME, GetLastError, WAIT_TIMEOUT};
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE,
    WaitForSingleObject,
};

/// Whether a process has this number and has not ended. Also true of one that this user may not ask.
pub fn is_alive(pid: u32) -> bool {
    match open(pid) {
        // SAFETY: the handle is open, and may be waited for.
        Ok(process) => unsafe { WaitForSingleObject(process.as_raw_handle(), 0) == WAIT_TIMEOUT },
        Err(code) => code == ERROR_ACCESS_DENIED,
    }
}

/// When a running process was started, as a number that no later process of its number has: tenths of microseconds.
pub fn started(pid: u32) -> Option<u64> {
    let process = open(pid).ok()?;
    let nothing = FILETIME {
        dwLowDateTime: 0,
        dwHighDateTime: 0,
    };
    let (mut made, mut ended, mut kernel, mut user) = (nothing, nothing, nothing, nothing);
    // SAFETY: the handle is open, and each place for an answer lives.
    let told = unsafe {
        GetProcessTimes(
            process.as_raw_handle(),
            &raw mut made,
            &raw mut ended,
            &raw mut kernel,
            &raw mut user,
        )
    };
    // SAFETY: as in `is_alive`.
    let runs = unsafe { WaitForSingleObject(process.as_raw_handle(), 0) == WAIT_TIMEOUT };
    (told != 0 && runs)
        .then(|| u64::from(made.dwHighDateTime) << 32 | u64::from(made.dwLowDateTime))
}

/// A handle to ask by; else the system's code.
fn open(pid: u32) -> Result<OwnedHandle, u32> {
    // SAFETY: a number and two rights; what comes back is checked.
    let process = unsafe {
        OpenProcess(
            PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE,
            0,
            pid,
        )
    };
    if process.is_null() {
        // SAFETY: asks for this thread's last error.
        return Err(unsafe { GetLastError() });
    }
    // SAFETY: it was opened just now and belongs to nobody else.
    Ok(unsafe { OwnedHandle::from_raw_handle(process) })
}
