//! The handle by which the rest of the program reaches a running engine.
//!
//! Holds no state of the engine: it passes orders on, and waits for the answers of those that have one.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot, watch};

use crate::acp_client::Passed;
use crate::command::Command;
use crate::error::NotTaken;
use crate::inspect::SessionFacts;
use crate::session::{AgentSessions, Input, SessionsRefused, SessionsReply, SessionsWish};
use crate::shared::OpenCalls;

/// What a handle hands over.
#[derive(Debug)]
pub(super) enum Order {
    Command(Command),
    /// What a client says to the agent.
    Pass {
        session: u64,
        passed: Passed,
    },
    Inspect {
        session: u64,
        reply: oneshot::Sender<SessionFacts>,
    },
    Sessions {
        session: u64,
        wish: SessionsWish,
        reply: SessionsReply,
    },
}

/// Sends commands to a running engine. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EngineHandle {
    pub(super) orders: mpsc::Sender<Order>,
    pub(super) open_calls: Arc<OpenCalls>,
    /// For parts of the engine that bring their own inputs.
    pub(crate) inputs: mpsc::Sender<Input>,
    pub(super) closed: watch::Receiver<bool>,
}

impl EngineHandle {
    /// Hands over a command. The answer to a host call always finds its place, and is dealt with ahead of what
    /// was handed over after it.
    ///
    /// # Errors
    /// [`NotTaken::Ended`] when the engine has ended, [`NotTaken::Busy`] when its queue is full.
    pub fn send(&self, command: Command) -> Result<(), NotTaken> {
        match command {
            Command::Complete { call, reply } => self.open_calls.answer(call, reply),
            command => {
                let order = Order::Command(command);
                self.orders.try_send(order).map_err(|error| match error {
                    mpsc::error::TrySendError::Full(_) => NotTaken::Busy,
                    mpsc::error::TrySendError::Closed(_) => NotTaken::Ended,
                })
            }
        }
    }

    /// As [`Self::send`], but waits for room where commands come faster than they are taken.
    ///
    /// # Errors
    /// [`NotTaken::Ended`] when the engine has ended.
    pub async fn send_in_turn(&self, command: Command) -> Result<(), NotTaken> {
        match command {
            answer @ Command::Complete { .. } => self.send(answer),
            command => {
                let order = Order::Command(command);
                self.orders.send(order).await.map_err(|_| NotTaken::Ended)
            }
        }
    }

    /// Hands over what the client of a session says to its agent, in turn with the commands.
    ///
    /// # Errors
    /// [`NotTaken::Ended`] when the engine has ended.
    pub async fn pass(&self, session: u64, passed: Passed) -> Result<(), NotTaken> {
        let order = Order::Pass { session, passed };
        self.orders.send(order).await.map_err(|_| NotTaken::Ended)
    }

    /// What is known of a session's set-up, once it is ready or over; `None` when it could not even be
    /// prepared. Orders are taken in turn, so this may follow a `StartSession` at once.
    pub async fn inspect(&self, session: u64) -> Option<SessionFacts> {
        let (reply, facts) = oneshot::channel();
        let order = Order::Inspect { session, reply };
        self.orders.send(order).await.ok()?;
        facts.await.ok()
    }

    /// Asks a session's agent for the sessions that it remembers itself, or to forget one of them.
    ///
    /// # Errors
    /// The agent cannot, or its own words for why it did not.
    pub async fn agent_sessions(
        &self,
        session: u64,
        wish: SessionsWish,
    ) -> Result<AgentSessions, SessionsRefused> {
        let (reply, answer) = oneshot::channel();
        let order = Order::Sessions {
            session,
            wish,
            reply,
        };
        let sent = self.orders.send(order).await;
        match (sent, answer.await) {
            (Ok(()), Ok(told)) => told,
            _ => Err("the session has ended".into()),
        }
    }

    /// Returns once the engine has ended.
    pub async fn closed(&self) {
        let mut closed = self.closed.clone();
        // An error means that the sender, and with it the engine, is gone.
        let _ = closed.wait_for(|closed| *closed).await;
    }
}
