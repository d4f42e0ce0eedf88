//! One session of one agent: its state, and what each input does to it.
//!
//! The parts are in folders of their own: [`lifecycle`] from the opening to the summary, [`prompt_turn`] prompts and
//! cancel, [`permissions`] what the agent asks leave for, [`guidance`] what its model is told of a denial, [`own_calls`]
//! calls at our server, [`client_files`] and [`terminals`] what the agent does through us. Most of them are plain methods
//! on this one owner.

mod agent_messages;
mod agent_notices;
mod agent_sessions;
mod carried;
mod changes;
mod client_files;
mod elicitation;
mod guidance;
mod input;
mod lifecycle;
mod modes;
mod outer_client;
mod own_calls;
mod permissions;
mod planning;
mod prompt_turn;
mod terminals;
mod views;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use siderail_acp::connection::Connection;
use siderail_acp::process::{Exit, Grace, StderrTail};
use siderail_acp::session::EarlyUpdates;
use siderail_acp::trace::TrafficLog;
use siderail_acp::transport::Outbound;
use siderail_acp::wire::Numbered;
use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;
use tokio::sync::oneshot;

use crate::api::ApiAccess;
use crate::command::{PermissionAnswer, SessionOptions};
use crate::confine::Confinement;
use crate::event::{ErrorKind, EventBody};
use crate::host::HostReply;
use crate::launch::Overlay;
use crate::memory::Memory;
use crate::profile::Profile;
use crate::recording_notes;
use crate::secrets::Secrets;
use crate::shared::Shared;
use crate::tools::EngineTools;
use crate::tools::command::CommandRunner;

pub(crate) use agent_notices::AgentNotices;
pub(crate) use agent_sessions::SessionsReply;
pub use agent_sessions::{AgentSession, AgentSessions, SessionsRefused, SessionsWish};
use carried::Carried;
pub(crate) use input::Input;
use lifecycle::closing::STOP;
use lifecycle::{login, opening, recipes, restore, stray_output, waiting};
pub(crate) use own_calls::calls::OwnCall;
pub(crate) use permissions::requests::Ask;
use permissions::{hooks, requests};
use prompt_turn::PromptTurn;
use prompt_turn::prompt;
pub(crate) use prompt_turn::prompt::Sent;
pub(crate) use terminals::CommandIn;
pub(crate) use views::{plan_entries, shown, view_of};

/// What an answer to one of our requests is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Initialize,
    Authenticate,
    NewSession,
    /// `session/load` or `session/resume`.
    Restore,
    /// The mode that the agent was told to take at the start.
    SetMode {
        setting: modes::Setting,
        mode: String,
    },
    /// A person's change.
    Set(modes::Setting),
    /// A change that the next prompt waits for.
    BeforePrompt {
        setting: modes::Setting,
        /// It takes the agent into a mode for planning, or out of it.
        for_plan: bool,
    },
    Prompt,
    /// A page of the agent's own sessions.
    List,
    /// One of them is forgotten.
    Delete,
    /// The agent's session is closed, and nobody waits for the answer.
    Close,
    /// The agent's list of its hooks.
    HookListing,
    /// A steering message with guidance for this request.
    Steering(u64),
    /// A text of the user's for the running turn.
    Steer(String),
    /// A request of the client behind the host.
    Passed(u64),
    /// The same, for the one that opens the session.
    OpenPassed,
}

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The process is being started and has not answered all of the handshake.
    Starting,
    /// Prompts may be sent.
    Ready,
    /// The agent was told to go.
    Closing,
    /// The summary is out.
    Over,
}

/// The live agent process, as far as the session deals with it.
pub(crate) struct Agent {
    /// Its input; dropping it closes the agent's stdin.
    outbound: Outbound,
    /// Tells the task that owns the process to stop it.
    stop: Option<oneshot::Sender<Grace>>,
    /// What it said on stderr.
    stderr: StderrTail,
}

