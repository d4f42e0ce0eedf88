//! The part of the event loop that a login needs: the question, the command that a person has agreed to, and the
//! message to the engine afterwards.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use siderail_engine::EngineHandle;
use siderail_engine::acp::process::{ProcessTree, Streams};
use siderail_engine::command::Command;
use siderail_engine::event::{EventBody, LoginKind, LoginMethod, LoginNeeded};
use siderail_engine::login::LoginHow;

use super::super::login_question::LoginQuestion;
use super::{Answers, EventLoop, SESSION};
use crate::terminal::{hold_input, print_error};

/// A login on its way.
#[derive(Default)]
pub(super) struct Login {
    /// What the agent offers, as last reported.
    methods: Vec<LoginMethod>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    None,
    /// The person is asked.
    Asked(Receiver<Option<LoginMethod>>),
    /// The person's command runs in this terminal.
    Runs {
        method: String,
        done: Receiver<Result<(), String>>,
    },
}

impl Login {
    /// True while a command has the terminal.
    pub(super) fn has_terminal(&self) -> bool {
        matches!(self.state, State::Runs { .. })
    }
}

impl EventLoop {
    /// Asks the person to log in, where one is there and something can be done. False: nobody will.
    pub(super) fn offers_login(&mut self, body: &EventBody) -> bool {
        let EventBody::LoginNeeded(LoginNeeded { methods }) = body else {
            return false;
        };
        if self.answers != Answers::Person || !self.manners.asks {
            return false;
        }
        let Some(question) = LoginQuestion::new(&self.agent, methods) else {
            return false;
        };
        let (reply, answer) = channel();
        self.login.methods.clone_from(methods);
        self.login.state = State::Asked(answer);
        self.interview.login(question, reply);
        true
    }

    /// Looks what has come of a question or a command.
    pub(super) fn login_goes_on(&mut self) {
        match std::mem::take(&mut self.login.state) {
            State::None => {}
            State::Asked(answer) => match answer.try_recv() {
                Ok(Some(method)) => self.log_in(method),
                Ok(None) | Err(TryRecvError::Disconnected) => self.no_login(),
                Err(TryRecvError::Empty) => self.login.state = State::Asked(answer),
            },
            State::Runs { method, done } => match done.try_recv() {
                Ok(Ok(())) => {
                    hold_input(false);
                    self.say_login(method);
                }
                Ok(Err(why)) => {
                    hold_input(false);
                    print_error(&format!("the login {why}\n"));
                    let methods = std::mem::take(&mut self.login.methods);
                    if !self.offers_login(&EventBody::LoginNeeded(LoginNeeded { methods })) {
                        self.no_login();
                    }
                }
                Err(TryRecvError::Empty) => self.login.state = State::Runs { method, done },
                Err(TryRecvError::Disconnected) => {
                    hold_input(false);
                    self.no_login();
                }
            },
        }
    }

    /// The turn that waits for a login is cancelled: nobody is asked about it any more.
    pub(super) fn gives_up_login(&mut self) {
        if matches!(self.login.state, State::Asked(_)) {
            self.login.state = State::None;
            self.interview.withdraw_login();
        }
    }

    fn log_in(&mut self, method: LoginMethod) {
        let Some(engine) = self
            .engine
            .clone()
            .filter(|_| method.kind == LoginKind::Terminal)
        else {
            return self.say_login(method.id);
        };
        let (sender, done) = channel();
        // The command gets the terminal as it was, and all that is typed.
        self.key_mode = None;
        hold_input(true);
        let id = method.id.clone();
        tokio::spawn(async move {
            // The event loop is gone when nobody is interested any more.
            let _ = sender.send(run(&engine, &id).await);
        });
        let method = method.id;
        self.login.state = State::Runs { method, done };
    }

    fn say_login(&mut self, method: String) {
        self.state.logs_in();
        let session = SESSION;
        let method = Some(method);
        let env = BTreeMap::new();
        self.send(Command::Login {
            session,
            method,
            env,
        });
    }

    fn no_login(&mut self) {
        let steps = self.state.no_login();
        self.follow(steps);
    }
}

/// Runs a login's command in this terminal, with what the engine knows of the agent's environment.
async fn run(engine: &EngineHandle, id: &str) -> Result<(), String> {
    let facts = engine.inspect(SESSION).await;
    let mut ways = facts.into_iter().flat_map(|facts| facts.logins);
    let way = ways.find(|way| way.id == id).map(|way| way.how);
    let Some(LoginHow::Command { line, .. }) = way else {
        return Err("is no longer offered".to_owned());
    };
    let spawned = ProcessTree::spawn(&line, None, Streams::Inherited);
    let mut login = spawned.map_err(|error| format!("cannot be started: {error}"))?;
    match login.wait().await {
        exit if exit.is_success() => Ok(()),
        exit => Err(exit.to_string()),
    }
}
