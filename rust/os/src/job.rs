//! Job objects: a program and everything it starts, ended as one.
//!
//! A program is started suspended, put into a job, and only then let go, so that nothing it starts is outside. The
//! job ends its processes when its last handle is closed, also by the death of the process that holds it, and no
//! process may leave it: breaking away is not among its limits.

use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED, OpenProcess, OpenThread,
    PROCESS_SET_QUOTA, PROCESS_TERMINATE, ResumeThread, THREAD_SUSPEND_RESUME,
};

/// Creation flags for a program that [`Job::hold`] will let go: suspended, without a window, and not meant when
/// Ctrl-C is typed at the caller's console.
pub const CREATION_FLAGS: u32 = CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW;

/// The code that killed processes exit with, as `taskkill /F` has it.
const KILLED: u32 = 1;

/// Processes that are ended together. Dropping it ends them.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// Takes a program that was started with [`CREATION_FLAGS`] into a new job and lets it go. The caller holds
    /// the process, so that its number is nobody else's.
    ///
    /// # Errors
    /// The system refused one of the steps; the program has not run.
    #[expect(unsafe_code, reason = "job objects are not in the standard library")]
    pub fn hold(pid: u32) -> io::Result<Self> {
        let job = Self::new()?;
        // SAFETY: takes numbers; what is returned is a new handle or null.
        let process = unsafe { OpenProcess(PROCESS_SET_QUOTA | PROCESS_TERMINATE, 0, pid) };
        if process.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and nobody else closes it.
        let process = unsafe { OwnedHandle::from_raw_handle(process) };
        // SAFETY: both are open handles.
        checked(unsafe {
            AssignProcessToJobObject(job.0.as_raw_handle(), process.as_raw_handle())
        })?;
        resume(pid)?;
        Ok(job)
    }

    #[expect(unsafe_code, reason = "job objects are not in the standard library")]
    fn new() -> io::Result<Self> {
        // SAFETY: no attributes, no name; what is returned is a new handle or null.
        let job = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
        if job.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and nobody else closes it.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(job) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: the structure is the one of this information class, and its size is given.
        checked(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits) as u32,
            )
        })?;
        Ok(job)
    }

    /// Whether a process of it is running.
    #[expect(unsafe_code, reason = "job objects are not in the standard library")]
    pub fn is_alive(&self) -> bool {
        let mut counts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the structure is the one of this information class, and its size is given.
        let asked = unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut counts).cast(),
                size_of_val(&counts) as u32,
                std::ptr::null_mut(),
            )
        };
        asked == 0 || counts.ActiveProcesses > 0
    }

    /// Ends all processes of it at once.
    #[expect(unsafe_code, reason = "job objects are not in the standard library")]
    pub fn kill(&self) {
        // SAFETY: an open handle and a number. It fails only where nobody is left.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), KILLED) };
    }
}

/// Lets a suspended process go: its first thread, the only one it can have by now.
#[expect(
    unsafe_code,
    reason = "threads of others are not in the standard library"
)]
fn resume(pid: u32) -> io::Result<()> {
    // SAFETY: takes two numbers; what is returned is a new handle or the invalid one.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) };
    if snapshot == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    let mut entry = THREADENTRY32 {
        dwSize: size_of::<THREADENTRY32>() as u32,
        ..THREADENTRY32::default()
    };
    // SAFETY: `entry` is live and says its own size, here and below.
    let mut found = unsafe { Thread32First(snapshot.as_raw_handle(), &raw mut entry) } != 0;
    while found {
        if entry.th32OwnerProcessID == pid {
            // SAFETY: takes numbers; what is returned is a new handle or null.
            let thread = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) };
            if thread.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is new, and nobody else closes it.
            let thread = unsafe { OwnedHandle::from_raw_handle(thread) };
            // SAFETY: an open handle with the right to resume.
            if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            return Ok(());
        }
        // SAFETY: as above.
        found = unsafe { Thread32Next(snapshot.as_raw_handle(), &raw mut entry) } != 0;
    }
    Err(io::Error::other("the program has no thread to start with"))
}

fn checked(returned: i32) -> io::Result<()> {
    if returned == 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::windows::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use super::{CREATION_FLAGS, Job};

    /// A program that runs another one for two minutes.
    fn long_runner() -> (Child, Job) {
        let child = Command::new("cmd")
            .args(["/d", "/c", "cmd /d /c ping -n 120 127.0.0.1 & rem"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .creation_flags(CREATION_FLAGS)
            .spawn()
            .unwrap();
        let job = Job::hold(child.id()).unwrap();
        (child, job)
    }

    fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
        let give_up = Instant::now() + Duration::from_secs(60);
        while !holds() {
            assert!(Instant::now() < give_up, "waited in vain: {what}");
            sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn a_program_runs_once_it_is_held_and_its_job_is_empty_after_it() {
        let mut child = Command::new("cmd")
            .args(["/d", "/c", "exit 7"])
            .creation_flags(CREATION_FLAGS)
            .spawn()
            .unwrap();
        let job = Job::hold(child.id()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(7));
        wait_until("the job is empty", || !job.is_alive());
    }

    #[test]
    fn killing_a_job_ends_what_the_program_started_too() {
        let (mut child, job) = long_runner();
        assert!(job.is_alive() && child.try_wait().unwrap().is_none());
        job.kill();
        assert_eq!(child.wait().unwrap().code(), Some(1));
        wait_until("the job is empty", || !job.is_alive());
    }

    #[test]
    fn a_dropped_job_ends_its_program() {
        let (mut child, job) = long_runner();
        assert!(child.try_wait().unwrap().is_none());
        drop(job);
        wait_until("the program is gone", || {
            child.try_wait().unwrap().is_some()
        });
    }
}
