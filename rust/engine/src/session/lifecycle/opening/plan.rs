//! What a session is made of before anything is started: checked options, a folder, a token, and the launch recipe that
//! follows from them and the profile. All of it but [`Start::new`] looks at the disk, beside the engine's loop.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use siderail_acp::trace::TrafficLog;
use siderail_agents::AgentError;
use siderail_guard::Tool;
use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;
use siderail_mcp::{Listener, ServerInfo, SessionServer};
use tokio::sync::mpsc;

use crate::api::{self, ApiAccess};
use crate::command::SessionOptions;
use crate::confine::{Confinement, Private};
use crate::consent::{Journal, Unchanged};
use crate::engine_config::EngineConfig;
use crate::error::EngineError;
use crate::launch::{Launch, Values, Wishes, environment, prepare};
use crate::notes;
use crate::places;
use crate::profile::{McpDelivery, Profile};
use crate::secrets::Secrets;
use crate::servers::UserServers;
use crate::session::Input;
use crate::session::lifecycle::put_back::PutBack;
use crate::session::wire::process::open_trace;
use crate::shared::Shared;
use crate::tools::{self, SERVER};

/// What is wanted of a start, and what the engine has for it.
pub(in crate::session) struct Start {
    number: u64,
    options: SessionOptions,
    profile: Profile,
    names: NameForm,
    config: EngineConfig,
    /// None for a plain MCP client: it has no agent.
    agent: Option<AgentSide>,
}

/// By what an agent gets in touch, and its traffic is recorded.
struct AgentSide {
    /// After another process of the same session.
    again: bool,
    socket: String,
    token: String,
    inputs: mpsc::Sender<Input>,
}

/// A session without a process yet, and what to start for it.
pub(in crate::session) struct Prepared {
    pub(in crate::session) plan: Plan,
    /// Whether there is an agent to be started.
    pub(in crate::session) has_agent: bool,
    pub(in crate::session) names: NameForm,
    pub(in crate::session) launch: Launch,
    pub(in crate::session) servers: UserServers,
    pub(in crate::session) secrets: Secrets,
    pub(in crate::session) trace: Option<TrafficLog>,
    pub(in crate::session) relay_env: Vec<(String, String)>,
    pub(in crate::session) api: Option<ApiAccess>,
}

impl Start {
    /// Finds the agent, and lets its side in by a token.
    pub(in crate::session) fn new(
        number: u64,
        options: SessionOptions,
        again: bool,
        shared: &Shared,
        listener: &Listener,
    ) -> Result<Self, EngineError> {
        let has_command = options.agent_command.is_some();
        let profile = shared.profiles.get(&options.agent, has_command)?;
        let names = names(&profile.mcp, shared);
        let instructions = tools::instructions(&shared.offered, shared.host.surroundings());
        let server = SessionServer {
            info: ServerInfo {
                name: SERVER.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                instructions: names.in_text(instructions),
            },
            tools: tools::offered_as(&shared.tools, &names),
        };
        Ok(Self {
            number,
            options,
            profile,
            names,
            config: shared.config.clone(),
            agent: Some(AgentSide {
                again,
                socket: listener.path().display().to_string(),
                token: listener.register(number, server).as_str().to_owned(),
                inputs: shared.inputs.clone(),
            }),
        })
    }

