//! The scripted agent's command line.
//!
//! Its own options come in any place among those that a profile appends for the real agent; every
//! word that is not its own is kept, because the shapes look there for hide lists, hook folders and
//! ports as the real agents do.

use std::ffi::OsString;
use std::path::PathBuf;

/// Usage text of the scripted agent.
pub const USAGE: &str = "\
usage: siderail-scripted-agent [--script FILE.toml | --script-text TOML | --replay FILE.acp.jsonl]
       [--shape NAME] [--model-log FILE] [--faults SPEC] [--seed N] [--numbered-updates]
       [--logged-in FILE]
       [anything else: read as the real agent of that shape reads it]
   or: siderail-scripted-agent --mcp-stub    a tiny MCP server that says what it was called with

shapes: copilot claude codex codex-zed gemini qwen opencode vibe openhands fast-agent
The script format is described at the head of rust/testkit/src/script.rs, faults in faults.rs.
";

/// The parsed command line.
#[derive(Clone, Debug, Default)]
pub struct Args {
    /// `--script`: the script's file.
    pub script: Option<PathBuf>,
    /// `--script-text`: the script itself.
    pub script_text: Option<String>,
    /// `--replay`: a recording whose agent side is played.
    pub replay: Option<PathBuf>,
    /// `--shape`: which agent to behave like; wins over the script's.
    pub shape: Option<String>,
    /// `--model-log`: where to note what the model was shown.
    pub model_log: Option<PathBuf>,
    /// `--faults`: faults, added to the script's.
    pub faults: Option<String>,
    /// `--seed`: makes ids and faults repeatable.
    pub seed: Option<u64>,
    /// `--numbered-updates`: every update carries a number that rises by one per session.
    pub numbered_updates: bool,
    /// `--logged-in`: a login is wanted as long as this file is missing; one that the agent carries out makes it.
    pub logged_in: Option<PathBuf>,
    /// `--help`.
    pub help: bool,
    /// All other words, in order.
    pub agent: Vec<String>,
}

impl Args {
    /// Parses the words after the program's name.
    ///
    /// # Errors
    /// A value is missing or is not a number, as a text for people.
    pub fn parse(words: Vec<OsString>) -> Result<Self, String> {
        let mut args = Self::default();
        let mut words = words
            .into_iter()
            .map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (word.clone(), None),
            };
            let mut value = || {
                inline
                    .clone()
                    .or_else(|| words.next())
                    .ok_or_else(|| format!("{name} needs a value"))
            };
            match name.as_str() {
                "--script" => args.script = Some(value()?.into()),
                "--script-text" => args.script_text = Some(value()?),
                "--replay" => args.replay = Some(value()?.into()),
                "--shape" => args.shape = Some(value()?),
                "--model-log" => args.model_log = Some(value()?.into()),
                "--faults" => args.faults = Some(value()?),
                "--seed" => {
                    let text = value()?;
                    let seed = text
                        .parse()
                        .map_err(|_| format!("--seed is not a number: {text}"))?;
                    args.seed = Some(seed);
                }
                "--logged-in" => args.logged_in = Some(value()?.into()),
                "--numbered-updates" => args.numbered_updates = true,
                "--help" => args.help = true,
                _ => args.agent.push(word),
            }
        }
        Ok(args)
    }

    /// All values of an agent option in either form, `--name=value` or `--name value …`.
    ///
    /// The second form takes every following word up to the next option, because Copilot's lists
    /// are variadic; commas separate too.
    #[must_use]
    pub fn agent_list(&self, name: &str) -> Option<Vec<String>> {
        let mut found = None;
        let mut words = self.agent.iter().peekable();
        while let Some(word) = words.next() {
            let values: Vec<String> = match word.strip_prefix(name) {
                Some("") => {
                    let mut values = Vec::new();
                    while let Some(value) = words.next_if(|word| !word.starts_with("--")) {
                        values.push(value.clone());
                    }
                    values
                }
                Some(rest) if rest.starts_with('=') => vec![rest[1..].to_owned()],
                _ => continue,
            };
            let list: &mut Vec<String> = found.get_or_insert_default();
            list.extend(
                values
                    .iter()
                    .flat_map(|value| value.split(','))
                    .map(str::to_owned),
            );
        }
        found
    }

    /// The values of a repeatable option that takes exactly one value, whole.
    #[must_use]
    pub fn agent_values(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut words = self.agent.iter();
        while let Some(word) = words.next() {
            match word.strip_prefix(name) {
                Some("") => found.extend(words.next().cloned()),
                Some(rest) if rest.starts_with('=') => found.push(rest[1..].to_owned()),
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn parsed(words: &[&str]) -> Args {
        Args::parse(words.iter().map(Into::into).collect()).expect("these words are valid")
    }

    #[test]
    fn own_options_may_stand_between_those_of_the_real_agent() {
        let args = parsed(&[
            "--acp",
            "--shape=copilot",
            "--excluded-tools=a,b",
            "--seed",
            "4",
            "x",
        ]);
        assert_eq!(args.shape.as_deref(), Some("copilot"));
        assert_eq!(args.seed, Some(4));
        assert_eq!(args.agent, ["--acp", "--excluded-tools=a,b", "x"]);
    }

    #[test]
    fn a_variadic_list_takes_words_up_to_the_next_option() {
        let args = parsed(&[
            "--excluded-tools",
            "a",
            "b,c",
            "--x",
            "d",
            "--excluded-tools=e",
        ]);
        assert_eq!(
            args.agent_list("--excluded-tools").unwrap(),
            ["a", "b", "c", "e"]
        );
        assert_eq!(args.agent_list("--available-tools"), None);
    }

    #[test]
    fn a_missing_value_is_reported() {
        assert!(Args::parse(vec!["--seed".into()]).is_err());
        assert!(Args::parse(vec!["--seed=x".into()]).is_err());
    }
}
