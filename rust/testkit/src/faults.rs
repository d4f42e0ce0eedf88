//! Faults that a client must survive, by a spec and a seed: the same seed, the same faults.
//!
//! A spec is a list with commas: `name`, `name=VALUE`, and `@N` behind what happens once, when the
//! Nth line is written (without it: at the first). In a script's `fault = SPEC` it happens at once.
//!
//! | in N of 1000 lines (`name=N`) | |
//! |---|---|
//! | `garbage` | a line that is no message ahead of the line: text, broken JSON, no UTF-8, a batch … |
//! | `blank` | a blank line ahead |
//! | `split` | the line is written in pieces, cut anywhere, with delays |
//! | `stray_answers` | an answer to an id that was never used |
//! | `unknown_notifications`, `unknown_requests`, `unadvertised_fs` | what the client does not know or offer |
//! | `unknown_updates` | an update of a kind that does not exist |
//! | `duplicate_tool_calls` | a tool_call is sent twice |
//! | `update_before_create` | a tool_call_update comes ahead of its tool_call |
//! | `late_answers`, `duplicate_answers`, `missing_answers` | answers to the client's requests |
//!
//! | for the whole run | |
//! |---|---|
//! | `crlf`, `bom` | line ends; a byte order mark ahead of the first line |
//! | `ids=float\|string\|negative\|overlap\|null\|mixed` | ids of the agent's requests |
//! | `permission_copies=N` | N permission requests for one tool call |
//! | `no_kind`, `no_title` | members that permission requests lack |
//! | `early_updates=N` | updates ahead of the answer to `session/new` |
//! | `hang_on_cancel`, `ignore_eof` | |
//! | `auth_required`, `version=N` | `session/new` wants a login; another protocol version |
//! | `nameless` | the agent says neither its name nor its version |
//!
//! | once (`name@N`) | |
//! |---|---|
//! | `huge=BYTES` | a message update of that size ahead of the line |
//! | `silence` | nothing is written any more |
//! | `exit=CODE`, `abort`, `kill` | the agent ends: by code, by SIGABRT, by SIGKILL |
//! | `hold_stdout` | a child that keeps stdout open for 30 s |
//! | `stderr=BYTES` | a flood on stderr |
//! | `storm=N` | only in scripts: N permission requests at once |

mod stream;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use crate::rng::Rng;

/// Names of what happens by chance.
const CHANCES: [&str; 13] = [
    "garbage",
    "blank",
    "split",
    "stray_answers",
    "unknown_notifications",
    "unknown_requests",
    "unadvertised_fs",
    "unknown_updates",
    "duplicate_tool_calls",
    "update_before_create",
    "late_answers",
    "duplicate_answers",
    "missing_answers",
];
/// Names of what holds for the whole run.
const SETTINGS: [&str; 12] = [
    "crlf",
    "bom",
    "ids",
    "permission_copies",
    "no_kind",
    "no_title",
    "early_updates",
    "hang_on_cancel",
    "ignore_eof",
    "auth_required",
    "version",
    "nameless",
];
/// Names of what happens once.
const ONCE: [&str; 8] = [
    "huge",
    "silence",
    "exit",
    "abort",
    "kill",
    "hold_stdout",
    "stderr",
    "storm",
];
const ID_KINDS: [&str; 6] = ["float", "string", "negative", "overlap", "null", "mixed"];

/// One entry of a spec that happens once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Once {
    name: String,
    value: u64,
}

impl Once {
    /// The size of a permission storm, where this is one.
    pub(crate) fn storm(&self) -> Option<u64> {
        (self.name == "storm").then_some(self.value)
    }
}

/// What to do with an answer to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerFault {
    /// Nothing.
    None,
    /// Send it after this time.
    Late(Duration),
    /// Send it twice.
    Twice,
    /// Do not send it.
    Missing,
}

/// The faults of a run.
#[derive(Clone, Debug)]
pub struct Faults {
    rng: Rng,
    chances: BTreeMap<String, u32>,
    settings: BTreeMap<String, String>,
    once: Vec<(u64, Once)>,
    lines: u64,
    silent: bool,
    bom_sent: bool,
    sessions: BTreeSet<String>,
}

impl Faults {
    /// No faults at all.
    #[must_use]
    pub fn none() -> Self {
        Self {
            rng: Rng::new(0),
            chances: BTreeMap::new(),
            settings: BTreeMap::new(),
            once: Vec::new(),
            lines: 0,
            silent: false,
            bom_sent: false,
            sessions: BTreeSet::new(),
        }
    }

