//! The agent as its prompt turns use it: how it behaves, its script, its end of the line and what its model was shown.
//!
//! It knows no turn and no session; what the client asks of it is read and answered in [`crate::requests`].

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use serde_json::Value;

use crate::args::Args;
use crate::model_log::ModelLog;
use crate::peer::{Peer, Reply};
use crate::permission_api::{About, PermissionApi};
use crate::script::Script;
use crate::shape::Shape;
use crate::template::{Vars, fill};

/// Exit code after a failed expectation.
pub(crate) const EXPECTATION_FAILED: u8 = 9;

/// What the client offers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Client {
    /// `fs/read_text_file`.
    pub(crate) fs_read: bool,
    /// `fs/write_text_file`.
    pub(crate) fs_write: bool,
    /// `terminal/*`.
    pub(crate) terminal: bool,
}

/// The agent.
pub(crate) struct Agent {
    /// How it behaves.
    pub(crate) shape: Shape,
    /// What it does.
    pub(crate) script: Script,
    /// How it was started.
    pub(crate) args: Args,
    /// Its end of the line.
    pub(crate) peer: Peer,
    /// What its model was shown.
    pub(crate) log: ModelLog,
    /// Its HTTP interface.
    api: Option<Arc<PermissionApi>>,
    client: Mutex<Client>,
    failed: AtomicBool,
}

impl Agent {
    /// An agent that has not yet heard from its client.
    #[must_use]
    pub(crate) fn new(
        shape: Shape,
        script: Script,
        args: Args,
        peer: Peer,
        log: ModelLog,
        api: Option<Arc<PermissionApi>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            shape,
            script,
            args,
            peer,
            log,
            api,
            client: Mutex::default(),
            failed: AtomicBool::new(false),
        })
    }

    /// What the client offers.
    #[must_use]
    pub(crate) fn client(&self) -> Client {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client has said what it offers.
    pub(crate) fn set_client(&self, client: Client) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }

    /// Reports a failed expectation; the agent will exit with [`EXPECTATION_FAILED`].
    pub(crate) fn expectation_failed(&self, what: &str) {
        eprintln!("scripted agent: EXPECTATION FAILED: {what}");
        self.failed.store(true, Ordering::SeqCst);
    }

    /// Whether an expectation has failed.
    #[must_use]
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }

    /// Sends session updates from templates, and other messages where a template has a method.
    pub(crate) fn messages(&self, session: &str, templates: &[Value], vars: &Vars) {
        for template in templates {
            let Some(mut filled) = fill(template, vars) else {
                continue;
            };
            match filled["method"].as_str() {
                Some("session/update") => {
                    let update = filled["params"]["update"].take();
                    self.peer
                        .update(session, update, filled["params"].get("_meta"));
                }
                Some(method) => self.peer.notify(method, &filled["params"]),
                None => self
                    .peer
                    .update(session, filled, self.shape.update_meta.as_ref()),
            }
        }
    }

    /// Asks for permission; several answers where a fault asks several times.
    pub(crate) fn ask_permission(&self, about: &About, params: &Value) -> Vec<Reply> {
        let copies = self.peer.with_faults(|faults| faults.permission_copies());
        let ask = |_| {
            let (sender, receiver) = mpsc::channel();
            // Listed before it is asked: a client may look it up at once.
            let listed = self
                .api
                .as_ref()
                .map(|api| api.register(about, sender.clone()));
            let params = self.peer.with_faults(|faults| faults.permission(params));
            let method = "session/request_permission";
            let call = self
                .peer
                .request_on(&about.session, method, params, (sender, receiver));
            (call, listed)
        };
        let calls: Vec<_> = (0..copies).map(ask).collect();
        let reply = |(call, listed): (_, Option<String>)| {
            let reply = self.peer.wait(&call);
            if let (Some(api), Some(id)) = (&self.api, listed) {
                api.close(&id);
            }
            reply
        };
        calls.into_iter().map(reply).collect()
    }
}
