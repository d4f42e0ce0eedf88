//! macOS: `proc_pidinfo`.

#![expect(unsafe_code, reason = "proc_pidinfo is not in the standard library")]

use std::mem::MaybeUninit;

/// When a running process was started, as a number that no later process of its number has: microseconds.
pub fn started(pid: u32) -> Option<u64> {
    let mut info = MaybeUninit::<libc::proc_bsdinfo>::uninit();
    let length = libc::c_int::try_from(size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the buffer is as long as is said.
    let filled = unsafe {
        libc::proc_pidinfo(
            pid.cast_signed(),
            libc::PROC_PIDTBSDINFO,
            0,
            info.as_mut_ptr().cast(),
            length,
        )
    };
    if filled != length {
        return None;
    }
    // SAFETY: the system has filled all of it.
    let info = unsafe { info.assume_init() };
    Some(info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec)
}
