//! What a person types into a conversation, as plain data: which lines wait, and which are commands of ours.
//!
//! A line is never lost: it is sent, it waits, it is dropped by its own author, or it is reported at the end as not
//! sent. Knows no terminal and no engine but its commands.

use std::collections::VecDeque;

use siderail_engine::command::Command;

use super::agent_settings::{MODE, Settable};
use super::step::{SESSION, Step};
use crate::style::one_line;

/// Characters of a line where it is listed.
const SHOWN: usize = 100;

/// What `/help` says.
const HELP: &str = "\
Each line is a prompt. What you type while the agent works reaches it at once if the agent supports that; \
otherwise it waits for the end of the turn.
Questions are answered with the keys they list; a command that starts with / works there, too, but where the model \
asks for a text only /quit does. If you were typing when a question came, your line goes first: Enter sends it, Ctrl-U clears it.
Keys: Tab completes commands, options and @files. Alt-Enter, or \\ and Enter, starts a new line. Up and Down browse \
the history, Ctrl-R searches it. Ctrl-G opens $EDITOR.
A line that starts with / and is not listed here goes to the agent; // sends an agent's command of the same name.
Commands:
  /plan TEXT          make a plan first; nothing changes until you approve it
  /mode [ID]          set the agent's mode, or list the modes
  /model [ID]         set the agent's model, or list the models
  /set OPTION=VALUE   set an option of the agent; /set alone lists them
  /diff, /changes     show what the last prompt changed
  /revert FILE|all    undo what the last prompt changed: one file, or all
  /undo               undo all that the last prompt changed
  /output             show all output of the last command
  /waiting, /drop     list or discard queued lines; Enter sends held ones
  /clear              clear the screen
  /quit               quit; Ctrl-C cancels a running turn first
";

/// The names of our commands, for completion.
pub(crate) const COMMANDS: [&str; 14] = [
    "changes", "clear", "diff", "drop", "help", "mode", "model", "output", "plan", "quit",
    "revert", "set", "undo", "waiting",
];

/// How one of our commands is written.
fn usage(name: &str) -> String {
    match name {
        "plan" => "usage: /plan TEXT".to_owned(),
        "revert" => "usage: /revert FILE or /revert all".to_owned(),
        "set" => "usage: /set OPTION=VALUE".to_owned(),
        name => format!("/{name} takes no arguments"),
    }
}

/// A file's name without the quotes that completion writes around one with blanks.
fn unquoted(file: String) -> String {
    let inner = file
        .strip_prefix('"')
        .and_then(|file| file.strip_suffix('"'));
    inner.map(str::to_owned).unwrap_or(file)
}

/// A line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// For the model.
    Prompt {
        /// The text.
        text: String,
        /// A plan is wanted first.
        plan: bool,
    },
    /// A slash command that is not ours: the agent's, or a slip.
    Slash(String),
    /// A slip: what was typed, and the command that was probably meant.
    Unknown {
        /// With the slash.
        typed: String,
        /// Without it.
        meant: String,
    },
    /// Enter alone.
    Empty,
    /// End the conversation.
    Quit,
    /// List what can be typed.
    Help,
    /// Take a mode; none: list them.
    Mode(Option<String>),
    /// Take a model; none: list them.
    Model(Option<String>),
    /// Set an option; none: list them.
    Set(Option<(String, String)>),
    /// List the values of an option.
    Values(String),
    /// Show what the last prompt changed.
    Changes,
    /// Take the change of a file back.
    Revert(String),
    /// Take all changes of the last prompt back.
    RevertAll,
    /// Show all that the last command put out.
    Output,
    /// Clear the screen.
    Clear,
    /// List what waits.
    Waiting,
    /// Forget what waits.
    Drop,
    /// A command of ours with words that it does not take; says how it is written.
    Wrong(String),
}

