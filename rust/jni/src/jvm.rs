//! The embedder's functions in a virtual machine: a `NativeHost`, called by method ids taken from its own class.
//!
//! Nothing here is static, so that the class loader of a plugin can go when its engines are closed.

#![expect(
    unsafe_code,
    reason = "a call by method id is not checked against the method's signature"
)]

use jni::errors::Error;
use jni::ids::JMethodID;
use jni::objects::{JObject, JValue};
use jni::refs::Global;
use jni::signature::{Primitive, ReturnType};
use jni::strings::JNIStr;
use jni::{Env, JavaVM, jni_sig, jni_str};

use crate::callbacks::{CallbackError, Callbacks};

/// A `dev.siderail.bridge.NativeHost`. Method ids are good as long as `object` keeps its class.
pub(crate) struct JvmHost {
    object: Global<JObject<'static>>,
    events: JMethodID,
    start: JMethodID,
    cancel: JMethodID,
    log: JMethodID,
    closed: JMethodID,
}

impl JvmHost {
    pub(crate) fn new(env: &mut Env<'_>, object: &JObject<'_>) -> jni::errors::Result<Self> {
        let class = env.get_object_class(object)?;
        Ok(Self {
            events: env.get_method_id(&class, jni_str!("events"), jni_sig!("([B)V"))?,
            start: env.get_method_id(&class, jni_str!("start"), jni_sig!("(J[B)V"))?,
            cancel: env.get_method_id(&class, jni_str!("cancel"), jni_sig!("(J)V"))?,
            log: env.get_method_id(&class, jni_str!("log"), jni_sig!("(I[B[B)V"))?,
            closed: env.get_method_id(&class, jni_str!("closed"), jni_sig!("()V"))?,
            object: env.new_global_ref(object)?,
        })
    }

    /// Calls a method. Byte arrays follow the numbers; `method` must take exactly these.
    fn call(
        &self,
        method: JMethodID,
        number: Option<JValue<'_>>,
        texts: &[&[u8]],
    ) -> Result<(), CallbackError> {
        let threw = |error: Error| match error {
            Error::CaughtJavaException { name, .. } if is_cancellation(&name) => {
                CallbackError::Cancelled
            }
            Error::CaughtJavaException { name, msg, .. } => CallbackError::Threw {
                what: name,
                text: msg,
            },
            other => CallbackError::Threw {
                what: "the virtual machine".to_owned(),
                text: other.to_string(),
            },
        };
        let vm = JavaVM::singleton().map_err(threw)?;
        // The thread is attached for good; this finds that out and opens a frame for local references.
        vm.attach_current_thread(|env| -> jni::errors::Result<()> {
            let mut arrays = Vec::with_capacity(texts.len());
            for text in texts {
                arrays.push(env.byte_array_from_slice(text)?);
            }
            let mut arguments = Vec::with_capacity(1 + arrays.len());
            arguments.extend(number.map(|number| number.as_jni()));
            arguments.extend(arrays.iter().map(|array| JValue::Object(array).as_jni()));
            // SAFETY: the id was taken from this object's class with the signature that each caller below
            // fills in, and all of these methods return nothing.
            unsafe {
                let nothing = ReturnType::Primitive(Primitive::Void);
                env.call_method_unchecked(&self.object, method, nothing, &arguments)?;
            }
            Ok(())
        })
        .map_err(threw)
    }
}

impl Callbacks for JvmHost {
    fn events(&self, batch: &[u8]) -> Result<(), CallbackError> {
        self.call(self.events, None, &[batch])
    }

    fn start(&self, call: u64, request: &[u8]) -> Result<(), CallbackError> {
        self.call(
            self.start,
            Some(JValue::Long(call.cast_signed())),
            &[request],
        )
    }

    fn cancel(&self, call: u64) -> Result<(), CallbackError> {
        self.call(self.cancel, Some(JValue::Long(call.cast_signed())), &[])
    }

    fn log(&self, level: u8, target: &str, text: &str) {
        // A log that fails has nowhere to say so.
        let _ = self.call(
            self.log,
            Some(JValue::Int(level.into())),
            &[target.as_bytes(), text.as_bytes()],
        );
    }

    fn closed(&self) {
        if let Err(error) = self.call(self.closed, None, &[]) {
            tracing::warn!(%error, "the IDE failed at hearing of an engine's end");
        }
    }
}

/// Whether an exception says that something was cancelled, which in the IDE is not an error.
fn is_cancellation(class: &str) -> bool {
    let simple = class.rsplit(['.', '/', '$']).next();
    matches!(
        simple,
        Some("CancellationException" | "ProcessCanceledException" | "AlreadyDisposedException")
    )
}

/// A class's name as the virtual machine looks it up.
pub(crate) type ClassName = &'static JNIStr;