/// One session and everything that it owns.
pub(crate) struct Session {
    /// The host's number of it.
    pub(crate) number: u64,
    options: SessionOptions,
    /// What outlives the agent's process.
    carried: Carried,
    /// The prompt turn that runs, or ran last.
    turn: PromptTurn,
    profile: Profile,
    policy: Policy,
    /// The project's base folder, canonical, and what lies inside it.
    confinement: Confinement,
    /// One more holds it for every lookup of links that is still going on.
    lookups: Arc<()>,
    /// The user's home, as the agent knows it.
    home: Option<String>,
    /// An earlier conversation that is gone on with, until the first prompt.
    restoring: Option<restore::Restoring>,
    /// The session's own folder for launch files; removed at the end.
    folder: PathBuf,
    /// How this agent's model sees our tools.
    names: NameForm,
    phase: Phase,
    agent: Option<Agent>,
    connection: Connection<Tag>,
    /// Our requests that are not answered, by id, for texts about time limits.
    unanswered: Numbered<waiting::Unanswered>,
    /// The ACP session's state, once it exists.
    acp: Option<siderail_acp::session::Session>,
    /// Updates that came before the answer to `session/new`.
    early: EarlyUpdates,
    /// The ACP client behind the host, where there is one.
    client: Option<outer_client::Client>,
    /// What `initialize` said.
    initialized: Option<siderail_acp::initialize::InitializeResult>,
    /// What the handshake says beside the project's folder.
    opening: opening::Opening,
    /// Built-in tools that are not offered to the model.
    hidden: Vec<String>,
    /// The prompt that waits for a setting.
    pending: Option<prompt::Prompt>,
    /// What was told last of what can be set.
    told_options: Option<EventBody>,
    /// What a login is missing for.
    login_missing: Option<login::Missing>,
    /// A question for the agent's own sessions.
    asking: Option<agent_sessions::Asking>,
    /// The session goes on in a new process once this one is gone.
    restarts: bool,
    /// The agent's mode for it.
    mode_for_plan: planning::ModeForPlan,
    /// The stop reason to report in the summary.
    stop_reason: Option<String>,
    /// Questions to the person, by request number.
    asks: Numbered<Ask>,
    /// What the person allowed for good in this project.
    memory: Memory,
    /// Calls at our server, by call number.
    own_calls: Numbered<OwnCall>,
    /// Calls that the host was told to give up and has not answered, with their tools: they may have been done.
    given_up: Numbered<String>,
    /// File requests of the agent that the host works on, by call number.
    open_files: Numbered<client_files::OpenFile>,
    /// The agent's questions that a person answers, by call number.
    elicitations: Numbered<elicitation::OpenElicitation>,
    /// The hook fires after a permission request was allowed, so what it will deny is allowed there.
    hook_after_allow: bool,
    /// Tool calls of this turn that have come to their end.
    ended: HashSet<String>,
    /// Calls of the last seconds as the hook named them.
    named: Vec<hooks::Named>,
    /// A file of the user's was changed for this session.
    consented: bool,
    /// The agent's own API, where it has one.
    api: Option<ApiAccess>,
    /// The stand-in for a folder of the user's.
    overlay: Option<Overlay>,
    /// Terminals of the agent, by id.
    terminals: BTreeMap<String, terminals::Terminal>,
    /// Runs `run_command`; dropping it ends what still runs.
    runner: Arc<CommandRunner>,
    /// The tools that run in the engine.
    engine_tools: Arc<EngineTools>,
    /// What those wait for the host to do, by call number.
    host_work: Numbered<oneshot::Sender<HostReply>>,
    /// Calls that write, serialised per file.
    edits: siderail_mcp::edit_queue::EditQueue<PathBuf, u64>,
    /// Which of the profile's recipes work.
    recipes: recipes::Recipes,
    /// What no event may tell.
    secrets: Secrets,
    /// The recording, where one is wanted: what its traffic does not say is noted there.
    trace: Option<TrafficLog>,
    /// When the agent last said anything, or was last given something to go on with.
    heard: Instant,
    /// Silence after which the turn is cancelled.
    inactivity: Duration,
    /// A moment at which something has to happen if nothing else did.
    limit: Option<(Instant, Limit)>,
    exit: Option<Exit>,
    output_closed: bool,
    /// Lines of the agent that were no messages.
    noise: stray_output::Noise,
}

/// What is overdue when a session's limit passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The agent has not finished the handshake.
    Startup,
    /// The agent has not listed its hooks.
    HookListing,
    /// The agent has not ended a cancelled turn.
    Cancel,
    /// The agent's process has not ended, or its output stays open after it did.
    Exit,
    /// The host has not said what became of writes that it was told to give up.
    GivenUp,
}

/// Agents need up to 20 s on a slow machine before their first answer.
const STARTUP: Duration = Duration::from_secs(120);
/// A cancelled turn should end at once; some agents never end it.
const CANCEL: Duration = Duration::from_secs(2);

impl Session {
    /// The next moment at which [`Self::deadline_passed`] wants to be called.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        if self.phase == Phase::Over {
            return None;
        }
        let own = self.own_calls.values().filter_map(OwnCall::deadline);
        let limit = self.limit.map(|(at, _)| at);
        own.chain(limit).chain(self.inactivity_deadline()).min()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Something was due by now.
    pub(crate) fn deadline_passed(&mut self, now: Instant, shared: &mut Shared) {
        self.own_deadlines(now, shared);
        if self.inactivity_deadline().is_some_and(|at| at <= now) {
            self.inactive(now, shared);
        }
        if let Some((at, limit)) = self.limit
            && at <= now
        {
            self.limit = None;
            match limit {
                Limit::Startup => self.startup_overdue(now, shared),
                Limit::HookListing => self.hook_listing_overdue(shared),
                Limit::Cancel => self.cancel_overdue(now, shared),
                Limit::Exit => self.exit_overdue(shared),
                Limit::GivenUp => self.finish_now(shared),
            }
        }
    }

    /// A person answered.
    pub(crate) fn answered(
        &mut self,
        request_id: u64,
        answer: PermissionAnswer,
        shared: &mut Shared,
    ) {
        if let Some(ask) = self.asks.remove(&request_id) {
            self.resolve(ask, requests::Settled::ByPerson(answer), shared);
        }
    }

    pub(crate) fn emit(&self, body: EventBody, shared: &mut Shared) {
        let body = self.secrets.hide(body);
        recording_notes::note(self.trace.as_ref(), self.carried.n_turns, &body);
        shared.emit(self.number, self.carried.n_turns, body);
    }

    /// Sends a line to the agent. A full queue or a closed input ends the session with a clear error.
    fn send(&mut self, line: Vec<u8>, shared: &mut Shared) {
        let Some(agent) = &self.agent else { return };
        self.heard = Instant::now();
        if let Err(error) = agent.outbound.send(line) {
            self.fail(
                ErrorKind::Closed,
                format!("the agent takes no more input ({error})"),
                None,
                shared,
            );
        }
    }

    fn root(&self) -> &Path {
        self.confinement.root()
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.root().to_owned()
    }

    /// The project's folder as agents and the guard write it.
    fn root_text(&self) -> String {
        self.root().display().to_string()
    }

    fn send_some(&mut self, line: Option<Vec<u8>>, shared: &mut Shared) {
        if let Some(line) = line {
            self.send(line, shared);
        }
    }
}

#[cfg(test)]
mod tests;
