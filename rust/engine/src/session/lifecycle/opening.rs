//! What a session is put together from, once its worker has prepared it. Plain data; it knows no session, and nothing has
//! been said to an agent yet.

use std::path::Path;

use serde_json::Value;
use siderail_acp::process::CommandLine;
use siderail_acp::requests::McpServer;
use siderail_guard::denial::DenialTracker;

use crate::command::SessionOptions;
use crate::launch::Launch;
use crate::profile::Profile;
use crate::servers::UserServers;

pub(in crate::session) mod plan;

pub(in crate::session) use plan::remove_folder;

/// What the handshake says beside the project's folder.
pub(crate) struct Opening {
    pub(in crate::session) mcp_servers: Vec<McpServer>,
    pub(in crate::session) meta: Value,
    /// Servers of the user's own.
    pub(in crate::session) servers: UserServers,
    /// The login method to use by itself, where what it needs is there.
    pub(in crate::session) auth_method: Option<String>,
}

impl Opening {
    pub(in crate::session) fn new(
        profile: &Profile,
        launch: &Launch,
        servers: UserServers,
    ) -> Self {
        let needed = profile.auth_env.as_ref();
        let can_log_in = needed.is_none_or(|name| launch.env.contains_key(name));
        Self {
            mcp_servers: launch.mcp_servers.clone(),
            meta: launch.session_meta.clone(),
            servers,
            auth_method: profile.auth_method.clone().filter(|_| can_log_in),
        }
    }
}

/// What to start for an agent, in this folder.
pub(in crate::session) fn command_line(launch: Launch, cwd: &Path) -> CommandLine {
    CommandLine {
        program: launch.program,
        args: launch.args.into_iter().map(Into::into).collect(),
        env: launch.env,
        cwd: cwd.to_owned(),
    }
}

/// Whether the hook is called after a permission request was allowed.
pub(in crate::session) fn hook_after_allow(launch: &Launch, profile: &Profile) -> bool {
    let hook = profile.hook.as_ref();
    launch.hook.is_some() && hook.is_some_and(|hook| hook.after_allow)
}

/// What counts denials, and knows the project's folder by this path.
pub(in crate::session) fn tracker(root: &Path, options: &SessionOptions) -> DenialTracker {
    let root = root.display().to_string();
    DenialTracker::new(options.settings.deny_threshold, &root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::LaunchedHook;
    use crate::session::guidance::tests::facts;

    #[test]
    fn an_agent_is_started_in_the_project_as_its_launch_says() {
        let launch = Launch {
            program: "agent".to_owned(),
            args: vec!["--acp".to_owned()],
            ..Launch::default()
        };
        let line = command_line(launch, Path::new("/p"));
        assert_eq!(
            (line.program.as_str(), line.cwd.as_path()),
            ("agent", Path::new("/p"))
        );
        assert_eq!(line.args, ["--acp"]);
    }

    #[test]
    fn a_hook_has_the_last_word_only_where_it_was_handed_over() {
        let mut profile = facts("claude").profile;
        let hook = profile.hook.as_mut().expect("it has one");
        hook.after_allow = true;
        let mut launch = Launch::default();
        assert!(!hook_after_allow(&launch, &profile));
        launch.hook = Some(LaunchedHook {
            command: "relay".to_owned(),
            hash: None,
        });
        assert!(hook_after_allow(&launch, &profile));
        profile.hook = None;
        assert!(!hook_after_allow(&launch, &profile));
    }
}