    /// The same without an agent, for a plain MCP client: our tools and their gate, and nobody to ask. What a person would
    /// be asked about is denied.
    pub(in crate::session) fn plain(
        number: u64,
        options: SessionOptions,
        shared: &Shared,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            number,
            options: SessionOptions {
                answer: Some(false),
                ..options
            },
            profile: shared.profiles.get("mcp", true)?,
            names: names(&McpDelivery::plain(), shared),
            config: shared.config.clone(),
            agent: None,
        })
    }

    /// Everything that can fail ahead of the agent's process. A failure leaves nothing behind.
    pub(in crate::session) fn prepare(self) -> Result<Prepared, EngineError> {
        let folder = folder_of(self.number, &self.config);
        let prepared = self.prepared();
        if prepared.is_err() {
            remove_folder(&folder);
        }
        prepared
    }

    /// What changes a file of the user's comes last, so that no failure leaves it changed.
    fn prepared(self) -> Result<Prepared, EngineError> {
        let config = &self.config;
        let plan = Plan::new(self.number, self.options, self.profile, config)?;
        let Some(agent) = self.agent else {
            return Ok(Prepared::plain(plan, self.names, config));
        };
        let access = Access {
            socket: agent.socket,
            token: agent.token,
            api: plan.api()?,
        };
        let servers = user_servers(&config.env);
        let own = access.secrets().into_iter().chain(servers.secrets());
        let secrets = Secrets::new(own.collect(), &plan.environment(config));
        let trace = open_trace(
            self.number,
            agent.inputs,
            plan.options.trace.as_deref(),
            secrets.in_traffic(),
            agent.again,
        )?;
        notes::begin(trace.as_ref(), &plan.profile.name);
        let launch = plan.launch(&access, config);
        let launch = launch.and_then(|launch| plan.use_consent(&launch, config).map(|()| launch));
        // Nobody else waits for the log of an agent that is not started.
        let launch = launch.inspect_err(|_| trace.iter().for_each(|trace| trace.finish()))?;
        Ok(Prepared {
            plan,
            has_agent: true,
            names: self.names,
            launch,
            servers,
            secrets,
            trace,
            relay_env: access.relay_env(),
            api: access.api,
        })
    }
}

impl Prepared {
    fn plain(plan: Plan, names: NameForm, config: &EngineConfig) -> Self {
        Self {
            plan,
            has_agent: false,
            names,
            launch: Launch {
                env: config.env.clone(),
                home: config.env.get("HOME").cloned(),
                ..Launch::default()
            },
            servers: UserServers::default(),
            secrets: Secrets::default(),
            trace: None,
            relay_env: Vec::new(),
            api: None,
        }
    }

    /// Undoes it, because nobody waits for it any more.
    pub(in crate::session) fn undo(self, state_dir: PathBuf) {
        let put_back = PutBack {
            state_dir,
            agent: self.plan.profile.name,
            consented: self.launch.consent.is_some(),
            overlay: self.launch.overlay,
        };
        for text in put_back.done() {
            tracing::error!("{text}");
        }
        remove_folder(&self.plan.folder);
    }
}

/// What a session is made of, before anything is started.
pub(in crate::session) struct Plan {
    pub(in crate::session) number: u64,
    pub(in crate::session) options: SessionOptions,
    pub(in crate::session) profile: Profile,
    pub(in crate::session) policy: Policy,
    pub(in crate::session) confinement: Confinement,
    /// The session's own folder.
    pub(in crate::session) folder: PathBuf,
}

impl Plan {
    pub(in crate::session) fn new(
        number: u64,
        mut options: SessionOptions,
        profile: Profile,
        config: &EngineConfig,
    ) -> Result<Self, EngineError> {
        let confinement = Confinement::new(&options.project).map_err(|e| EngineError::Project {
            path: options.project.clone(),
            why: e.to_string(),
        })?;
        let (home, own) = (config.home(), config.own_folders());
        let (home, own) = (home.as_deref(), own.as_slice());
        let private = Private { home, own };
        let (confinement, refused) = confinement.with_named_roots(&options.content_roots, private);
        options.notices.extend(refused);
        let folder = folder_of(number, config);
        make_folder(&folder)?;
        Ok(Self {
            number,
            policy: options.settings.policy,
            options,
            profile,
            confinement,
            folder,
        })
    }

