//! Parts of the engine as a library of their own, for the plugin's tests: the file tools over an IDE's documents, with a
//! queue in place of callbacks, and conversations as patches, which the engine adds to its events. No engine, no agent.

#![allow(unsafe_code, reason = "exported names are unsafe by nature")]

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jni::EnvUnowned;
use jni::errors::ThrowRuntimeExAndDefault;
use jni::objects::{JByteArray, JClass};
use jni::sys::jlong;
use serde_json::json;
use siderail_engine::event::Event;
use siderail_engine::host::{HostCall, HostReply};
use siderail_hosts::{Ide, IdeHost};
use siderail_view::Conversation;

/// A host, and what it has to say.
struct Tools {
    host: Mutex<Option<IdeHost>>,
    told: Mutex<Receiver<String>>,
}

/// Says what the IDE is asked for.
struct Telling(Mutex<Sender<String>>);

impl Telling {
    fn tell(&self, message: serde_json::Value) {
        let sender = self.0.lock().expect("nobody panics with it");
        // Whoever listens may be gone.
        let _ = sender.send(message.to_string());
    }
}

impl Ide for Telling {
    fn start(&self, call: HostCall) {
        self.tell(json!({"start": call}));
    }

    fn cancel(&self, call: u64) {
        self.tell(json!({"cancel": call}));
    }
}

fn tools(handle: jlong) -> &'static Tools {
    // SAFETY: the tests give back what `open` has given, and it is never freed.
    unsafe { &*(handle as *const Tools) }
}

impl Tools {
    fn with_host(&self, work: impl FnOnce(&IdeHost)) {
        if let Some(host) = &*self.host.lock().expect("nobody panics with it") {
            work(host);
        }
    }
}

/// A host.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_tools_NativeTools_open<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
) -> jlong {
    let (sender, told) = channel();
    let ide = Arc::new(Telling(Mutex::new(sender)));
    let answers = Arc::clone(&ide);
    let host = IdeHost::new(ide, move |call, reply| {
        answers.tell(json!({"answer": call, "reply": reply}));
    });
    let tools = Tools {
        host: Mutex::new(Some(host)),
        told: Mutex::new(told),
    };
    Box::into_raw(Box::new(tools)) as jlong
}

/// The next message: `start` with a call for the IDE, `cancel` with its number, or `answer` and `reply` to a call that was
/// started here. Null when nothing came for a while.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_tools_NativeTools_next<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    handle: jlong,
) -> JByteArray<'l> {
    env.with_env(|env| -> jni::errors::Result<_> {
        let told = tools(handle).told.lock().expect("nobody panics with it");
        match told.recv_timeout(Duration::from_millis(200)) {
            Ok(message) => env.byte_array_from_slice(message.as_bytes()),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                Ok(JByteArray::default())
            }
        }
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}

/// Starts a call, as the engine does.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_tools_NativeTools_start<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    handle: jlong,
    call: JByteArray<'l>,
) {
    env.with_env(|env| -> jni::errors::Result<()> {
        let bytes = env.convert_byte_array(&call)?;
        let call: HostCall = serde_json::from_slice(&bytes).expect("a host call");
        tools(handle).with_host(|host| host.start(call));
        Ok(())
    })
    .resolve::<ThrowRuntimeExAndDefault>();
}

/// Nobody wants a call's answer any more.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_tools_NativeTools_cancel<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
    handle: jlong,
    call: jlong,
) {
    tools(handle).with_host(|host| host.cancel(call.cast_unsigned()));
}

/// An answer of the IDE.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_tools_NativeTools_complete<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    handle: jlong,
    call: jlong,
    reply: JByteArray<'l>,
) {
    env.with_env(|env| -> jni::errors::Result<()> {
        let bytes = env.convert_byte_array(&reply)?;
        let reply: HostReply = serde_json::from_slice(&bytes).expect("a reply");
        tools(handle).with_host(|host| host.complete(call.cast_unsigned(), reply));
        Ok(())
    })
    .resolve::<ThrowRuntimeExAndDefault>();
}

/// The host is gone.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_tools_NativeTools_close<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
    handle: jlong,
) {
    let host = tools(handle)
        .host
        .lock()
        .expect("nobody panics with it")
        .take();
    drop(host);
}

/// The conversations of a window, by session.
type Conversations = Mutex<HashMap<u64, Conversation>>;

/// A window without conversations.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_toolwindow_NativeView_open<'l>(
    _: EnvUnowned<'l>,
    _: JClass<'l>,
) -> jlong {
    Box::into_raw(Box::new(Conversations::default())) as jlong
}

/// The patches that an event comes with: a JSON array. An event that the engine would not send has none.
#[unsafe(no_mangle)]
pub extern "system" fn Java_dev_siderail_toolwindow_NativeView_patches<'l>(
    mut env: EnvUnowned<'l>,
    _: JClass<'l>,
    handle: jlong,
    event: JByteArray<'l>,
) -> JByteArray<'l> {
    env.with_env(|env| -> jni::errors::Result<_> {
        let bytes = env.convert_byte_array(&event)?;
        let event = serde_json::from_slice::<Event>(&bytes);
        let answer = match event {
            Ok(event) => {
                // SAFETY: the tests give back what `open` has given, and it is never freed.
                let conversations = unsafe { &*(handle as *const Conversations) };
                let mut conversations = conversations.lock().expect("nobody panics with it");
                let of_session = conversations
                    .entry(event.session)
                    .or_insert_with(|| Conversation::new(event.session).with_blocks());
                let mut answer = String::from("{\"patches\":");
                siderail_view::json::write(&of_session.event(&event), &mut answer);
                answer.push('}');
                answer
            }
            Err(error) => json!({"error": error.to_string()}).to_string(),
        };
        env.byte_array_from_slice(answer.as_bytes())
    })
    .resolve::<ThrowRuntimeExAndDefault>()
}
