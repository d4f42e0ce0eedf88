//! A session that continues in a new process of its agent, because a person has logged in where only a new process
//! notices, or wants other settings. From outside it is the same session: its number, its turns and its counts
//! continue, and nothing is reported twice. Plain data: what the new process begins with.

use crate::command::SessionOptions;
use crate::session::carried::Carried;
use crate::session::prompt_turn::prompt::Prompt;

/// Why a session keeps the settings that it has, for a person; none if it takes others. `is_idle`: the agent waits for
/// a prompt.
pub(in crate::session) fn refusal(
    is_idle: bool,
    before: &SessionOptions,
    wanted: &SessionOptions,
) -> Option<&'static str> {
    if !is_idle {
        return Some("the agent is not waiting for a prompt, so its settings stay as they are");
    }
    let is_other = before.agent != wanted.agent;
    is_other.then_some("a session keeps its agent; start another session for another agent")
}

impl Carried {
    /// The new process has these settings. What was entered for a login is needed again, and an earlier conversation was
    /// shown when the session became ready.
    pub(in crate::session) fn take_settings(&mut self, options: SessionOptions) {
        let before = std::mem::take(&mut self.options);
        let mut agent_env = before.agent_env;
        agent_env.extend(options.agent_env);
        self.options = SessionOptions {
            agent_env,
            resume: before.resume,
            login: before.login,
            client: before.client,
            ..options
        };
        self.seen = true;
    }

    /// The session continues in a new process, with this prompt first, which belongs to a turn that is not over yet.
    pub(in crate::session) fn send_again(&mut self, prompt: Option<Prompt>) {
        if let Some(prompt) = prompt {
            self.queue.push_front(prompt);
            self.sends_again = true;
        }
    }

    /// By what the new process finds the conversation. `kept`: its id in the history; `agents`: the agent's own, which
    /// counts where nothing is kept and something was said.
    pub(in crate::session) fn resume_by(&mut self, kept: Option<String>, agents: Option<&str>) {
        if kept.is_some() {
            self.options.resume = kept;
        } else if let Some(id) = agents.filter(|_| self.n_turns > 0) {
            self.earlier = Some(id.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use siderail_guard::canary::Canary;
    use siderail_guard::denial::DenialTracker;
    use std::path::Path;
    use std::time::Instant;

    fn carried(options: SessionOptions) -> Carried {
        let tracker = DenialTracker::new(2, "/p");
        let (canary, now) = (Canary::new(&[], false), Instant::now());
        let memory = Memory::of_project(Path::new("/nowhere"), Path::new("/p"));
        Carried::new(1, now, options, tracker, canary, memory)
    }

    fn options(agent: &str, env: &[(&str, &str)]) -> SessionOptions {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        SessionOptions {
            agent: agent.to_owned(),
            agent_env: env.iter().map(pair).collect(),
            ..SessionOptions::default()
        }
    }

    #[test]
    fn settings_are_taken_by_the_same_agent_while_it_is_idle() {
        let (claude, codex) = (options("claude", &[]), options("codex", &[]));
        assert_eq!(refusal(true, &claude, &claude), None);
        assert!(refusal(true, &claude, &codex).is_some_and(|why| why.contains("keeps its agent")));
        assert!(refusal(false, &claude, &codex).is_some_and(|why| why.contains("not waiting")));
    }

    #[test]
    fn what_was_entered_for_a_login_outlives_other_settings() {
        let mut session = carried(SessionOptions {
            login: Some("key".to_owned()),
            resume: Some("c1".to_owned()),
            answer: Some(true),
            ..options("claude", &[("KEY", "1"), ("MODE", "old")])
        });
        session.take_settings(options("claude", &[("MODE", "new")]));
        let now = &session.options;
        assert_eq!(
            (&*now.agent_env["KEY"], &*now.agent_env["MODE"]),
            ("1", "new")
        );
        assert_eq!(now.login.as_deref(), Some("key"));
        assert_eq!((now.resume.as_deref(), now.answer), (Some("c1"), None));
        assert!(session.seen);
    }

    #[test]
    fn a_conversation_is_found_by_the_history_and_else_by_the_agent_that_has_one() {
        let found = |kept: Option<&str>, n_turns| {
            let mut session = carried(SessionOptions::default());
            session.n_turns = n_turns;
            session.resume_by(kept.map(str::to_owned), Some("s1"));
            (session.options.resume, session.earlier)
        };
        assert_eq!(found(Some("c1"), 1), (Some("c1".to_owned()), None));
        assert_eq!(found(None, 1), (None, Some("s1".to_owned())));
        assert_eq!(found(None, 0), (None, None), "nothing was said");
    }
}