impl Line {
    /// Reads a line.
    pub(crate) fn read(line: &str) -> Self {
        let line = line.trim();
        let prompt = |text: &str| prompt(text.to_owned());
        let Some(command) = line.strip_prefix('/') else {
            return if line.is_empty() {
                Self::Empty
            } else {
                prompt(line)
            };
        };
        if command.starts_with('/') {
            return prompt(command);
        }
        let (name, rest) = command
            .split_once(char::is_whitespace)
            .unwrap_or((command, ""));
        let rest = rest.trim();
        let given = (!rest.is_empty()).then(|| rest.to_owned());
        match (name, given) {
            ("quit" | "exit", None) => Self::Quit,
            ("help", None) => Self::Help,
            ("waiting", None) => Self::Waiting,
            ("drop", None) => Self::Drop,
            ("changes" | "diff", None) => Self::Changes,
            ("model", model) => Self::Model(model),
            ("undo", None) => Self::RevertAll,
            ("output", None) => Self::Output,
            ("clear", None) => Self::Clear,
            ("revert", Some(file)) if file == "all" => Self::RevertAll,
            ("revert", Some(file)) => Self::Revert(unquoted(file)),
            ("revert" | "plan", None) => Self::Wrong(usage(name)),
            ("plan", Some(text)) => Self::Prompt { text, plan: true },
            ("mode", mode) => Self::Mode(mode),
            ("set", None) => Self::Set(None),
            ("set", Some(pair)) => match pair.split_once(|c: char| c == '=' || c.is_whitespace()) {
                Some((id, value)) if !id.is_empty() => {
                    let value = value.trim_start_matches([' ', '=']).trim();
                    Self::Set(Some((id.to_owned(), value.to_owned())))
                }
                None => Self::Values(pair),
                _ => Self::Wrong(usage(name)),
            },
            _ => Self::Slash(line.to_owned()),
        }
    }
}

/// The lines of a conversation that are on their way.
#[derive(Debug, Default)]
pub(crate) struct ChatInput {
    /// Lines for later: prompts for turns to come, and through a pipe all that follows one.
    waiting: VecDeque<Line>,
    /// Lines that were handed to the running turn, without an answer so far.
    steered: VecDeque<String>,
    /// A person types: what is typed while a turn runs is for that turn, and our commands are done at once.
    pub(super) steers: bool,
    /// What waits is not sent by itself.
    held: bool,
    /// A plan is wanted for the first prompt, wherever it comes from.
    plans: bool,
    ended: bool,
    /// What `/mode`, `/model` and `/set` list; whether the agent has reported it, and whether for the first time just
    /// now.
    options: Settable,
    has_options: bool,
    are_first: bool,
    /// The agent's slash commands, for `/help`, and their names.
    commands: String,
    command_names: Vec<String>,
    /// The names of the user's own settings.
    settings: Vec<&'static str>,
    /// The person has set this, a mode or an option, to that, and nobody has said yet that it is so.
    sets: Option<(String, String)>,
    /// What the last prompt changed, by path, for `/changes`.
    changes: Vec<(String, String)>,
    /// What the last command put out, for `/output`.
    output: String,
}

impl ChatInput {
    /// A conversation that begins with a prompt, where there is one; `plan`: its first prompt, also one that is typed
    /// later, is to have a plan made.
    pub(crate) fn new(prompt: &str, plan: bool, steers: bool) -> Self {
        let text = prompt.to_owned();
        let first = (!prompt.trim().is_empty()).then_some(Line::Prompt { text, plan });
        Self {
            waiting: first.into_iter().collect(),
            steers,
            plans: plan,
            ..Self::default()
        }
    }

    /// The names of the user's own settings, which are not the agent's.
    pub(crate) fn knowing_settings(mut self, names: Vec<&'static str>) -> Self {
        self.settings = names;
        self
    }

    /// What can be set.
    pub(super) fn options(&mut self, options: Settable) {
        self.are_first = !std::mem::replace(&mut self.has_options, true);
        self.options = options;
    }

    /// What the person has set is what can be set now: says so.
    pub(super) fn now_set(&mut self) -> Option<String> {
        let (name, wanted) = self.sets.take_if(|(name, wanted)| {
            // The first options are those that the agent begins with: what was typed ahead of them is set later.
            !self.are_first || self.options.is_set(name, wanted)
        })?;
        self.options.told(&name, &wanted)
    }

    /// What the person wanted to set could not be set.
    pub(super) fn not_set(&mut self) {
        self.sets = None;
    }

    /// The agent's slash commands: their names, and what people read of them.
    pub(super) fn commands(&mut self, names: Vec<String>, text: String) {
        self.command_names = names;
        self.commands = text;
    }

    /// What a slash command that is not ours is: the agent's where it has such a one, or may have; a slip where it is
    /// nearly a known one.
    pub(super) fn resolve(&self, line: Line) -> Line {
        let Line::Slash(text) = line else {
            return line;
        };
        let typed = text.split_whitespace().next().unwrap_or_default();
        let name = typed.trim_start_matches('/');
        if self.command_names.iter().any(|known| known == name) {
            return prompt(text);
        }
        if COMMANDS.contains(&name) {
            return Line::Wrong(usage(name));
        }
        let agents = self.command_names.iter().map(String::as_str);
        let mut known = COMMANDS.into_iter().chain(agents);
        match known.find(|known| strsim::osa_distance(known, name) == 1) {
            Some(meant) => Line::Unknown {
                typed: typed.to_owned(),
                meant: meant.to_owned(),
            },
            None => prompt(text),
        }
    }

