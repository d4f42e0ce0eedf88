//! Completes the word before the cursor of a typed line: commands, values of settings, files of the project.
//!
//! It reads the names in the project's folder, without what the ignore files leave out, and nothing else.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use siderail_engine::event::{AgentCommands, EventBody, OptionChoice, SessionOptions, short_names};
use siderail_workspace::mentions::{begins_word, in_quotes, mention, quoted_mention};

use super::agent_settings::{MODE, Settable};
use super::chat_input::COMMANDS;

/// Choices that are offered.
const MOST: usize = 20;
/// A larger project is not looked through to its end.
const FILES: usize = 100_000;
const TIME: Duration = Duration::from_millis(600);

/// What is known for completion.
#[derive(Debug, Default)]
pub(super) struct Offers {
    project: PathBuf,
    /// Of the agent, with the slash.
    commands: Vec<String>,
    modes: Vec<String>,
    models: Vec<String>,
    /// An option and its values.
    options: Vec<(String, Vec<String>)>,
}

fn plain_values(choices: &[OptionChoice]) -> Vec<String> {
    let mut names = names_of(choices);
    names.retain(|name| is_plain(name));
    names
}

/// What can be typed for each of them.
fn names_of(choices: &[OptionChoice]) -> Vec<String> {
    let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
    short_names(&values)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

impl Offers {
    pub(super) fn of(project: &Path) -> Self {
        Self {
            project: project.to_owned(),
            ..Self::default()
        }
    }

    /// The project's folder.
    pub(super) fn project(&self) -> &Path {
        &self.project
    }

    /// Remembers what an event offers.
    pub(super) fn event(&mut self, body: &EventBody) {
        match body {
            EventBody::AgentCommands(AgentCommands { commands }) => {
                let named = commands.iter().map(|command| format!("/{}", command.name));
                self.commands = named.filter(|name| is_plain(name)).collect();
            }
            EventBody::SessionOptions(SessionOptions { modes, options, .. }) => {
                let settable = Settable::new(None, modes, options);
                let choices = |name: &str| {
                    let named = options.iter().filter(|option| option.id == name);
                    let choices = named.flat_map(|option| &option.choices);
                    plain_values(&choices.cloned().collect::<Vec<_>>())
                };
                self.models = choices(settable.model());
                // Some agents have their modes among the options alone.
                self.modes = match modes.is_empty() {
                    true => choices(MODE),
                    false => plain_values(modes),
                };
                let option = |option: &siderail_engine::event::SessionOption| {
                    (option.id.clone(), names_of(&option.choices))
                };
                self.options = options.iter().map(option).collect();
            }
            _ => {}
        }
    }

    /// Where the word before the cursor begins, and its completions, the best first.
    pub(super) fn complete(&self, before: &str) -> (usize, Vec<String>) {
        if let Some((start, wanted)) = quoted(before) {
            return (start, self.files(wanted, true));
        }
        let start = before.rfind(char::is_whitespace).map_or(0, |at| {
            at + before[at..].chars().next().map_or(1, char::len_utf8)
        });
        let word = &before[start..];
        let choices = match before.split_once(char::is_whitespace) {
            None if word.starts_with('/') => self.all_commands(word),
            Some(("/mode", _)) => beginning(word, self.modes.iter().cloned()),
            Some(("/model", _)) => beginning(word, self.models.iter().cloned()),
            Some(("/set", _)) => self.settings(word),
            _ => match word.strip_prefix('@') {
                Some(wanted) => self.files(wanted, false),
                None => Vec::new(),
            },
        };
        (start, choices)
    }

    fn all_commands(&self, word: &str) -> Vec<String> {
        let ours = COMMANDS.iter().map(|name| format!("/{name}"));
        beginning(word, ours.chain(self.commands.iter().cloned()))
    }

    fn settings(&self, word: &str) -> Vec<String> {
        let all = self.options.iter().flat_map(|(id, values)| {
            let none = values.is_empty().then(|| format!("{id}="));
            let pairs = values.iter().map(move |value| format!("{id}={value}"));
            none.into_iter().chain(pairs)
        });
        // `/set mode=X` is what `/mode X` is; a value of both is offered once.
        let modes = self.modes.iter().map(|mode| format!("{MODE}={mode}"));
        beginning(word, all.chain(modes))
    }

    /// Files that fit, as they are written in a prompt: in quotes where those were begun, or where the name needs them.
    fn files(&self, wanted: &str, is_quoted: bool) -> Vec<String> {
        let end = Instant::now() + TIME;
        let walk = ignore::WalkBuilder::new(&self.project)
            .require_git(false)
            .build();
        let mut found = Vec::new();
        for entry in walk.flatten().skip(1).take(FILES) {
            let Ok(path) = entry.path().strip_prefix(&self.project) else {
                continue;
            };
            let Some(path) = path.to_str().filter(|path| is_shown(path)) else {
                continue;
            };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            // One way to write a path on all systems: the agent reads it as one of its own.
            let path = path.replace(std::path::MAIN_SEPARATOR, "/");
            let path = format!("{path}{}", if is_folder { "/" } else { "" });
            let mention = match is_quoted {
                true => quoted_mention(&path),
                false => mention(&path),
            };
            let written = mention.strip_prefix('@').unwrap_or(&mention);
            let written = written
                .strip_prefix('"')
                .map_or(written, |quoted| in_quotes(quoted).0);
            if let Some(rank) = rank(written, wanted).filter(|_| written != wanted) {
                found.push((rank, path, mention));
            }
            if Instant::now() > end {
                break;
            }
        }
        found.sort();
        let named = found.into_iter().map(|(_, _, mention)| mention);
        named.take(MOST).collect()
    }
}

/// A name in quotes that is still being typed, from its `@` on: the quotes are open, or hold a folder so far.
fn quoted(before: &str) -> Option<(usize, &str)> {
    let mut from = before.rfind('\n').map_or(0, |at| at + 1);
    while let Some(found) = before[from..].find("@\"") {
        let (start, name) = (from + found, from + found + 2);
        let is_word = before[..start].chars().next_back().is_none_or(begins_word);
        if !is_word {
            from = name;
            continue;
        }
        let (wanted, is_closed) = in_quotes(&before[name..]);
        if !is_closed {
            return Some((start, wanted));
        }
        let after = name + wanted.len() + 1;
        if wanted.ends_with('/') && after == before.len() {
            return Some((start, wanted));
        }
        from = after;
    }
    None
}

/// Names that a terminal shows as they are and that are one word.
fn is_plain(name: &str) -> bool {
    !name.contains(char::is_whitespace) && is_shown(name)
}

/// The same of what may have blanks.
fn is_shown(name: &str) -> bool {
    !name.contains(char::is_control) && crate::style::harmless(name) == name
}

fn beginning(word: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let mut fitting: Vec<String> = names
        .filter(|name| name.starts_with(word) && name != word)
        .collect();
    fitting.sort();
    fitting.dedup();
    fitting.truncate(MOST);
    fitting
}

/// How well a path fits, the smaller the better; none when its letters do not come in this order.
fn rank(path: &str, wanted: &str) -> Option<(u8, usize)> {
    let (path, wanted) = (path.to_lowercase(), wanted.to_lowercase());
    let name = path.trim_end_matches('/');
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    let class = if name.starts_with(&wanted) || path.starts_with(&wanted) {
        0
    } else if name.contains(&wanted) {
        1
    } else if path.contains(&wanted) {
        2
    } else {
        let mut letters = path.chars();
        wanted
            .chars()
            .all(|c| letters.any(|letter| letter == c))
            .then_some(3)?
    };
    Some((class, path.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_letters_in_order_and_ignored_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src/deep")).unwrap();
        for (file, text) in [
            (".gitignore", "*.log\n"),
            ("src/main.rs", ""),
            ("src/deep/domain.rs", ""),
            ("main.log", ""),
        ] {
            std::fs::write(folder.path().join(file), text).unwrap();
        }
        let offers = Offers::of(folder.path());
        let of = |before: &str| offers.complete(before);
        assert_eq!(
            of("see @main"),
            (
                4,
                vec!["@src/main.rs".to_owned(), "@src/deep/domain.rs".to_owned()]
            )
        );
        assert_eq!(of("@sdd").1, ["@src/deep/domain.rs"]);
        std::fs::create_dir(folder.path().join("@types")).unwrap();
        let offers = Offers::of(folder.path());
        assert_eq!(offers.complete("@@ty").1, ["@@types/"]);
        assert_eq!(of("日本 @src/m").0, "日本 ".len());
        assert!(of("main").1.is_empty());
    }

    #[test]
    fn names_with_blanks_are_written_and_completed_in_quotes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("my folder")).unwrap();
        for file in ["my folder/a b.rs", "a c.rs", "plain.rs", "Oh!"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        // Windows has no such name.
        #[cfg(unix)]
        std::fs::write(folder.path().join("odd \"one\".rs"), "").unwrap();
        let offers = Offers::of(folder.path());
        let of = |before: &str| {
            let (start, choices) = offers.complete(before);
            (start, choices.join(" "))
        };
        assert_eq!(
            of("see @a").1,
            "@\"a c.rs\" @\"my folder/a b.rs\" @plain.rs"
        );
        assert_eq!(of("see @\"a b"), (4, "@\"my folder/a b.rs\"".to_owned()));
        assert_eq!(of("(@\"pl"), (1, "@\"plain.rs\"".to_owned()));
        assert_eq!(of("@my").1, "@\"my folder/\" @\"my folder/a b.rs\"");
        let inside = (0, "@\"my folder/a b.rs\"".to_owned());
        assert_eq!(of("@\"my folder/\""), inside, "a folder can be gone into");
        assert_eq!(of("@\"my folder/"), inside);
        assert_eq!(of("@\"a c.rs\"").1, "", "the quotes are closed");
        assert_eq!(of("@\"a c.rs\" and @pl").1, "@plain.rs");
        assert_eq!(of("me@\"a").1, "");
        assert_eq!(of("@\"a\n@pl").1, "@plain.rs");
        let odd = if cfg!(unix) {
            r#"@"odd \"one\".rs""#
        } else {
            ""
        };
        assert_eq!(of("@odd").1, odd);
        assert_eq!(of(r#"@"odd \"o"#).1, odd);
        assert_eq!(of(r#"@"odd \"one\".rs" x"#).1, "");
        assert_eq!(of("@Oh").1, "@\"Oh!\"");
    }

    #[test]
    fn commands_modes_and_options_are_completed() {
        let mut offers = Offers::default();
        let events = [
            serde_json::json!({ "event": "AGENT_COMMANDS", "commands": [
                { "name": "review" }, { "name": "bad\u{1b}[2J" }] }),
            serde_json::json!({ "event": "SESSION_OPTIONS", "mode": null,
                "modes": [{ "value": "plan", "name": "Plan" }],
                "options": [{ "id": "model", "name": "Model", "kind": "select", "current": "a",
                    "choices": [{ "value": "opus", "name": "O" }, { "value": "sonnet", "name": "S" }] }] }),
        ];
        for event in events {
            offers.event(&serde_json::from_value(event).unwrap());
        }
        assert_eq!(offers.complete("/rev").1, ["/revert", "/review"]);
        assert_eq!(offers.complete("/mode ").1, ["plan"]);
        assert_eq!(offers.complete("/set model=o").1, ["model=opus"]);
        assert_eq!(offers.complete("/model o").1, ["opus"]);
        assert!(offers.complete("/b").1.is_empty());
    }
}
