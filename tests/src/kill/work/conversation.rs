//! A conversation that is being kept, or replayed: 10,000 updates, long texts, an earlier session that is loaded.
//!
//! What a reader of the client's output has seen is in the history, but for a message that was still on its way. Then
//! the file is torn or damaged as a machine's end would: all other lines are read, and that some are missing is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::chance::Chance;
use crate::client;
use crate::kill::client as started;
use crate::kill::scene::Victim;
use crate::kill::task::{Left, Start, Work};
use crate::place::{Place, paths_below};

/// Updates of a turn, or of a session that is loaded.
const UPDATES: usize = 10_000;
/// Bytes of a long text.
const LONG: usize = 60_000;
/// Bytes of a message that may wait for its end, and of texts that wait for the thread that writes. It writes a text in half
/// a millisecond but needs a core like everybody, and a client that prints does not wait for it: while a compiler kept
/// both cores busy, nine texts once waited. All that a turn says is six times as much.
const ON_ITS_WAY: usize = (16 << 10) + 16 * LONG;
/// Lines of a history from which one can be torn off.
const LEAST_LINES: usize = 3;
/// What a chat that only listens may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A turn with so much to keep.
pub(super) struct Keeping {
    steps: String,
    /// Bytes of the history at which is killed.
    at: u64,
    harm: Harm,
    /// What has to be there still, once somebody was killed.
    kept: Option<Kept>,
}

/// What is kept of a conversation.
struct Kept {
    /// The beginning of its file.
    text: String,
    /// Something of it cannot be read.
    is_harmed: bool,
}

/// What the end of a machine does to a file.
#[derive(Clone, Copy, Debug)]
enum Harm {
    None,
    /// So many bytes of its end are missing, of the last line at most.
    Torn(usize),
    /// The last line is zeros.
    Zeros,
}

impl Keeping {
    /// Ten thousand updates.
    pub(super) fn flood(chance: &mut Chance) -> Self {
        Self::with(format!("{{ flood = {UPDATES} }},"), 60_000, chance)
    }

    /// Long texts and calls between them, so that each is a line.
    pub(super) fn long_texts(chance: &mut Chance) -> Self {
        let steps = (0..100).map(|number| {
            let text = format!("{number:04} long ").repeat(LONG / 10);
            format!(
                "{{ say = '{text}' }}, {{ call = 'intellij_read_file', arguments = {{ path = 'src/App.java' }} }},\n"
            )
        });
        Self::with(steps.collect(), 5_000_000, chance)
    }

    fn with(steps: String, most: u64, chance: &mut Chance) -> Self {
        let harm = match chance.below(4) {
            0 => Harm::None,
            1 => Harm::Zeros,
            _ => Harm::Torn(usize::try_from(1 + chance.below(60)).unwrap_or(1)),
        };
        Self {
            steps,
            at: 300 + chance.below(most),
            harm,
            kept: None,
        }
    }
}

impl Work for Keeping {
    fn prepare(&mut self, place: &Place, _program: &Path, _shape: &str) -> Result<(), String> {
        let script = format!("[[prompt]]\nstep = [{}]\n", self.steps);
        place.write("script.toml", &script);
        place.write("next.toml", NEXT_SCRIPT);
        Ok(())
    }

    fn busy(&self) -> Start {
        chat(&[], "go\n", "script.toml")
    }

    fn next(&self) -> Start {
        match self.kept {
            Some(_) => chat(&["--resume", "1"], "again\n", "next.toml"),
            None => chat(&[], "again\n", "next.toml"),
        }
    }

    fn has_come(&self, place: &Place) -> bool {
        let size = |path: &PathBuf| path.metadata().map_or(0, |found| found.len());
        history(place).iter().map(size).sum::<u64>() >= self.at
    }