    /// What the last prompt changed, by path, for people.
    pub(crate) fn changes(&mut self, files: Vec<(String, String)>) {
        self.changes = files;
    }

    /// What a command put out, for people.
    pub(crate) fn output(&mut self, text: String) {
        self.output = text;
    }

    /// The change of a file was reverted.
    pub(crate) fn reverted(&mut self, path: &str) {
        self.changes.retain(|(changed, _)| changed != path);
    }

    /// A line that comes after all that wait.
    pub(super) fn wait(&mut self, line: Line) {
        if !self.ended {
            self.held = false;
            self.waiting.push_back(line);
        }
    }

    /// Does what a line says that is not a prompt.
    pub(super) fn perform(&mut self, line: Line) -> Vec<Step> {
        let session = SESSION;
        match line {
            Line::Prompt { .. } => {
                self.wait(line);
                Vec::new()
            }
            Line::Empty => {
                self.held = false;
                Vec::new()
            }
            Line::Slash(_) => match self.resolve(line) {
                Line::Prompt { text, plan } => {
                    self.wait(Line::Prompt { text, plan });
                    Vec::new()
                }
                line => self.perform(line),
            },
            Line::Unknown { typed, meant } => {
                let typed = one_line(&typed, SHOWN);
                // a person sees the line above it, the reader of a pipe's messages does not
                let error = if self.steers { "" } else { "error: " };
                vec![Step::Say(format!(
                    "{error}there is no command {typed}; did you mean /{meant}? To send it to the agent, type /{typed}\n"
                ))]
            }
            Line::Mode(Some(mode)) => {
                self.sets = Some((MODE.to_owned(), mode.clone()));
                vec![Step::Send(Command::SetMode { session, mode })]
            }
            Line::Model(Some(model)) => {
                let option = self.options.model().to_owned();
                let value = model.strip_prefix(&format!("{option}=")).unwrap_or(&model);
                let value = value.to_owned();
                self.perform(Line::Set(Some((option, value))))
            }
            Line::Set(Some((option, value)))
                if !self.options.has(&option) && self.settings.contains(&option.as_str()) =>
            {
                let value = one_line(&value, SHOWN);
                vec![Step::Say(format!(
                    "`{option}` is your setting, not the agent's; `siderail config set {option} {value}` changes \
                     it, from the next start on\n"
                ))]
            }
            Line::Set(Some((option, value))) => {
                self.sets = Some((option.clone(), value.clone()));
                vec![Step::Send(Command::SetOption {
                    session,
                    option,
                    value,
                })]
            }
            Line::Mode(None) => vec![Step::Say(self.options.all_modes())],
            Line::Model(None) => vec![Step::Say(self.options.all_models())],
            Line::Set(None) => vec![Step::Say(self.options.all())],
            Line::Values(option) => vec![Step::Say(match self.options.line(&option) {
                Some(values) => values,
                None => format!(
                    "the agent has no option {}\n{}",
                    one_line(&option, SHOWN),
                    self.options.all()
                ),
            })],
            // Ours come last, where the eye is.
            Line::Help => vec![Step::Say(format!("{}{HELP}", self.commands))],
            Line::Changes => vec![Step::Say(match self.changes.is_empty() {
                true => "the last prompt changed no file\n".to_owned(),
                false => self.changes.iter().map(|(_, text)| text.as_str()).collect(),
            })],
            Line::Revert(path) => vec![Step::Send(Command::Revert { session, path })],
            Line::RevertAll if self.changes.is_empty() => {
                vec![Step::Say("there is no change to undo\n".to_owned())]
            }
            Line::RevertAll => {
                let revert = |(path, _): &(String, String)| {
                    let path = path.clone();
                    Step::Send(Command::Revert { session, path })
                };
                self.changes.iter().map(revert).collect()
            }
            Line::Output => vec![Step::Say(match self.output.is_empty() {
                true => "no command has printed anything yet\n".to_owned(),
                false => self.output.clone(),
            })],
            Line::Clear => vec![Step::ClearScreen],
            // In a pipe a line has its turn after all that came before it: what waits then is behind it.
            Line::Waiting if !self.steers && !self.held => {
                vec![Step::Say("nothing is queued\n".to_owned())]
            }
            Line::Drop if !self.steers && !self.held => {
                vec![Step::Say("0 discarded\n".to_owned())]
            }
            Line::Waiting => vec![Step::Say(self.list())],
            Line::Drop => {
                let n = self.waiting.len();
                self.waiting.clear();
                self.held = false;
                vec![Step::Say(format!("{n} discarded\n"))]
            }
            Line::Wrong(usage) => vec![Step::Say(format!("{usage}\n"))],
            Line::Quit => {
                self.waiting.clear();
                self.input_ended();
                Vec::new()
            }
        }
    }