    /// Parses specs, for a run with this seed.
    ///
    /// # Errors
    /// A name or value that is not in the tables above, as a text for people.
    pub fn parse(specs: &[&str], seed: u64) -> Result<Self, String> {
        let mut faults = Self {
            rng: Rng::new(seed),
            ..Self::none()
        };
        for entry in specs.iter().flat_map(|spec| spec.split(',')).map(str::trim) {
            if entry.is_empty() {
                continue;
            }
            let (entry, line) = split_number(entry, '@')?;
            let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
            if CHANCES.contains(&name) {
                faults.chances.insert(name.to_owned(), number(name, value)?);
            } else if SETTINGS.contains(&name) {
                if name == "ids" && !ID_KINDS.contains(&value) {
                    return Err(format!("ids={value}: there are {}", ID_KINDS.join(" ")));
                }
                faults.settings.insert(name.to_owned(), value.to_owned());
            } else {
                faults.once.push((line.unwrap_or(1), once(entry)?));
            }
        }
        Ok(faults)
    }

    /// Parses the spec of a fault at a point of a script.
    ///
    /// # Errors
    /// It is not one that happens once.
    pub(crate) fn at_once(spec: &str) -> Result<Once, String> {
        once(spec)
    }

    fn happens(&mut self, name: &str) -> bool {
        let Some(per_mille) = self.chances.get(name).copied() else {
            return false;
        };
        self.rng.chance(per_mille)
    }

    fn count(&self, name: &str) -> usize {
        self.settings
            .get(name)
            .and_then(|value| value.parse().ok())
            .unwrap_or(0)
    }

    /// The id of the agent's request number `number`, where it is an odd one.
    pub(crate) fn request_id(&mut self, number: u64) -> Option<Value> {
        let kind = self.settings.get("ids")?.clone();
        let kind = match kind.as_str() {
            "mixed" => ID_KINDS[self.rng.below(4)],
            _ => kind.as_str(),
        };
        Some(match kind {
            "float" => json!(number as f64),
            "string" => json!(format!("request \"{number}\" ü")),
            "negative" => json!(-1 - i64::try_from(number).unwrap_or(0)),
            // The client counts its own requests from 1.
            "overlap" => json!(number + 1),
            _ => Value::Null,
        })
    }

    /// True where the end of stdin is ignored.
    pub(crate) fn ignores_eof(&self) -> bool {
        self.settings.contains_key("ignore_eof")
    }

    /// True where a cancel is ignored.
    pub(crate) fn hangs_on_cancel(&self) -> bool {
        self.settings.contains_key("hang_on_cancel")
    }

    /// True where no login is enough for a session.
    pub(crate) fn wants_login(&self) -> bool {
        self.settings.contains_key("auth_required")
    }

    /// The protocol version that is answered whatever the client asked for.
    pub(crate) fn version(&self) -> Option<usize> {
        self.settings
            .contains_key("version")
            .then(|| self.count("version"))
    }

    /// True where the agent does not say what it is.
    pub(crate) fn is_nameless(&self) -> bool {
        self.settings.contains_key("nameless")
    }

    /// How many permission requests are sent for one tool call.
    pub(crate) fn permission_copies(&self) -> usize {
        self.count("permission_copies").max(1)
    }

    /// How many updates are sent ahead of the answer to `session/new`.
    pub(crate) fn early_updates(&self) -> usize {
        self.count("early_updates")
    }

    /// A permission request's params without what it is to lack.
    pub(crate) fn permission(&self, params: &Value) -> Value {
        let mut params = params.clone();
        if let Some(tool_call) = params.get_mut("toolCall").and_then(Value::as_object_mut) {
            for (fault, member) in [("no_kind", "kind"), ("no_title", "title")] {
                if self.settings.contains_key(fault) {
                    tool_call.shift_remove(member);
                }
            }
        }
        params
    }

    /// What to do with the next answer to the client.
    pub(crate) fn answer(&mut self) -> AnswerFault {
        if self.happens("missing_answers") {
            AnswerFault::Missing
        } else if self.happens("late_answers") {
            let millis = 20 + self.rng.below(180) as u64;
            AnswerFault::Late(Duration::from_millis(millis))
        } else if self.happens("duplicate_answers") {
            AnswerFault::Twice
        } else {
            AnswerFault::None
        }
    }