    fn killed(&mut self, left: &Left<'_>) -> Result<Option<&'static str>, String> {
        let events = lines(&left.place.read("killed.jsonl"));
        let Some(file) = history(left.place).pop() else {
            // A client that is killed at once may not have had its file yet.
            let has_begun = events.iter().any(|event| event["event"] == "TURN_STARTED");
            if has_begun && !is_cut_short(left) {
                return Err("nothing is kept of a turn that had begun".to_owned());
            }
            compare(&said(&events), "", left)?;
            return Ok(None);
        };
        let kept = lines(&text_of(&file)?);
        compare(&said(&events), &said(&kept), left)?;
        if kept.len() < LEAST_LINES {
            // nothing but its head: without that there is no conversation to continue
            return Ok(None);
        }
        let kept = harm(&file, self.harm)?;
        let is_harmed = kept.is_harmed;
        self.kept = Some(kept);
        Ok(is_harmed.then_some("histories harmed"))
    }

    fn mended(&self, left: &Left<'_>) -> Result<(), String> {
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let file = history(left.place).pop().ok_or("the history is gone")?;
        let now = text_of(&file)?;
        if !now.starts_with(&kept.text) || !now.ends_with('\n') {
            return Err("the next run has changed what was kept".to_owned());
        }
        let shown = said(&lines(&history_shown(left)?));
        let before = said(&lines(&kept.text));
        if !shown.starts_with(&before) || !shown.ends_with("Again.") {
            let (shown, before) = (shown.len(), before.len());
            return Err(format!(
                "{shown} bytes of messages are shown, {before} were kept"
            ));
        }
        let told = left.place.read("next.jsonl");
        match (kept.is_harmed, told.contains("cannot be read")) {
            (false, true) => Err("damage is told where there is none".to_owned()),
            (true, false) => Err(format!("{:?} is not told", self.harm)),
            _ => Ok(()),
        }
    }
}

/// An earlier session that the agent tells again.
#[derive(Default)]
pub(super) struct Loading {
    /// The conversation's file before the load.
    before: String,
}

impl Work for Loading {
    fn shapes(&self) -> &'static [&'static str] {
        // The others are asked to resume, and tell nothing.
        &["copilot", "gemini", "openhands", "vibe"]
    }

    fn prepare(&mut self, place: &Place, program: &Path, shape: &str) -> Result<(), String> {
        place.write("next.toml", NEXT_SCRIPT);
        place.write("script.toml", &format!("told = {UPDATES}\n{NEXT_SCRIPT}"));
        let first = chat(&[], "first\n", "next.toml");
        let mut child = started::start(place, program, shape, &first, "first.jsonl")?;
        if client::wait(&mut child, PATIENCE) != Some(0) {
            return Err(format!("no first run: {}", place.read("first.jsonl")));
        }
        self.before = text_of(&history(place).pop().ok_or("nothing is kept")?)?;
        Ok(())
    }

    fn busy(&self) -> Start {
        chat(&["--resume", "1"], "again\n", "script.toml")
    }

    fn next(&self) -> Start {
        self.busy()
    }

    fn has_come(&self, place: &Place) -> bool {
        place.read("killed.jsonl").len() > 100_000
    }

    fn killed(&mut self, left: &Left<'_>) -> Result<Option<&'static str>, String> {
        self.is_as_before(left)?;
        let n_told = restored(left, "killed.jsonl");
        Ok((n_told > 0 && n_told < UPDATES / 2).then_some("loads broken off"))
    }

    fn mended(&self, left: &Left<'_>) -> Result<(), String> {
        self.is_as_before(left)?;
        let n_told = restored(left, "next.jsonl");
        if n_told < UPDATES / 2 {
            return Err(format!("the next load tells {n_told} entries"));
        }
        match said(&lines(&history_shown(left)?)).ends_with("Again.") {
            true => Ok(()),
            false => Err("the next prompt is not kept".to_owned()),
        }
    }
}

impl Loading {
    fn is_as_before(&self, left: &Left<'_>) -> Result<(), String> {
        let file = history(left.place).pop().ok_or("the history is gone")?;
        match text_of(&file)?.starts_with(&self.before) {
            true => Ok(()),
            false => Err("a load has changed what was kept".to_owned()),
        }
    }
}

fn chat(words: &[&str], input: &'static str, script: &'static str) -> Start {
    Start {
        command: "chat",
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        input,
        script,
    }
}

/// Files of conversations.
fn history(place: &Place) -> Vec<PathBuf> {
    let mut paths = paths_below(&place.path("state/siderail/history"));
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths
}

fn text_of(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| error.to_string())
}

