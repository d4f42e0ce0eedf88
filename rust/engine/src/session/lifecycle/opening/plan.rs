//! What a session is made of before anything is started: checked options, a folder, a token, and the launch
//! that they make of a profile. It leaves nothing behind but the folder, which its caller removes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use siderail_agents::AgentError;
use siderail_guard::guidance::NameForm;
use siderail_guard::policy::Policy;
use siderail_mcp::{Listener, ServerInfo, SessionServer};

use crate::api::{self, ApiAccess};
use crate::command::SessionOptions;
use crate::confine::Confinement;
use crate::consent::{Journal, Unchanged};
use crate::error::EngineError;
use crate::launch::{Launch, Values, Wishes, environment, prepare};
use crate::profile::Profile;
use crate::shared::Shared;
use crate::tools::{self, SERVER};

/// What a session is made of, before anything is started.
pub(super) struct Plan {
    pub(super) number: u64,
    pub(super) options: SessionOptions,
    pub(super) profile: Profile,
    pub(super) policy: Policy,
    pub(super) confinement: Confinement,
    /// The session's own folder.
    pub(super) folder: PathBuf,
}

impl Plan {
    pub(super) fn new(
        number: u64,
        options: SessionOptions,
        profile: Profile,
        shared: &Shared,
    ) -> Result<Self, EngineError> {
        let confinement = Confinement::new(&options.project).map_err(|e| EngineError::Project {
            path: options.project.clone(),
            why: e.to_string(),
        })?;
        let folder = folder_of(number, shared);
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

    /// Opens the ways by which the agent's side gets in touch.
    pub(super) fn access(
        &self,
        names: &NameForm,
        shared: &Shared,
        listener: &Listener,
    ) -> Result<Access, EngineError> {
        let instructions = tools::instructions(&shared.offered, shared.host.surroundings());
        let server = SessionServer {
            info: ServerInfo {
                name: SERVER.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                instructions: names.in_text(instructions),
            },
            tools: tools::offered_as(&shared.tools, names),
        };
        let token = listener.register(self.number, server);
        let api = match &self.profile.api {
            Some(_) if self.policy != Policy::Observe => Some(new_api(&self.folder)?),
            _ => None,
        };
        Ok(Access {
            socket: listener.path().display().to_string(),
            token: token.as_str().to_owned(),
            api,
        })
    }

    /// What the agent is started with, before recipes.
    pub(super) fn environment(&self, shared: &Shared) -> BTreeMap<String, String> {
        environment(&self.profile, &self.options.agent_env, &shared.config.env)
    }

    /// Fills the recipes. A hook, an API or hiding would defeat the purpose of only watching.
    pub(super) fn launch(&self, access: &Access, shared: &Shared) -> Result<Launch, EngineError> {
        let watched = self.policy != Policy::Observe;
        let options = &self.options;
        let wishes = Wishes {
            command: options.agent_command.as_deref(),
            env: &options.agent_env,
            hide: options.settings.hide && watched,
            hook: watched,
            consent: options.settings.consent.contains(&self.profile.name),
        };
        let env = self.environment(shared);
        let home = env.get("HOME").cloned().unwrap_or_default();
        let api = access.api.as_ref();
        let values = Values {
            server: SERVER,
            relay: &shared.config.relay,
            folder: &self.folder,
            state: &shared.config.state_dir,
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
    pub(super) fn use_consent(&self, launch: &Launch, shared: &Shared) -> Result<(), EngineError> {
        let Some((file, ours)) = &launch.consent else {
            return Ok(());
        };
        let agent = &self.profile.name;
        let keep = shared.config.settings.keep_consent.contains(agent);
        let journal = Journal::new(&shared.config.state_dir);
        let applied = journal.apply(agent, file, ours, keep);
        let failed = |unchanged| match unchanged {
            Unchanged::Journal(error) => AgentError::State {
                folder: shared.config.state_dir.clone(),
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
pub(super) struct Access {
    socket: String,
    token: String,
    pub(super) api: Option<ApiAccess>,
}

impl Access {
    /// What must not be told or written down.
    pub(super) fn secrets(&self) -> Vec<String> {
        let password = self.api.as_ref().map(|api| api.password.clone());
        password.into_iter().chain([self.token.clone()]).collect()
    }

    /// Variables by which a hook's command finds the engine.
    pub(super) fn relay_env(&self) -> Vec<(String, String)> {
        [
            ("SIDERAIL_SOCKET", &self.socket),
            ("SIDERAIL_TOKEN", &self.token),
        ]
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .to_vec()
    }
}

/// A port and a password for the agent's own API.
fn new_api(folder: &Path) -> Result<ApiAccess, EngineError> {
    let failed = |why: String| EngineError::Runtime {
        what: "the access to the agent's API".to_owned(),
        path: folder.to_owned(),
        why,
    };
    let port = api::free_port().map_err(|e| failed(e.to_string()))?;
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|e| failed(e.to_string()))?;
    let password = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(ApiAccess { port, password })
}

/// The private folder of a session.
pub(super) fn folder_of(number: u64, shared: &Shared) -> PathBuf {
    shared.config.runtime_dir.join(format!("session-{number}"))
}

/// Removes a session's folder; one that was never made is none to remove.
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