    /// Updates to send ahead of this one, and whether to send this one twice.
    pub(crate) fn update(&mut self, session: &str, update: &Value) -> (Vec<Value>, bool) {
        self.sessions.insert(session.to_owned());
        let mut ahead = Vec::new();
        if self.happens("unknown_updates") {
            ahead.push(json!({"sessionUpdate": "weather_update", "sky": ["grey", null, 3]}));
        }
        let creates = update["sessionUpdate"] == "tool_call";
        if creates && self.happens("update_before_create") {
            ahead.push(
                json!({"sessionUpdate": "tool_call_update", "status": "pending",
                "toolCallId": update["toolCallId"]}),
            );
        }
        (ahead, creates && self.happens("duplicate_tool_calls"))
    }
}

fn once(entry: &str) -> Result<Once, String> {
    let (name, value) = entry.split_once('=').unwrap_or((entry, "0"));
    if !ONCE.contains(&name) {
        let known = [&CHANCES[..], &SETTINGS, &ONCE].concat().join(" ");
        return Err(format!("no fault {name}; there are {known}"));
    }
    Ok(Once {
        name: name.to_owned(),
        value: number(name, value)?,
    })
}

fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, String> {
    value
        .parse()
        .map_err(|_| format!("fault {name} needs a number, not {value:?}"))
}

fn split_number(entry: &str, sign: char) -> Result<(&str, Option<u64>), String> {
    match entry.split_once(sign) {
        Some((entry, text)) => Ok((entry, Some(number(entry, text)?))),
        None => Ok((entry, None)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{AnswerFault, Faults};

    fn written(specs: &[&str], seed: u64, lines: usize) -> Vec<u8> {
        let mut faults = Faults::parse(specs, seed).expect("a valid spec");
        let mut out = Vec::new();
        for number in 0..lines {
            faults
                .write(&mut out, format!("{{\"n\":\"ü{number}\"}}\n").as_bytes())
                .expect("a vector");
        }
        out
    }

    fn messages(bytes: &[u8]) -> Vec<Value> {
        let text = String::from_utf8_lossy(bytes);
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
        let specs = ["garbage=300,blank=200,split=500", "stray_answers=200"];
        assert_eq!(written(&specs, 5, 50), written(&specs, 5, 50));
        assert_ne!(written(&specs, 5, 50), written(&specs, 6, 50));
    }

    #[test]
    fn no_line_is_lost_between_garbage_and_splits() {
        let bytes = written(&["garbage=400,blank=300,split=400,crlf,bom"], 1, 200);
        assert!(bytes.starts_with(b"\xEF\xBB\xBF"));
        let found = messages(&bytes[3..]);
        let ours = found
            .iter()
            .filter(|message| message.get("n").is_some())
            .count();
        assert_eq!(ours, 200);
    }

    #[test]
    fn after_silence_nothing_is_written() {
        assert_eq!(messages(&written(&["silence@3"], 1, 10)).len(), 2);
    }

    #[test]
    fn a_huge_line_is_as_long_as_asked() {
        let bytes = written(&["huge=100000@2"], 1, 3);
        let longest = bytes.split(|byte| *byte == b'\n').map(<[u8]>::len).max();
        assert!(longest.is_some_and(|longest| longest >= 100_000));
        assert_eq!(messages(&bytes).len(), 4);
    }

    #[test]
    fn odd_ids_have_the_kind_that_was_asked_for() {
        let id = |kind| {
            Faults::parse(&[kind], 1)
                .expect("a valid spec")
                .request_id(3)
        };
        assert_eq!(
            id("ids=float").map(|id| id.to_string()),
            Some("3.0".to_owned())
        );
        assert_eq!(id("ids=negative"), Some(json!(-4)));
        assert_eq!(id("ids=overlap"), Some(json!(4)));
        assert_eq!(id("ids=null"), Some(Value::Null));
        assert_eq!(id("crlf"), None);
    }

    #[test]
    fn permission_requests_may_lack_members() {
        let faults = Faults::parse(&["no_kind,no_title"], 1).expect("a valid spec");
        let params = json!({"toolCall": {"toolCallId": "1", "kind": "edit", "title": "t"}});
        assert_eq!(
            faults.permission(&params),
            json!({"toolCall": {"toolCallId": "1"}})
        );
    }

    #[test]
    fn answers_go_wrong_always_or_never() {
        let answer = |spec| Faults::parse(&[spec], 1).expect("a valid spec").answer();
        assert_eq!(answer("missing_answers=1000"), AnswerFault::Missing);
        assert_eq!(answer("duplicate_answers=1000"), AnswerFault::Twice);
        assert_eq!(answer("duplicate_answers=0"), AnswerFault::None);
    }

    #[test]
    fn what_is_not_in_the_tables_is_refused() {
        for spec in ["rain=3", "garbage", "ids=odd", "exit=x", "kill@y"] {
            assert!(Faults::parse(&[spec], 1).is_err(), "{spec}");
        }
    }
}
