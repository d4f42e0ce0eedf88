//! The system calls of the guardian, behind safe functions.
//!
//! The standard library has no signals, no `waitpid` for any child and no `prctl`; a crate for five
//! calls would be the relay's only dependency. Constants are those of Linux and of the BSD family, which macOS belongs to.

use std::ffi::{c_int, c_ulong};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// A process; negated, a process group.
pub(super) type Pid = i32;

const LINUX: bool = cfg!(target_os = "linux");
const SIGUSR1: c_int = if LINUX { 10 } else { 30 };
const SIGCHLD: c_int = if LINUX { 17 } else { 20 };
const SIG_SETMASK: c_int = if LINUX { 2 } else { 3 };
const WNOHANG: c_int = 1;
const SIG_IGN: usize = 1;
const PR_SET_PDEATHSIG: c_int = 1;
const PR_SET_CHILD_SUBREAPER: c_int = 36;

#[expect(unsafe_code, reason = "foreign functions have no safe declaration")]
mod ffi {
    use std::ffi::{c_int, c_void};

    // SAFETY: the declarations match POSIX (and prctl(2)) on all systems that this module is built for;
    // `sigprocmask` takes sets by pointer, `signal` takes a handler or a small constant as a word.
    unsafe extern "C" {
        pub(super) fn kill(pid: c_int, signal: c_int) -> c_int;
        pub(super) fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
        pub(super) fn signal(signal: c_int, handler: usize) -> usize;
        pub(super) fn sigprocmask(how: c_int, set: *const c_void, old: *mut c_void) -> c_int;
        pub(super) fn write(fd: c_int, bytes: *const c_void, n_bytes: usize) -> isize;
        pub(super) fn dup2(from: c_int, to: c_int) -> c_int;
        pub(super) fn fork() -> c_int;
        pub(super) fn setpgid(pid: c_int, group: c_int) -> c_int;
        #[cfg(target_os = "linux")]
        pub(super) fn prctl(option: c_int, ...) -> c_int;
        #[cfg(target_os = "linux")]
        pub(super) fn getrlimit(resource: c_int, limit: *mut [u64; 2]) -> c_int;
        #[cfg(target_os = "linux")]
        pub(super) fn setrlimit(resource: c_int, limit: *const [u64; 2]) -> c_int;
        #[cfg(target_vendor = "apple")]
        pub(super) fn proc_listchildpids(parent: c_int, pids: *mut c_void, n_bytes: c_int)
        -> c_int;
    }
}

/// Which of the two processes after a fork this is.
pub(super) enum Forked {
    Parent { child: Pid },
    Child,
}

/// Splits this process in two. The caller sees to it that there is one thread only.
#[expect(unsafe_code, reason = "fork(2) is not in the standard library")]
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: with one thread no lock can be held by a thread that the child does not have.
    match unsafe { ffi::fork() } {
        0 => Ok(Forked::Child),
        child if child > 0 => Ok(Forked::Parent { child }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Moves this process into a process group of its own.
#[expect(
    unsafe_code,
    reason = "setpgid(2) for the own process is not in the standard library"
)]
pub(super) fn leave_group() -> io::Result<()> {
    // SAFETY: takes two integers and touches no memory.
    checked(unsafe { ffi::setpgid(0, 0) })
}

fn checked(returned: c_int) -> io::Result<()> {
    if returned == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A signal that can be passed on.
#[derive(Clone, Copy)]
pub(super) struct Signal(u8);

impl Signal {
    pub(super) const HUP: Self = Self(1);
    pub(super) const INT: Self = Self(2);
    pub(super) const KILL: Self = Self(9);
    pub(super) const TERM: Self = Self(15);
    pub(super) const CONT: Self = Self(if LINUX { 18 } else { 19 });

    pub(super) fn number(self) -> u8 {
        self.0
    }
}

/// Sends a signal to a process, or to a group when negative. A process that is gone, or that is not ours to signal, is
/// skipped: the caller looks at what is left, not at what was sent.
#[expect(unsafe_code, reason = "kill(2) is not in the standard library")]
pub(super) fn send(pid: Pid, signal: Signal) {
    // SAFETY: takes two integers and touches no memory.
    unsafe { ffi::kill(pid, c_int::from(signal.0)) };
}

/// The write end of the pipe that wakes [`Signals::wait`]; read by the signal handler.
static WAKE: AtomicI32 = AtomicI32::new(-1);

#[expect(
    unsafe_code,
    reason = "a signal handler may use write(2) and nothing of the library"
)]
extern "C" fn on_signal(signal: c_int) {
    let byte = signal as u8;
    // SAFETY: one byte is read from a live local; write(2) is async-signal-safe; the descriptor is
    // set before the handler is installed and never closed.
    unsafe { ffi::write(WAKE.load(Ordering::Relaxed), (&raw const byte).cast(), 1) };
}

/// Signals to this process, as they come in.
pub(super) struct Signals {
    pipe: UnixStream,
}

impl Signals {
    /// Takes over the signals that the guardian acts on. A hang-up or interrupt that our parent had switched off stays
    /// off.
    #[expect(unsafe_code, reason = "signal handling is not in the standard library")]
    pub(super) fn catch() -> io::Result<Self> {
        let (pipe, wake) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        WAKE.store(wake.into_raw_fd(), Ordering::Relaxed);
        let handler = on_signal as extern "C" fn(c_int) as usize;
        for number in [1, 2, 15, SIGUSR1, SIGCHLD] {
            // SAFETY: the handler only calls write(2), see there.
            let before = unsafe { ffi::signal(number, handler) };
            if before == SIG_IGN && number <= 2 {
                // SAFETY: puts back what was there.
                unsafe { ffi::signal(number, SIG_IGN) };
            }
        }
        // A thread of a larger host may have started us with signals blocked. The largest signal
        // set of the supported systems has 128 bytes, and all zero is the empty set on each.
        let empty = [0_u64; 16];
        // SAFETY: `empty` is large enough and outlives the call; null says that the old set is not wanted.
        unsafe { ffi::sigprocmask(SIG_SETMASK, empty.as_ptr().cast(), std::ptr::null_mut()) };
        Ok(Self { pipe })
    }

