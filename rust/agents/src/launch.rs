//! Turns a profile, the user's wishes and this session's socket into what is really started.
//!
//! Recipes are filled with the session's values and laid on top of each other: profile, delivery of our
//! server, hiding, hook. What the user gives with `agent_env` wins; JSON in a variable is merged, never
//! replaced. Files go into the session's own folder (0700, files 0600), never into the user's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use siderail_acp::requests::McpServer;

use crate::error::AgentError;
use crate::profile::{Delivery, Hook, OverlaySpec, Profile};

mod applied_recipes;
mod overlay;
mod placeholders;
mod values;

use applied_recipes::{Filling, entry, object};
pub use overlay::{Overlay, sweep as sweep_overlays};
use placeholders::Filler;
pub use values::Values;

/// What to start, and what to say in `session/new`.
#[derive(Debug, Default)]
pub struct Launch {
    /// The program to start.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment.
    pub env: BTreeMap<String, String>,
    /// The user's home, also where the agent sees a stand-in.
    pub home: Option<String>,
    /// Our servers for `session/new`.
    pub mcp_servers: Vec<McpServer>,
    /// `_meta` of `session/new`.
    pub session_meta: Value,
    /// Built-in tools that are hidden.
    pub hidden: Vec<String>,
    /// The registered hook.
    pub hook: Option<LaunchedHook>,
    /// Why a hook that was wanted is not there.
    pub hook_off: Option<String>,
    /// What replaces a folder of the user's.
    pub overlay: Option<Overlay>,
    /// What is to be laid over a file of the user's, who agreed to it.
    pub consent: Option<(PathBuf, Value)>,
}

/// A registered hook, as far as it can be checked and tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchedHook {
    /// The constant command.
    pub command: String,
    /// By which the agent lists it, where it does.
    pub hash: Option<String>,
}

/// What the user asked for.
pub struct Wishes<'a> {
    /// The person's own command in place of the profile's.
    pub command: Option<&'a [String]>,
    /// The person's own variables.
    pub env: &'a BTreeMap<String, String>,
    /// Hide the built-in tools that ours replace.
    pub hide: bool,
    /// Register the hook.
    pub hook: bool,
    /// The user agrees to changes of files of their own.
    pub consent: bool,
}

/// The environment that an agent sees, before recipes: the profile's over the engine's, the user's over both.
pub fn environment(
    profile: &Profile,
    users: &BTreeMap<String, String>,
    base: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut env = base.clone();
    env.extend(profile.env.clone());
    env.extend(users.clone());
    env
}

/// Fills the profile's recipes and writes their files. `env` is what [`environment`] says.
///
/// # Errors
/// A file of the session's folder that cannot be written, or a file or variable of the user's that a recipe
/// adds to and that cannot be read. Nothing of the user's is overwritten.
pub fn prepare(
    profile: &Profile,
    wishes: &Wishes<'_>,
    env: BTreeMap<String, String>,
    values: &Values<'_>,
) -> Result<Launch, AgentError> {
    let hidden = hidden(profile, wishes);
    let filler = Filler::new(profile, &hidden, values, hooks_before(profile, &env)?);
    let (program, args) = command(profile, wishes, &filler);
    let wanted = profile
        .hook
        .as_ref()
        .filter(|hook| has_a_place(hook, wishes));
    let shadow = wanted.and_then(|hook| shadow(hook, values.project));
    let hook = wanted.filter(|_| shadow.is_none());
    let consent = hook
        .and_then(|h| h.consent.as_ref())
        .filter(|_| wishes.consent);
    let home = env.get("HOME").cloned();
    let api = profile.api.as_ref().filter(|_| wishes.hook);
    let mut filling = Filling {
        filler: &filler,
        folder: values.folder,
        users: wishes.env,
        args,
        env,
        env_json: BTreeMap::new(),
        session_meta: Value::Null,
    };
    filling.relay_variables(values);
    let announced = profile.mcp.delivery == Delivery::Launch;
    let recipes = [
        Some(&profile.base),
        announced.then_some(&profile.mcp.recipe),
        (!hidden.is_empty()).then_some(&profile.hide.recipe),
        hook.map(|h| &h.recipe),
        api.map(|a| &a.recipe),
    ];
    for recipe in recipes.into_iter().flatten() {
        filling.add(recipe)?;
    }
    filling.extend_json_variables()?;
    let overlay = hook.filter(|_| consent.is_none()).and_then(|hook| {
        let spec = hook.overlay.as_ref()?;
        Some(Overlay::build(
            spec,
            &hook.entry,
            &filler,
            values.state,
            &mut filling.env,
        ))
    });
    let consent = consent.zip(hook).map(|(file, hook)| {
        let path = PathBuf::from(filler.text(&file.path));
        let ours = entry(&path, &hook.entry, &filler)?;
        Ok((path, ours))
    });
    Ok(Launch {
        program,
        args: filling.args,
        env: filling.env,
        home,
        mcp_servers: mcp_servers(profile, values)?,
        session_meta: filling.session_meta,
        hidden,
        hook: hook.map(|h| LaunchedHook {
            command: filler.text("{hook_command}"),
            hash: h.listing.as_ref().map(|l| filler.text(&l.hash)),
        }),
        hook_off: shadow,
        overlay: overlay.transpose()?,
        consent: consent.transpose()?,
    })
}