    /// The way to the agent's own API, where it has one that is used.
    fn api(&self) -> Result<Option<ApiAccess>, EngineError> {
        match &self.profile.api {
            Some(api) if self.policy != Policy::Observe => {
                new_api(&self.folder, &api.user).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What the agent is started with, before recipes.
    fn environment(&self, config: &EngineConfig) -> BTreeMap<String, String> {
        environment(&self.profile, &self.options.agent_env, &config.env)
    }

    /// Fills the recipes. A hook, an API or hiding would defeat the purpose of only watching.
    fn launch(&self, access: &Access, config: &EngineConfig) -> Result<Launch, EngineError> {
        let watched = self.policy != Policy::Observe;
        let options = &self.options;
        let wishes = Wishes {
            command: options.agent_command.as_deref(),
            env: &options.agent_env,
            hide: options.settings.hide && watched,
            hook: watched,
            consent: options.settings.consent.contains(&self.profile.name),
        };
        let env = self.environment(config);
        let home = env.get("HOME").cloned().unwrap_or_default();
        let api = access.api.as_ref();
        let values = Values {
            server: SERVER,
            relay: &config.relay,
            folder: &self.folder,
            state: &config.state_dir,
            socket: &access.socket,
            token: &access.token,
            home: &home,
            project: Path::new(self.confinement.root()),
            api_port: api.map_or(0, |api| api.port),
            api_password: api.map_or("", |api| api.password.as_str()),
        };
        Ok(prepare(&self.profile, &wishes, env, &values)?)
    }

    /// Changes the file of the user's that the recipe needs, which the person agreed to.
    fn use_consent(&self, launch: &Launch, config: &EngineConfig) -> Result<(), EngineError> {
        let Some((file, ours)) = &launch.consent else {
            return Ok(());
        };
        let agent = &self.profile.name;
        let keep = config.settings.keep_consent.contains(agent);
        let journal = Journal::new(&config.state_dir);
        let applied = journal.apply(agent, file, ours, keep);
        let failed = |unchanged| match unchanged {
            Unchanged::Journal(error) => AgentError::State {
                folder: config.state_dir.clone(),
                why: error.to_string(),
            },
            Unchanged::File(error) => AgentError::UsersOwn {
                what: format!("the file {}", file.display()),
                why: error.to_string(),
            },
        };
        Ok(applied.map_err(failed)?)
    }
}

/// By what the agent's side gets in touch.
struct Access {
    socket: String,
    token: String,
    api: Option<ApiAccess>,
}

impl Access {
    /// What must not be revealed or written down.
    fn secrets(&self) -> Vec<String> {
        let password = self.api.as_ref().map(|api| api.password.clone());
        password.into_iter().chain([self.token.clone()]).collect()
    }

    /// Variables by which a hook's command finds the engine.
    fn relay_env(&self) -> Vec<(String, String)> {
        [
            ("SIDERAIL_SOCKET", &self.socket),
            ("SIDERAIL_TOKEN", &self.token),
        ]
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .to_vec()
    }
}

/// A port and a password for the agent's own API, and the user that it wants.
fn new_api(folder: &Path, user: &str) -> Result<ApiAccess, EngineError> {
    let failed = |why: String| EngineError::Runtime {
        what: "the access to the agent's API".to_owned(),
        path: folder.to_owned(),
        why,
    };
    let port = api::free_port().map_err(|e| failed(e.to_string()))?;
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|e| failed(e.to_string()))?;
    Ok(ApiAccess {
        port,
        user: user.to_owned(),
        password: HEXLOWER.encode(&bytes),
    })
}

/// How the agent's model sees our tools.
fn names(mcp: &McpDelivery, shared: &Shared) -> NameForm {
    // There is nothing to rename where none of our tools has the name.
    let renamed = mcp.renamed.iter();
    let renamed = renamed.filter_map(|(ours, theirs)| Some((Tool::named(ours)?, theirs.clone())));
    NameForm::new(&mcp.as_seen, SERVER)
        .backed_by(shared.host.surroundings())
        .renaming(renamed)
}

fn user_servers(env: &BTreeMap<String, String>) -> UserServers {
    let folder = places::settings_folder(env);
    folder.map_or_else(UserServers::default, |folder| {
        UserServers::read(&folder.join("mcp.json"), env)
    })
}

/// The private folder of a session.
fn folder_of(number: u64, config: &EngineConfig) -> PathBuf {
    config.runtime_dir.join(format!("session-{number}"))
}

/// Removes a session's folder; one that was never made is fine.
pub(in crate::session) fn remove_folder(folder: &Path) {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(folder = %folder.display(), %error, "the session's folder stays");
        }
        _ => {}
    }
}

fn make_folder(folder: &Path) -> Result<(), EngineError> {
    let made = siderail_os::private::folder()
        .recursive(true)
        .create(folder);
    made.map_err(|e| EngineError::Runtime {
        what: "the session's folder".to_owned(),
        path: folder.to_owned(),
        why: e.to_string(),
    })
}