    /// Waits until something happens, at most `limit`; returns the signals that ask for an end.
    /// A child's end and the parent's end only wake it.
    pub(super) fn wait(&mut self, limit: Duration) -> Vec<Signal> {
        // A zero limit would mean "for ever".
        let limit = limit.max(Duration::from_millis(1));
        let mut numbers = [0; 64];
        let n_read = self
            .pipe
            .set_read_timeout(Some(limit))
            .and_then(|()| self.pipe.read(&mut numbers))
            .unwrap_or(0);
        let ending = [Signal::HUP, Signal::INT, Signal::TERM];
        let asked = |number| ending.into_iter().find(|signal| signal.0 == number);
        numbers[..n_read]
            .iter()
            .copied()
            .filter_map(asked)
            .collect()
    }
}

/// What a look at the children found.
pub(super) enum Waited {
    /// This child ended, with the status that a shell would give.
    Ended { pid: Pid, status: u8 },
    /// There are children and all are running.
    AllAlive,
    /// There is no child, running or ended.
    NoChildren,
}

/// Collects one ended child, if there is one.
#[expect(
    unsafe_code,
    reason = "the standard library waits only for children that it started"
)]
pub(super) fn wait_any() -> Waited {
    let mut status = 0;
    // SAFETY: `status` is a live integer for the call to fill in.
    match unsafe { ffi::waitpid(-1, &raw mut status, WNOHANG) } {
        0 => Waited::AllAlive,
        pid if pid > 0 => Waited::Ended {
            pid,
            status: match status & 0x7f {
                0 => (status >> 8) as u8,
                signal => 128 + signal as u8,
            },
        },
        _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Waited::AllAlive,
        _ => Waited::NoChildren,
    }
}

/// Makes this process the parent of every descendant that loses its own.
pub(super) fn adopt_orphans() -> io::Result<()> {
    control(PR_SET_CHILD_SUBREAPER, 1)
}

/// Has the kernel wake us when the thread that started us ends. That may be a thread of a living
/// process, so it is a reason to look at the parent and nothing more.
pub(super) fn wake_when_parent_ends() -> io::Result<()> {
    control(PR_SET_PDEATHSIG, SIGUSR1 as c_ulong)
}

/// Has the kernel kill the program if the guardian itself is killed.
#[expect(
    unsafe_code,
    reason = "the request must be made in the child, between fork and exec"
)]
pub(super) fn end_with_parent(command: &mut Command) {
    // SAFETY: the closure makes one system call; it neither allocates nor takes a lock.
    unsafe { command.pre_exec(|| control(PR_SET_PDEATHSIG, c_ulong::from(Signal::KILL.0))) };
}

/// Sets the soft limit of real-time computing for a program and all that it starts; a smaller hard one stays.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the limit is for the child alone, so it is set between fork and exec"
)]
pub(super) fn limit_realtime(command: &mut Command, soft: u64) {
    const RLIMIT_RTTIME: c_int = 15;
    let limit = move || {
        let mut limits = [0_u64; 2];
        // SAFETY: `limits` is live and laid out as the structure of two 64-bit numbers, soft and hard.
        let got = checked(unsafe { ffi::getrlimit(RLIMIT_RTTIME, &raw mut limits) });
        if got.is_ok() && limits[1] >= soft {
            limits[0] = soft;
            // SAFETY: the same; without the limit the program runs as well.
            unsafe { ffi::setrlimit(RLIMIT_RTTIME, &raw const limits) };
        }
        Ok(())
    };
    // SAFETY: the closure makes two system calls; it neither allocates nor takes a lock.
    unsafe { command.pre_exec(limit) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn limit_realtime(_command: &mut Command, _soft: u64) {}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "prctl(2) is not in the standard library")]
fn control(option: c_int, value: c_ulong) -> io::Result<()> {
    // SAFETY: both options in use take an integer and touch no memory.
    checked(unsafe { ffi::prctl(option, value) })
}

#[cfg(not(target_os = "linux"))]
fn control(_option: c_int, _value: c_ulong) -> io::Result<()> {
    Ok(())
}

/// Points standard input, output and error of this process nowhere.
#[expect(
    unsafe_code,
    reason = "the standard library cannot replace a standard stream"
)]
pub(super) fn release_stdio() {
    let Ok(nowhere) = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null")
    else {
        return;
    };
    for stream in 0..=2 {
        // SAFETY: both descriptors are open; nothing in this process owns 0 to 2 exclusively.
        unsafe { ffi::dup2(nowhere.as_raw_fd(), stream) };
    }
}

/// The living children of a process.
#[cfg(target_vendor = "apple")]
#[expect(unsafe_code, reason = "libproc is not in the standard library")]
pub(super) fn children(parent: Pid) -> Vec<Pid> {
    let mut pids = [0 as Pid; 1024];
    let n_bytes = size_of_val(&pids) as c_int;
    // SAFETY: the buffer is live and its size in bytes is given.
    let n_found = unsafe { ffi::proc_listchildpids(parent, pids.as_mut_ptr().cast(), n_bytes) };
    let n_found = usize::try_from(n_found).unwrap_or(0).min(pids.len());
    pids[..n_found].to_vec()
}
