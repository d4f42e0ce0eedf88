//! The library with natives of tests and benches beside its own: what happens to a panic cannot be seen without
//! one, nor what a crossing costs without one that does nothing else.

#![allow(unsafe_code, reason = "exported names are unsafe by nature")]

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use jni::EnvUnowned;
use jni::objects::{JByteArray, JClass, JObject};
use jni::sys::{jint, jlong};
use siderail_jni::abi::{SiderailError, SiderailStatus, answer};
use siderail_jni::error::BridgeError;
use siderail_jni::natives::{Throw, callbacks_of};

// Takes the library's own exports along.
pub use siderail_jni::natives::JNI_OnLoad;

/// Panics on behalf of the virtual machine.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_bridge_Testing_panic<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
) {
    env.with_env(|_| -> Result<(), BridgeError> { panic!("provoked by test {}", 7) })
        .resolve::<Throw>();
}

/// Does nothing, for measuring what doing nothing costs.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_bridge_Testing_nothing<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
) {
    env.with_env(|_| Ok::<(), BridgeError>(()))
        .resolve::<Throw>();
}

/// Gives the bytes back: in, and out again.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_bridge_Testing_echo<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    bytes: JByteArray<'l>,
) -> JByteArray<'l> {
    env.with_env(|env| -> Result<_, BridgeError> {
        let bytes = env.convert_byte_array(&bytes)?;
        Ok(env.byte_array_from_slice(&bytes)?)
    })
    .resolve::<Throw>()
}

static ANSWERS: Mutex<Option<Sender<usize>>> = Mutex::new(None);

/// Answers the call that [`Java_dev_siderail_bridge_Testing_hostCalls`] waits for.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_bridge_Testing_answer<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    bytes: JByteArray<'l>,
) {
    env.with_env(|env| -> Result<_, BridgeError> {
        let bytes = env.convert_byte_array(&bytes)?;
        let answers = ANSWERS.lock().expect("nobody panics with it");
        // The bench may be over.
        let _ = answers.as_ref().map(|answers| answers.send(bytes.len()));
        Ok(())
    })
    .resolve::<Throw>();
}

/// Starts `n` host calls of `size` bytes one after the other, from a thread as the library's own, and waits for
/// each one's answer. Returns the median time of one, in nanoseconds.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_bridge_Testing_hostCalls<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    host: JObject<'l>,
    n: jint,
    size: jint,
) -> jlong {
    env.with_env(|env| -> Result<_, BridgeError> {
        let callbacks = callbacks_of(env, &host)?;
        let (sender, answers): (Sender<usize>, Receiver<usize>) = channel();
        *ANSWERS.lock().expect("nobody panics with it") = Some(sender);
        let payload = vec![b'x'; usize::try_from(size).expect("a size")];
        let run = move || {
            let mut times: Vec<u128> = (0..n)
                .map(|call| {
                    let started = Instant::now();
                    callbacks
                        .start(u64::from(call.cast_unsigned()), &payload)
                        .expect("it starts");
                    answers.recv().expect("it is answered");
                    started.elapsed().as_nanos()
                })
                .collect();
            times.sort_unstable();
            times[times.len() / 2]
        };
        let median = std::thread::spawn(run).join().expect("no call fails");
        Ok(jlong::try_from(median).expect("not that slow"))
    })
    .resolve::<Throw>()
}

/// Panics on behalf of C.
///
/// # Safety
/// `error` is null or points to one of its kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siderail_testing_panic(error: *mut SiderailError) -> SiderailStatus {
    // SAFETY: the caller's promise.
    unsafe { answer(|| panic!("provoked by test {}", 8), error) }
}