/// Whether the hook can stand anywhere: in the session's own files, or where the user lets it.
fn has_a_place(hook: &Hook, wishes: &Wishes<'_>) -> bool {
    let in_overlay = hook.overlay.as_ref().is_some_and(OverlaySpec::is_looked_at);
    let needs_a_place = hook.overlay.is_some() || hook.consent.is_some();
    let agreed = hook.consent.is_some() && wishes.consent;
    wishes.hook && (!needs_a_place || in_overlay || agreed)
}

/// Says so where a file of the project keeps the agent from reading ours.
fn shadow(hook: &Hook, project: &Path) -> Option<String> {
    let file = project.join(&hook.shadowed_by);
    let is_there = !hook.shadowed_by.is_empty() && file.exists();
    is_there.then(|| format!("the agent reads the hooks of {} instead", file.display()))
}

/// What is started, ahead of what recipes add.
fn command(profile: &Profile, wishes: &Wishes<'_>, filler: &Filler) -> (String, Vec<String>) {
    let (program, mut args) = match wishes.command {
        Some([program, rest @ ..]) => (program.clone(), rest.to_vec()),
        _ => (profile.program.clone(), profile.args.clone()),
    };
    args.extend(profile.extra_args.iter().map(|a| filler.text(a)));
    (program, args)
}

/// Built-in tools that are hidden: none against the word of the user's own command.
fn hidden(profile: &Profile, wishes: &Wishes<'_>) -> Vec<String> {
    let unless = &profile.hide.unless_args;
    let mut own_words = wishes.command.unwrap_or_default().iter();
    let says_otherwise = own_words.any(|word| unless.contains(word));
    match (wishes.hide, wishes.hook) {
        _ if says_otherwise => Vec::new(),
        (true, _) => profile.hide.tools.clone(),
        (false, true) => profile.hide.always.clone(),
        (false, false) => Vec::new(),
    }
}

/// How many hooks of the user's come before ours, where the agent knows hooks by their number.
fn hooks_before(profile: &Profile, env: &BTreeMap<String, String>) -> Result<usize, AgentError> {
    let trust = profile.hook.as_ref().and_then(|hook| hook.trust.as_ref());
    let Some(list) = trust.and_then(|trust| trust.after.as_ref()) else {
        return Ok(0);
    };
    let Some(text) = env.get(&list.variable) else {
        return Ok(0);
    };
    let config = object(&format!("the variable {}", list.variable), text)?;
    let hooks = config.pointer(&list.place).and_then(Value::as_array);
    Ok(hooks.map_or(0, Vec::len))
}

/// The session's token for what must not hold it itself.
const TOKEN_FILE: &str = "token";

/// Our stdio server as `session/new` wants it; none where launch flags announce it. Some adapters hand it on to
/// their agent as an argument, which every list of processes shows: so it names the file of the token, not the token.
fn mcp_servers(profile: &Profile, values: &Values<'_>) -> Result<Vec<McpServer>, AgentError> {
    if profile.mcp.delivery == Delivery::Launch {
        return Ok(Vec::new());
    }
    let token_file = values.folder.join(TOKEN_FILE);
    siderail_state::private::write_file(&token_file, values.token)
        .map_err(|e| applied_recipes::not_written(TOKEN_FILE, values.folder, &e))?;
    let env = [
        ("SIDERAIL_SOCKET", values.socket.to_owned()),
        ("SIDERAIL_TOKEN_FILE", token_file.display().to_string()),
    ];
    Ok(vec![McpServer::Stdio {
        name: values.server.to_owned(),
        command: values.relay.first().cloned().unwrap_or_default(),
        args: values.relay.get(1..).unwrap_or_default().to_vec(),
        env: env
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }])
}

#[cfg(test)]
mod tests;
