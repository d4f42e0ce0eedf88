//! Threads of the library: the runtime of the engines, and threads of one purpose each.
//!
//! Where there is a virtual machine, every thread is attached once, under its name, as a daemon, and detaches when it
//! ends: attaching for each call costs a hundred times a call, and a thread that is not a daemon would keep a virtual
//! machine alive whose `main` has returned. The runtime lives as long as an engine does.

#![expect(
    unsafe_code,
    reason = "attaching as a daemon has no safe function in the jni crate"
)]

use std::io;
use std::panic::AssertUnwindSafe;
use std::ptr;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use jni::JavaVM;
use jni::strings::JNIString;
use jni::sys;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::panic_text;

/// Time for tasks to end when the last engine has.
const SHUTDOWN: Duration = Duration::from_millis(500);
/// Threads that run engines. They only move messages, so a few are enough for many projects; what may wait for the disk
/// has others.
const WORKERS: usize = 2;

static SHARED: Mutex<Option<Shared>> = Mutex::new(None);

struct Shared {
    runtime: Runtime,
    leases: usize,
}

/// A right to the shared runtime. The last one to be dropped shuts it down: never drop one on a thread of the
/// runtime.
#[derive(Debug)]
pub(crate) struct Lease {
    handle: Handle,
}

impl Lease {
    /// Starts the runtime if there is none.
    pub(crate) fn take() -> io::Result<Self> {
        let mut shared = SHARED.lock();
        let shared = match &mut *shared {
            Some(shared) => shared,
            none => none.insert(Shared {
                runtime: build()?,
                leases: 0,
            }),
        };
        shared.leases += 1;
        Ok(Self {
            handle: shared.runtime.handle().clone(),
        })
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut guard = SHARED.lock();
        let Some(shared) = &mut *guard else { return };
        shared.leases -= 1;
        if shared.leases > 0 {
            return;
        }
        let last = guard.take();
        // A new engine may start while this one's tasks end.
        drop(guard);
        if let Some(shared) = last {
            shared.runtime.shutdown_timeout(SHUTDOWN);
        }
    }
}

fn build() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .thread_name("siderail-engine")
        .enable_all()
        .on_thread_start(attach)
        .on_thread_stop(detach)
        .build()
}

/// A thread of its own, attached while it runs. A panic ends the thread and is logged by the panic hook.
pub(crate) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(move || {
        attach();
        let ended = std::panic::catch_unwind(AssertUnwindSafe(run));
        if let Err(panic) = ended {
            tracing::error!(
                "a thread of the library ended by a panic: {}",
                panic_text(panic)
            );
        }
        detach();
    })
}

fn attach() {
    let Ok(vm) = JavaVM::singleton() else { return };
    let name = JNIString::new(thread::current().name().unwrap_or("siderail"));
    let mut args = sys::JavaVMAttachArgs {
        version: sys::JNI_VERSION_1_8,
        name: name.as_ptr().cast_mut(),
        group: ptr::null_mut(),
    };
    let raw = vm.get_raw();
    let mut env = ptr::null_mut();
    // SAFETY: `raw` is the live virtual machine, `args` and its name outlive the call. This thread's end
    // detaches it. A thread that is attached already is left as it is.
    let status = unsafe {
        ((**raw).v1_4.AttachCurrentThreadAsDaemon)(raw, &mut env, (&raw mut args).cast())
    };
    if status != sys::JNI_OK {
        tracing::error!(status, "a thread cannot be attached to the virtual machine");
    }
}

fn detach() {
    let Ok(vm) = JavaVM::singleton() else { return };
    let raw = vm.get_raw();
    // SAFETY: `raw` is the live virtual machine, and this thread, which is about to end, holds no environment
    // and no local reference any more.
    unsafe { ((**raw).v1_1.DetachCurrentThread)(raw) };
}
