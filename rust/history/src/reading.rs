//! Reads a conversation's file: whole, or only what a list says of it.
//!
//! Damaged lines are left out; the format of another version is not guessed at.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use super::conversation::{Conversation, Listed};
use super::file::open_locked;
use super::{Entry, Head, VERSION, kept_events};
use siderail_event::{EventBody, PromptOrigin};
use siderail_state::private;

/// Characters of a title.
const TITLE: usize = 100;
/// Bytes of a message beyond which its pieces stay what they are.
const MESSAGE: usize = 1 << 20;
/// Bytes of a line that contain its head: when, which turn, what.
const START: usize = 120;

/// A conversation's file; none when nothing of it can be read.
pub(super) fn whole(path: &Path) -> io::Result<Option<Conversation>> {
    let mut outline = Outline::default();
    let (mut entries, mut damaged) = (Vec::<Entry>::new(), 0);
    let mut is_next = false;
    let is_torn = each_line(path, |line| {
        if let Some(entry) = kept_events::read(line) {
            outline.entry(entry.at, Some(&entry.body));
            let before = entries.last_mut().filter(|_| is_next);
            if let Some(entry) = join(before, entry) {
                entries.push(entry);
            }
            is_next = true;
            return Ok(());
        }
        is_next = false;
        if !outline.head(line)? {
            damaged += 1;
        }
        Ok(())
    })?;
    if is_torn {
        // By a crash, unless it is being written.
        damaged += usize::from(open_locked(path, false).is_ok());
    }
    let conversation = |listed| Conversation {
        listed,
        entries,
        damaged,
    };
    Ok(outline.listed(path).map(conversation))
}

/// Joins a further piece of a message to what is there of it; an entry of another kind comes back.
fn join(before: Option<&mut Entry>, entry: Entry) -> Option<Entry> {
    let Some(before) = before.filter(|before| before.turn == entry.turn) else {
        return Some(entry);
    };
    if let (EventBody::AgentMessage(first), EventBody::AgentMessage(more)) =
        (&mut before.body, &entry.body)
        && first.message_id == more.message_id
        && first.text.len() < MESSAGE
    {
        first.text.push_str(&more.text);
        return None;
    }
    Some(entry)
}

/// What a list says of a conversation: its prompts are read, and of all else when it was.
pub(super) fn outline(path: &Path) -> io::Result<Option<Listed>> {
    let mut outline = Outline::default();
    each_line(path, |line| {
        let start = &line[..line.len().min(START)];
        let Some(at) = time_of(start) else {
            outline.head(line)?;
            return Ok(());
        };
        if !holds(start, b"\"TURN_STARTED\"") {
            outline.entry(at, None);
        } else if let Some(entry) = kept_events::read(line) {
            outline.entry(at, Some(&entry.body));
        }
        Ok(())
    })?;
    Ok(outline.listed(path))
}

/// Calls `read` with each whole line; true when the last one has no end.
fn each_line(path: &Path, mut read: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<bool> {
    private::check_file(&fs::symlink_metadata(path)?).map_err(io::Error::other)?;
    let mut lines = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(false);
        }
        if line.last() != Some(&b'\n') {
            return Ok(true);
        }
        read(&line)?;
    }
}

/// When an entry was, by the first member of its line, where the recorder writes it.
fn time_of(start: &[u8]) -> Option<u64> {
    let digits = start.strip_prefix(b"{\"at\":")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&digits[..end]).ok()?.parse().ok()
}

fn holds(start: &[u8], word: &[u8]) -> bool {
    start.windows(word.len()).any(|window| window == word)
}

/// What is known of a conversation so far.
#[derive(Default)]
struct Outline {
    first: Option<Head>,
    head: Option<Head>,
    changed: Option<u64>,
    prompts: usize,
    title: String,
}

impl Outline {
    /// Reads a head; false if the line is not one.
    fn head(&mut self, line: &[u8]) -> io::Result<bool> {
        let Ok(said) = serde_json::from_slice::<Head>(line) else {
            return Ok(false);
        };
        if said.history != VERSION {
            let why = format!(
                "the conversation {} is saved in the format {}, which this version does not know",
                said.id, said.history
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        self.first.get_or_insert_with(|| said.clone());
        self.head = Some(said);
        Ok(true)
    }

    fn entry(&mut self, at: u64, body: Option<&EventBody>) {
        self.changed = Some(at);
        let Some(EventBody::TurnStarted(turn)) = body else {
            return;
        };
        if turn.origin != PromptOrigin::User {
            return;
        }
        self.prompts += 1;
        if self.prompts == 1 {
            let words: Vec<&str> = turn.text.split_whitespace().collect();
            self.title = words.join(" ").chars().take(TITLE).collect();
        }
    }

    fn listed(self, path: &Path) -> Option<Listed> {
        let (first, head) = (self.first?, self.head?);
        Some(Listed {
            began: first.at,
            changed: self.changed.unwrap_or(head.at),
            prompts: self.prompts,
            title: self.title,
            file: path.to_owned(),
            head,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_the_same_of_a_conversation_as_the_whole_of_it_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("1-a.jsonl");
        let head = |at: u64, session: &str| {
            format!(
                r#"{{"history":1,"id":"a","project":"/p","agent":"x","agent_session":"{session}","at":{at}}}"#
            )
        };
        let prompt = |at: u64, origin: &str, text: &str| {
            format!(
                r#"{{"at":{at},"turn":1,"event":"TURN_STARTED","origin":"{origin}","text":"{text}"}}"#
            )
        };
        let said = r#"{"at":5,"turn":1,"event":"AGENT_MESSAGE","text":"say \"TURN_STARTED\""}"#;
        let lines = [
            head(1, "s"),
            prompt(2, "user", "one\\n two"),
            prompt(3, "continuation", "more"),
            "{damaged".to_owned(),
            prompt(4, "user", "three"),
            said.to_owned(),
            head(6, "t"),
        ];
        fs::write(&path, lines.join("\n") + "\n{\"at\":9,\"tu").expect("written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::Permissions::from_mode(0o600);
            fs::set_permissions(&path, mode).expect("it is ours");
        }
        let listed = outline(&path).expect("it can be read").expect("a head");
        let whole = whole(&path).expect("it can be read").expect("a head");
        assert_eq!(listed, whole.listed);
        assert_eq!((listed.title.as_str(), listed.prompts), ("one two", 2));
        assert_eq!((listed.began, listed.changed), (1, 5));
        assert_eq!(
            (listed.head.agent_session.as_str(), whole.damaged),
            ("t", 2)
        );
    }
}
