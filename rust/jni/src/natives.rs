//! The natives of `dev.siderail.bridge.Native`: arguments in, one verb, an exception out.
//!
//! Registered when the library is loaded, all or none. No native waits for anything.

#![expect(
    unsafe_code,
    reason = "registering natives and the entry point of a library are unsafe by nature"
)]

use std::any::Any;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

use jni::errors::ErrorPolicy;
use jni::objects::{JByteArray, JClass, JObject};
use jni::strings::JNIString;
use jni::sys::{JNI_ERR, JNI_VERSION_1_8, JNINativeMethod, jint, jlong};
use jni::{Env, JavaVM, NativeMethod, jni_str, native_method};

use crate::bridge;
use crate::callbacks::Callbacks;
use crate::error::{BridgeError, Kind, panic_text};
use crate::jvm::{ClassName, JvmHost};
use crate::logging;

/// The class that declares the natives.
const CLASS: ClassName = jni_str!("dev/siderail/bridge/Native");

macro_rules! native {
    ($($method:tt)*) => {
        native_method! { $($method)*, error_policy = Throw }
    };
}

const METHODS: &[NativeMethod<'static>] = &[
    native! { static fn abi_version() -> jint },
    native! { static fn open(config: jbyte[], host: dev.siderail.bridge.NativeHost) -> jlong },
    native! { static fn send(handle: jlong, command: jbyte[]) },
    native! { static fn complete(handle: jlong, call: jlong, reply: jbyte[]) },
    native! { static fn close(handle: jlong) },
];

fn abi_version<'l>(_: &mut Env<'l>, _: JClass<'l>) -> Result<jint, BridgeError> {
    Ok(bridge::ABI_VERSION)
}

fn open<'l>(
    env: &mut Env<'l>,
    _: JClass<'l>,
    config: JByteArray<'l>,
    host: JObject<'l>,
) -> Result<jlong, BridgeError> {
    let config = bytes(env, &config, "config")?;
    if host.is_null() {
        return Err(BridgeError::Null("host"));
    }
    let host = callbacks_of(env, &host)?;
    Ok(bridge::open(&config, host)?.cast_signed())
}

fn send<'l>(
    env: &mut Env<'l>,
    _: JClass<'l>,
    handle: jlong,
    command: JByteArray<'l>,
) -> Result<(), BridgeError> {
    bridge::send(handle.cast_unsigned(), &bytes(env, &command, "command")?)
}

fn complete<'l>(
    env: &mut Env<'l>,
    _: JClass<'l>,
    handle: jlong,
    call: jlong,
    reply: JByteArray<'l>,
) -> Result<(), BridgeError> {
    let reply = bytes(env, &reply, "reply")?;
    bridge::complete(handle.cast_unsigned(), call.cast_unsigned(), &reply)
}

fn close<'l>(_: &mut Env<'l>, _: JClass<'l>, handle: jlong) -> Result<(), BridgeError> {
    bridge::close(handle.cast_unsigned())
}

fn bytes(
    env: &Env<'_>,
    array: &JByteArray<'_>,
    name: &'static str,
) -> Result<Vec<u8>, BridgeError> {
    if array.is_null() {
        return Err(BridgeError::Null(name));
    }
    Ok(env.convert_byte_array(array)?)
}

/// A `NativeHost` as the rest of the library sees it; for libraries that add natives of their own, such as those
/// of tests.
///
/// # Errors
/// It lacks one of the methods.
pub fn callbacks_of(
    env: &mut Env<'_>,
    host: &JObject<'_>,
) -> jni::errors::Result<Arc<dyn Callbacks>> {
    Ok(Arc::new(JvmHost::new(env, host)?))
}

/// Failures and panics as exceptions. One that is pending already stays.
#[derive(Debug)]
pub struct Throw;

impl<T: Default> ErrorPolicy<T, BridgeError> for Throw {
    type Captures<'u: 'n, 'n> = ();

    fn on_error<'u: 'n, 'n>(
        env: &mut Env<'u>,
        (): &mut (),
        error: BridgeError,
    ) -> jni::errors::Result<T> {
        if !env.exception_check() {
            throw(env, exception_of(&error), &error.to_string());
        }
        Ok(T::default())
    }

    fn on_panic<'u: 'n, 'n>(
        env: &mut Env<'u>,
        (): &mut (),
        payload: Box<dyn Any + Send>,
    ) -> jni::errors::Result<T> {
        let text = panic_text(payload);
        if env.exception_check() {
            env.exception_clear();
        }
        let class = jni_str!("dev/siderail/bridge/NativePanicError");
        throw(env, class, &text);
        Ok(T::default())
    }
}

fn throw(env: &mut Env<'_>, class: ClassName, text: &str) {
    // It answers with an error to say that an exception is pending, which is what is wanted.
    let _ = env.throw_new(class, JNIString::new(text));
}

fn exception_of(error: &BridgeError) -> ClassName {
    match (error, error.kind()) {
        (BridgeError::Null(_), _) => jni_str!("java/lang/NullPointerException"),
        (_, Kind::Closed) => jni_str!("java/lang/IllegalStateException"),
        (_, Kind::Invalid) => jni_str!("java/lang/IllegalArgumentException"),
        (_, Kind::Cancelled) => jni_str!("java/util/concurrent/CancellationException"),
        (_, Kind::Failed) => jni_str!("dev/siderail/bridge/NativeException"),
    }
}

/// Names and descriptors of the natives, for comparing with those who declare them.
pub fn table() -> Vec<(String, String)> {
    let text = |text: *mut std::ffi::c_char| {
        // SAFETY: both texts of a table entry are literals that end with a zero.
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned()
    };
    let entry = |method: &NativeMethod<'static>| {
        let method: *const NativeMethod<'static> = method;
        // SAFETY: the type is a transparent wrapper, made to be handed to the virtual machine as this.
        let method = unsafe { &*method.cast::<JNINativeMethod>() };
        (text(method.name), text(method.signature))
    };
    METHODS.iter().map(entry).collect()
}

/// Called by the virtual machine when the library is loaded, also for the second time.
///
/// # Safety
/// `vm` is the virtual machine that loads the library.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn JNI_OnLoad(vm: *mut jni::sys::JavaVM, _: *mut c_void) -> jint {
    let registered = std::panic::catch_unwind(|| {
        // SAFETY: the caller's promise.
        let vm = unsafe { JavaVM::from_raw(vm) };
        vm.with_local_frame(16, |env| -> jni::errors::Result<()> {
            let class = env.find_class(CLASS)?;
            // SAFETY: each entry was checked against its function's type by the macro that made it.
            unsafe { env.register_native_methods(&class, METHODS) }
        })
    });
    logging::record_panics();
    match registered {
        Ok(Ok(())) => JNI_VERSION_1_8,
        // The caller sees an UnsatisfiedLinkError, or what the look-up threw.
        _ => JNI_ERR,
    }
}
