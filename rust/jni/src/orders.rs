//! Commands on their way to the engine, in the order in which the embedder sent them.
//!
//! An embedder's own commands are refused when too many of them wait; nothing here waits for the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use siderail_engine::EngineHandle;
use siderail_engine::command::Command;
use tokio::sync::mpsc;

use crate::config::{GivenOptions, SettingsFiles, decode};
use crate::error::BridgeError;

/// Commands that may wait for an engine.
const MOST_COMMANDS: usize = 4096;

/// A command on its way to the engine.
#[derive(Debug)]
pub(crate) enum Order {
    Command(Command),
    /// A session's options become whole only when its turn comes: that reads files.
    Start {
        session: u64,
        given: Box<GivenOptions>,
        /// The session runs, and is to continue with these options.
        restarts: bool,
    },
}

impl Order {
    pub(crate) fn parse(command: &[u8]) -> Result<Self, BridgeError> {
        #[derive(Deserialize)]
        struct Name {
            command: String,
        }
        #[derive(Deserialize)]
        struct Start {
            session: u64,
            options: serde_json::Map<String, serde_json::Value>,
        }
        let name: Name = decode("command", command)?;
        let restarts = match name.command.as_str() {
            "start_session" => false,
            "restart_session" => true,
            _ => return decode("command", command).map(Self::Command),
        };
        let Start { session, options } = decode("command", command)?;
        Ok(Self::Start {
            session,
            given: Box::new(GivenOptions::parse(options)?),
            restarts,
        })
    }
}

/// Where commands wait for the engine.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    sender: mpsc::UnboundedSender<Order>,
    /// Commands in the channel. An embedder's are refused when there are too many.
    waiting: Arc<AtomicUsize>,
}

impl Orders {
    pub(crate) fn new() -> (Self, Waiting) {
        let (sender, orders) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let taken = Arc::clone(&waiting);
        (
            Self { sender, waiting },
            Waiting {
                orders,
                waiting: taken,
            },
        )
    }

    /// Sends what is never refused: the engine's end.
    pub(crate) fn put(&self, command: Command) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // An engine that has ended waits for nothing.
        let _ = self.sender.send(Order::Command(command));
    }

    pub(crate) fn put_bounded(&self, order: Order) -> Result<(), BridgeError> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_COMMANDS {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(BridgeError::Busy);
        }
        self.sender.send(order).map_err(|_| BridgeError::Ended)
    }
}

/// The other end of [`Orders`].
#[derive(Debug)]
pub(crate) struct Waiting {
    orders: mpsc::UnboundedReceiver<Order>,
    waiting: Arc<AtomicUsize>,
}

/// Takes commands to the engine, one after the other, until either is gone.
pub(crate) async fn forward(mut waiting: Waiting, engine: EngineHandle, settings: SettingsFiles) {
    while let Some(order) = waiting.orders.recv().await {
        waiting.waiting.fetch_sub(1, Ordering::Relaxed);
        let command = match order {
            Order::Command(command) => command,
            Order::Start {
                session,
                given,
                restarts,
            } => {
                let settings = settings.clone();
                let options = tokio::task::spawn_blocking(move || settings.session(*given));
                match (options.await.map(Box::new), restarts) {
                    (Ok(options), false) => Command::StartSession { session, options },
                    (Ok(options), true) => Command::RestartSession { session, options },
                    // The task panicked, or the runtime ends; both are said elsewhere.
                    (Err(_), _) => continue,
                }
            }
        };
        if engine.send_in_turn(command).await.is_err() {
            return;
        }
    }
}