/// Whole lines of JSON.
fn lines(text: &str) -> Vec<Value> {
    let whole = text.rfind('\n').map_or("", |at| &text[..at]);
    let value = |line| serde_json::from_str(line).ok();
    whole.lines().filter_map(value).collect()
}

/// What the agent has said, in one text.
fn said(lines: &[Value]) -> String {
    let messages = lines.iter().filter(|line| line["event"] == "AGENT_MESSAGE");
    messages.filter_map(|line| line["text"].as_str()).collect()
}

/// Entries of earlier that a client has shown.
fn restored(left: &Left<'_>, output: &str) -> usize {
    let told = lines(&left.place.read(output));
    told.iter().filter(|e| e["event"] == "RESTORED").count()
}

/// Whether the client itself was killed, with what was on its way to the disk.
fn is_cut_short(left: &Left<'_>) -> bool {
    left.victim == Victim::Client && left.hit
}

/// What was reported is kept, in order and without a gap, but for the end where the client itself was killed.
fn compare(told: &str, kept: &str, left: &Left<'_>) -> Result<(), String> {
    let (n_told, n_kept) = (told.len(), kept.len());
    if !told.starts_with(kept) && !kept.starts_with(told) {
        return Err(format!(
            "{n_kept} bytes are kept that are not what was told, {n_told}"
        ));
    }
    let most = if is_cut_short(left) { ON_ITS_WAY } else { 0 };
    match n_told.saturating_sub(n_kept) {
        missing if missing <= most => Ok(()),
        missing => Err(format!("{missing} bytes of {n_told} are lost")),
    }
}

/// Harms the last line of a conversation, and says what has to be read still. A head alone is left as it is.
fn harm(file: &Path, harm: Harm) -> Result<Kept, String> {
    let mut text = text_of(file)?;
    let n_all = text.len();
    text.truncate(text.rfind('\n').map_or(0, |at| at + 1));
    // The kill itself may have torn it.
    let is_torn = text.len() < n_all;
    let whole = text.trim_end_matches('\n');
    let begins = whole.rfind('\n').map_or(0, |at| at + 1);
    let length = whole.len() - begins;
    let harmed = match harm {
        _ if is_torn || begins == 0 || length == 0 => {
            return Ok(Kept {
                text,
                is_harmed: is_torn,
            });
        }
        Harm::None => {
            return Ok(Kept {
                text,
                is_harmed: false,
            });
        }
        Harm::Torn(bytes) => {
            let stays = length.saturating_sub(bytes).max(1);
            let torn = text[..begins + stays].to_owned();
            text.truncate(begins);
            torn
        }
        Harm::Zeros => {
            text.replace_range(begins..begins + length, &"\0".repeat(length));
            text.clone()
        }
    };
    fs::write(file, harmed).map_err(|error| error.to_string())?;
    Ok(Kept {
        text,
        is_harmed: true,
    })
}

/// `siderail history show` of the only conversation.
fn history_shown(left: &Left<'_>) -> Result<String, String> {
    let words = ["history", "show", "1", "--json"];
    let mut command = client::siderail(left.program, left.place, &words);
    let output = command.stderr(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("the history cannot be shown: {output:?}")),
    }
}

const NEXT_SCRIPT: &str = "[[prompt]]\nstep = [{ say = 'Again.' }]\n";
