//! The library with natives of tests beside its own: what happens to a panic cannot be seen without one.

#![allow(unsafe_code, reason = "exported names are unsafe by nature")]

use jni::EnvUnowned;
use jni::objects::JClass;
use siderail_jni::abi::{SiderailError, SiderailStatus, answer};
use siderail_jni::error::BridgeError;
use siderail_jni::natives::Throw;

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

/// Panics on behalf of C.
///
/// # Safety
/// `error` is null or points to one of its kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn siderail_testing_panic(error: *mut SiderailError) -> SiderailStatus {
    // SAFETY: the caller's promise.
    unsafe { answer(|| panic!("provoked by test {}", 8), error) }
}