    /// A line goes to the running turn.
    pub(super) fn steer(&mut self, text: String) {
        self.steered.push_back(text);
    }

    /// The outcome of such a line: one that was not taken waits, ahead of those that came after it.
    pub(super) fn steered(&mut self, text: &str, taken: bool) {
        let Some(at) = self.steered.iter().position(|line| line == text) else {
            return;
        };
        let line = self.steered.remove(at).unwrap_or_default();
        if !taken {
            self.waiting.push_back(prompt(line));
        }
    }

    /// A cancel holds back what waits; says so.
    pub(super) fn hold(&mut self) -> Option<String> {
        if self.waiting.is_empty() || self.ended {
            return None;
        }
        self.held = true;
        Some(format!(
            "{}Enter sends the queued lines, /drop discards them\n",
            self.list()
        ))
    }

    /// True where the next line asks what can be set, which is known only a moment after the session is open.
    pub(super) fn asks_for_options(&self) -> bool {
        matches!(
            self.waiting.front(),
            Some(
                Line::Mode(_)
                    | Line::Model(_)
                    | Line::Set(_)
                    | Line::Values(_)
                    | Line::Slash(_)
                    | Line::Help
            )
        )
    }

    /// True where what waits was held back, so that a command about it is done ahead of it.
    pub(super) fn is_held(&self) -> bool {
        self.held
    }

    /// The next line to send.
    pub(super) fn next(&mut self) -> Option<Line> {
        if self.held {
            return None;
        }
        let mut line = self.waiting.pop_front().map(|line| self.resolve(line));
        if let Some(Line::Prompt { plan, .. }) = &mut line {
            *plan |= std::mem::take(&mut self.plans);
        }
        line
    }

    /// Nothing more will be typed.
    pub(super) fn input_ended(&mut self) {
        self.ended = true;
        self.held = false;
    }

    /// True when nothing waits and nothing will come.
    pub(super) fn is_done(&self) -> bool {
        self.ended && self.waiting.is_empty() && self.steered.is_empty()
    }

    /// Words on the lines that will not be sent any more.
    pub(super) fn unsent(&mut self) -> Option<String> {
        let steered = std::mem::take(&mut self.steered);
        self.waiting.extend(steered.into_iter().map(prompt));
        (!self.waiting.is_empty()).then(|| format!("not sent:\n{}", self.list()))
    }

    fn list(&self) -> String {
        if self.waiting.is_empty() {
            return "nothing is queued\n".to_owned();
        }
        let line = |line: &Line| match line {
            Line::Prompt { text, plan } => {
                let plan = if *plan { "/plan " } else { "" };
                format!("  {plan}{}\n", one_line(text, SHOWN))
            }
            Line::Slash(text) => format!("  {}\n", one_line(text, SHOWN)),
            _ => String::new(),
        };
        self.waiting.iter().map(line).collect()
    }
}

fn prompt(text: String) -> Line {
    Line::Prompt { text, plan: false }
}

#[cfg(test)]
mod tests {
    use siderail_engine::event::OptionChoice;

    use super::*;

    fn prompt(text: &str) -> Line {
        super::prompt(text.to_owned())
    }

    #[test]
    fn a_file_may_stand_in_the_quotes_that_completion_writes() {
        for (typed, file) in [
            ("/revert a b.rs", "a b.rs"),
            ("/revert \"a b.rs\"", "a b.rs"),
            ("/revert \"", "\""),
        ] {
            assert_eq!(Line::read(typed), Line::Revert(file.to_owned()), "{typed}");
        }
    }

    #[test]
    fn what_an_agent_begins_with_is_no_answer_to_what_was_typed_ahead_of_it() {
        let in_mode = |mode: &str| {
            let choice = |value: &str| OptionChoice {
                value: value.to_owned(),
                name: value.to_owned(),
                description: String::new(),
                group: None,
            };
            Settable::new(Some(mode), &["agent", "plan"].map(choice), &[])
        };
        let mut chat_input = ChatInput::new("", false, true);
        chat_input.sets = Some(("mode".to_owned(), "plan".to_owned()));
        chat_input.options(in_mode("agent"));
        assert_eq!(chat_input.now_set(), None);
        chat_input.options(in_mode("plan"));
        assert_eq!(chat_input.now_set().as_deref(), Some("mode is now plan\n"));
        chat_input.sets = Some(("mode".to_owned(), "agent".to_owned()));
        chat_input.options(in_mode("plan"));
        assert_eq!(chat_input.now_set().as_deref(), Some("mode is plan\n"));
        chat_input.sets = Some(("mode".to_owned(), "plan".to_owned()));
        chat_input.options(in_mode("https://a.example/modes#plan"));
        assert_eq!(chat_input.now_set().as_deref(), Some("mode is now plan\n"));
    }

