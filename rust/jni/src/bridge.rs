//! The five verbs, without any JNI or C: open, send, complete, close, and the version.
//!
//! Both faces decode their arguments and call these. No verb waits for the engine; results come through [`Callbacks`].
//! Start here, then [`crate::calls`] and [`crate::outbox`] for the two ways out, then [`crate::delivery`] for the
//! threads between.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use siderail_engine::EngineHandle;
use siderail_engine::command::Command;
use siderail_engine::event::Event;
use siderail_engine::guard::Tool;
use siderail_engine::host::{Host, HostCall, HostReply};
use siderail_hosts::{Ide, IdeHost};
use tokio::sync::Notify;

use crate::callbacks::Callbacks;
use crate::calls::Calls;
use crate::config::{OpenConfig, SettingsFiles, decode};
use crate::delivery::{self, Life};
use crate::error::BridgeError;
use crate::handle::HandleTable;
use crate::logging;
use crate::orders::{Order, Orders, forward};
use crate::outbox::Outbox;
use crate::runtime::Lease;
use crate::views::Views;

/// Grows with every incompatible change of the verbs, the callbacks or the messages.
pub const ABI_VERSION: i32 = 1;

static OPEN: HandleTable<Bridge> = HandleTable::new();

/// An open engine.
struct Bridge {
    orders: Orders,
    calls: Arc<Calls>,
    closing: Arc<Notify>,
}

/// Starts an engine whose embedder is `callbacks`, and names it.
///
/// # Errors
/// A configuration that cannot be understood or used; the text says what to do.
pub fn open(config: &[u8], callbacks: Arc<dyn Callbacks>) -> Result<u64, BridgeError> {
    let mut config = OpenConfig::parse(config)?;
    config.project = project(&config)?;
    let log = logging::add(Arc::clone(&callbacks), config.log.as_deref())?;
    let lease = Lease::take().map_err(|error| no_threads(&error))?;
    let limit = config.call_limit()?;
    let (settings, in_force) = SettingsFiles::read(&config);
    let (orders, waiting) = Orders::new();
    let views = match config.view {
        true => Views::patches(),
        false => Views::none(),
    };
    let outbox = Arc::new(Outbox::new(config.runtime_dir.clone(), views));
    // Set once the engine is there, which makes no call before it has had a command.
    let of_engine: Arc<OnceLock<EngineHandle>> = Arc::default();
    let (calls, files) = calls(&lease, &of_engine, limit, config.documents);
    let host = Arc::new(BridgeHost {
        outbox: Arc::clone(&outbox),
        calls: Arc::clone(&calls),
        files,
        tools: config.tools(),
    });
    let engine = {
        let _runtime = lease.handle().enter();
        siderail_engine::start(config.engine(in_force), host)?
    };
    let _ = of_engine.set(engine.clone());
    let forwarding = forward(waiting, engine.clone(), settings);
    lease.handle().spawn(forwarding);
    let closing = Arc::new(Notify::new());
    let life = Life {
        engine,
        closing: Arc::clone(&closing),
        outbox,
        calls: Arc::clone(&calls),
        callbacks,
        log,
        lease,
    };
    delivery::start(life).map_err(|error| no_threads(&error))?;
    Ok(OPEN.insert(Bridge {
        orders,
        calls,
        closing,
    }))
}

/// Hands a command over.
///
/// # Errors
/// A handle that is not open, a command that cannot be understood, too many that wait, or an engine that has
/// ended.
pub fn send(handle: u64, command: &[u8]) -> Result<(), BridgeError> {
    let bridge = OPEN.get(handle).ok_or(BridgeError::Closed)?;
    match Order::parse(command)? {
        Order::Command(Command::Complete { call, reply }) => {
            bridge.calls.complete(call, reply);
            Ok(())
        }
        order => bridge.orders.put_bounded(order),
    }
}

/// Answers a host call. An answer that nobody waits for any more is not an error.
///
/// # Errors
/// A handle that is not open, or an answer that cannot be understood.
pub fn complete(handle: u64, call: u64, reply: &[u8]) -> Result<(), BridgeError> {
    let bridge = OPEN.get(handle).ok_or(BridgeError::Closed)?;
    let reply: HostReply = decode("reply", reply)?;
    bridge.calls.complete(call, reply);
    Ok(())
}

/// Ends the engine. Its sessions end as they would by themselves, and their last events are delivered;
/// [`Callbacks::closed`] comes when that is done.
///
/// # Errors
/// A handle that is not open.
pub fn close(handle: u64) -> Result<(), BridgeError> {
    let bridge = OPEN.remove(handle).ok_or(BridgeError::Closed)?;
    bridge.orders.put(Command::Shutdown);
    bridge.closing.notify_one();
    Ok(())
}

/// Calls to the embedder, and what performs the file tools where it has documents.
fn calls(
    lease: &Lease,
    engine: &Arc<OnceLock<EngineHandle>>,
    limit: Option<Duration>,
    has_documents: bool,
) -> (Arc<Calls>, Option<Arc<IdeHost>>) {
    let to_engine = {
        let engine = Arc::clone(engine);
        move |call, reply| {
            // An engine that has ended waits for nothing.
            let _ = engine
                .get()
                .map(|engine| engine.send(Command::Complete { call, reply }));
        }
    };
    // The host asks by the calls, and gets their answers.
    let host: Arc<OnceLock<Weak<IdeHost>>> = Arc::default();
    let calls = {
        let (host, to_engine) = (Arc::clone(&host), to_engine.clone());
        Calls::new(lease.handle().clone(), limit, move |call, reply| match host
            .get()
            .and_then(Weak::upgrade)
        {
            Some(host) => host.complete(call, reply),
            None => to_engine(call, reply),
        })
    };
    let files = has_documents.then(|| {
        let ide = Arc::new(Embedder(Arc::clone(&calls)));
        Arc::new(IdeHost::new(ide, to_engine))
    });
    if let Some(files) = &files {
        let _ = host.set(Arc::downgrade(files));
    }
    (calls, files)
}

fn project(config: &OpenConfig) -> Result<std::path::PathBuf, BridgeError> {
    std::fs::canonicalize(&config.project).map_err(|error| {
        let folder = config.project.display();
        BridgeError::Start(format!(
            "the project folder {folder} cannot be used: {error}\nopen an existing folder"
        ))
    })
}

fn no_threads(error: &std::io::Error) -> BridgeError {
    BridgeError::Start(format!(
        "no threads can be started: {error}\nclose other programs"
    ))
}

/// The engine's view of its embedder.
struct BridgeHost {
    outbox: Arc<Outbox>,
    calls: Arc<Calls>,
    /// Performs the file tools over the embedder's documents.
    files: Option<Arc<IdeHost>>,
    tools: Vec<Tool>,
}

/// The threads that answer calls.
struct Embedder(Arc<Calls>);

impl Ide for Embedder {
    fn start(&self, call: HostCall) {
        self.0.start(&call);
    }

    fn cancel(&self, call: u64) {
        self.0.cancel(call);
    }
}

impl Host for BridgeHost {
    fn deliver(&self, event: Event) {
        self.outbox.push(event);
    }

    fn start(&self, call: HostCall) {
        match &self.files {
            Some(files) => files.start(call),
            None => self.calls.start(&call),
        }
    }

    fn cancel(&self, call: u64) {
        match &self.files {
            Some(files) => files.cancel(call),
            None => self.calls.cancel(call),
        }
    }

    fn tools(&self) -> Vec<Tool> {
        self.tools.clone()
    }
}