    #[test]
    fn our_commands_are_few_and_all_others_are_the_agents() {
        assert_eq!(Line::read(" /quit "), Line::Quit);
        assert_eq!(
            Line::read("/plan a b"),
            Line::Prompt {
                text: "a b".to_owned(),
                plan: true
            }
        );
        assert_eq!(
            Line::read("/set model=a=b"),
            Line::Set(Some(("model".into(), "a=b".into())))
        );
        for line in ["/set fast on", "/set fast=on", "/set fast = on"] {
            let pair = ("fast".to_owned(), "on".to_owned());
            assert_eq!(Line::read(line), Line::Set(Some(pair)), "{line}");
        }
        assert_eq!(Line::read("/set model"), Line::Values("model".into()));
        assert_eq!(Line::read("//help me"), prompt("/help me"));
        assert_eq!(Line::read("  "), Line::Empty);
        let mut chat_input = ChatInput::new("", false, true);
        let names = vec!["review".to_owned(), "undo".to_owned()];
        chat_input.commands(names, String::new());
        let read = |line| chat_input.resolve(Line::read(line));
        assert_eq!(read("/review src"), prompt("/review src"));
        assert_eq!(
            read("/undo x"),
            prompt("/undo x"),
            "the agent's takes words"
        );
        assert_eq!(read("/clear x"), Line::Wrong(usage("clear")));
    }

    #[test]
    fn a_slip_is_told_and_not_sent_and_other_commands_pass() {
        let mut chat_input = ChatInput::new("", false, true);
        chat_input.commands(vec!["compact".to_owned()], String::new());
        let read = |line| chat_input.resolve(Line::read(line));
        for (line, meant) in [
            ("/clearr", "clear"),
            ("/cler x", "clear"),
            ("/hlep", "help"),
            ("/unda", "undo"),
            ("/compat", "compact"),
        ] {
            let typed = line.split(' ').next().unwrap().to_owned();
            let meant = meant.to_owned();
            assert_eq!(read(line), Line::Unknown { typed, meant }, "{line}");
        }
        for line in ["/init", "/tmp/x is full", "/cleaner"] {
            assert_eq!(read(line), prompt(line));
        }
        assert_eq!(read("//clearr"), prompt("/clearr"));
    }

    #[test]
    fn a_line_that_the_running_turn_did_not_take_waits_and_one_without_an_answer_is_told() {
        let mut chat_input = ChatInput::new("", false, true);
        chat_input.steer("one".to_owned());
        chat_input.steer("two".to_owned());
        chat_input.steered("one", false);
        assert_eq!(chat_input.next(), Some(prompt("one")));
        chat_input.input_ended();
        assert!(!chat_input.is_done(), "the second one has no answer yet");
        assert!(chat_input.unsent().unwrap().contains("two"));
    }

    #[test]
    fn in_a_pipe_a_command_about_what_waits_spares_what_comes_after_it() {
        let mut chat_input = ChatInput::new("", false, false);
        chat_input.wait(Line::Drop);
        chat_input.wait(prompt("later"));
        let drop = chat_input.next().expect("the command has its turn");
        chat_input.perform(drop);
        assert_eq!(chat_input.next(), Some(prompt("later")));
    }

    #[test]
    fn the_first_prompt_of_a_conversation_that_begins_with_a_plan_is_planned_and_no_other() {
        let mut chat_input = ChatInput::new("", true, true);
        chat_input.wait(Line::Help);
        chat_input.wait(prompt("first"));
        chat_input.wait(prompt("second"));
        let plans: Vec<_> = std::iter::from_fn(|| chat_input.next())
            .filter_map(|line| match line {
                Line::Prompt { plan, .. } => Some(plan),
                _ => None,
            })
            .collect();
        assert_eq!(plans, [true, false]);
    }

    #[test]
    fn a_cancel_holds_back_what_waits_until_enter() {
        let mut chat_input = ChatInput::new("first", false, false);
        assert!(chat_input.hold().unwrap().contains("first"));
        assert_eq!(chat_input.next(), None);
        chat_input.perform(Line::Empty);
        assert_eq!(chat_input.next(), Some(prompt("first")));
    }
}
