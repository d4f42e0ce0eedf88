//! Removes secrets from traffic before it is written anywhere.
//!
//! Hidden are: values of environment entries and headers; texts under names that speak of tokens, keys, secrets,
//! passwords or authorization; the values the caller knows to be secret, anywhere; and, inside any text, `Bearer …` and
//! assignments to such names. Pure, so that tests can look at every case.

use std::ops::Range;

use memchr::memmem::Finder;
use serde_json::{Map, Value};

mod growing_text;

/// What replaces a secret.
pub const HIDDEN: &str = "[hidden]";

/// Known secrets shorter than this are not looked for: they would be found in ordinary words.
const SHORTEST: usize = 4;
/// Where nothing but known secrets is hidden, in texts that people read, those shorter than this are left.
const DISTINCT: usize = 8;
/// A shorter word is no secret where it might as well be one of prose or code.
const SHORTEST_WORD: usize = 6;
/// Within a line.
const BLANK: [char; 2] = [' ', '\t'];
/// What only words of code have.
const CODE: [char; 4] = ['(', '[', '{', '<'];

/// A value that is secret, made ready for being looked for in every piece of a message.
#[derive(Clone, Debug)]
struct Secret {
    text: String,
    finder: Finder<'static>,
}

impl Secret {
    fn new(text: String) -> Self {
        let finder = Finder::new(&text).into_owned();
        Self { text, finder }
    }

    fn is_in(&self, text: &str) -> bool {
        self.finder.find(text.as_bytes()).is_some()
    }
}

/// Which values are secret.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    secrets: Vec<Secret>,
}

impl Redaction {
    /// Hides these values, besides what looks like a secret by itself.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets = secrets
            .into_iter()
            .filter(|secret| secret.len() >= SHORTEST)
            .collect::<Vec<_>>();
        // The longest first, so that a secret within a secret does not leave half of the outer one behind.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self {
            secrets: secrets.into_iter().map(Secret::new).collect(),
        }
    }

    /// Hides what these variables hold, as far as their names speak of secrets, and `more`.
    pub fn of_environment<'a>(
        variables: impl IntoIterator<Item = (&'a String, &'a String)>,
        more: impl IntoIterator<Item = String>,
    ) -> Self {
        let secret = |(name, value): (&String, &String)| {
            (is_secret_name(name) && !is_setting(value)).then(|| value.clone())
        };
        Self::new(variables.into_iter().filter_map(secret).chain(more))
    }

    /// A line of traffic as a JSON value without secrets; a text where it is not JSON.
    pub fn line(&self, line: &[u8]) -> Value {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => self.value(value),
            Err(_) => Value::String(self.text(&String::from_utf8_lossy(line))),
        }
    }

    /// A JSON value without secrets.
    pub fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => self.object(members),
            other => other,
        }
    }

    /// A text without secrets.
    pub fn text(&self, text: &str) -> String {
        let mut text = hide_assignments(text);
        for secret in &self.secrets {
            if secret.is_in(&text) {
                text = text.replace(&secret.text, HIDDEN);
            }
        }
        text
    }

    /// A text without the known secrets, where they are long enough to be nothing else; all the rest stays as it
    /// is, also what looks like a secret.
    pub fn known(&self, mut text: String) -> String {
        for secret in &self.secrets {
            if secret.text.len() >= DISTINCT && secret.is_in(&text) {
                text = text.replace(&secret.text, HIDDEN);
            }
        }
        text
    }

    fn object(&self, members: Map<String, Value>) -> Value {
        let hide = |(key, value): (String, Value)| {
            let value = match key.as_str() {
                "env" | "headers" => self.names(hide_entries(value)),
                name if is_secret_name(name) => self.names(hide_texts(value)),
                _ => self.value(value),
            };
            (key, value)
        };
        self.with_names_hidden(members.into_iter().map(hide))
    }

    /// What keeps its shape, without known secrets in the names of it.
    fn names(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.known(text)),
            Value::Array(items) => items.into_iter().map(|item| self.names(item)).collect(),
            Value::Object(members) => {
                let members = members.into_iter();
                self.with_names_hidden(members.map(|(name, value)| (name, self.names(value))))
            }
            other => other,
        }
    }

    /// An object whose names hold no secret. Names that become the same are numbered, so that no member is lost.
    fn with_names_hidden(&self, members: impl Iterator<Item = (String, Value)>) -> Value {
        let mut hidden = Map::new();
        for (name, value) in members {
            let name = self.known(hide_assignments(&name));
            let mut free = name.clone();
            let mut n = 1;
            while hidden.contains_key(&free) {
                n += 1;
                free = format!("{name} {n}");
            }
            hidden.insert(free, value);
        }
        Value::Object(hidden)
    }
}

/// Whether the name of a variable, a header or a member speaks of a secret. Names of the places where secrets lie
/// (`KEY_FILE`, `SSH_AUTH_SOCK`) do not. `totalTokens` does, so that under such names only texts are to be hidden.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let Some(last) = words.last() else {
        return false;
    };
    if matches!(last.as_str(), "file" | "path" | "dir" | "sock") {
        return false;
    }
    let anywhere = [
        "token",
        "key",
        "secret",
        "password",
        "passwd",
        "passphrase",
        "authorization",
        "credential",
        "cookie",
    ];
    let name = name.to_ascii_lowercase();
    anywhere.iter().any(|word| name.contains(word))
        || last == "auth"
        // By itself `PWD` is the current folder, and a `pat` may be a pattern.
        || words.len() > 1 && matches!(last.as_str(), "pwd" | "pat")
}

/// The words of a name as environments, headers and programs write them: `MY_KEY`, `my-key`, `myKey`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || after_small && c.is_ascii_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a value says how something is set up: switches and numbers have such names as well
/// (`TOKENIZERS_PARALLELISM=false`, `MAX_TOKENS=8000`), and these words are everywhere.
fn is_setting(value: &str) -> bool {
    let is_number = value.len() < DISTINCT && value.bytes().all(|byte| byte.is_ascii_digit());
    let words = [
        "true", "false", "none", "null", "auto", "always", "never", "default",
    ];
    is_number || words.contains(&value.to_ascii_lowercase().as_str())
}

/// Hides the values of environment entries and headers, in both shapes: an object, or a list of name and value.
fn hide_entries(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, hide_texts(value)))
            .collect(),
        Value::Array(entries) => entries.into_iter().map(hide_entry).collect(),
        other => hide_texts(other),
    }
}

fn hide_entry(entry: Value) -> Value {
    match entry {
        Value::Object(mut members) => {
            if let Some(value) = members.get_mut("value") {
                *value = hide_texts(value.take());
            }
            Value::Object(members)
        }
        Value::String(assignment) => match assignment.split_once('=') {
            Some((name, _)) => Value::String(format!("{name}={HIDDEN}")),
            None => Value::String(HIDDEN.to_owned()),
        },
        other => hide_texts(other),
    }
}

/// Hides every text in a value and keeps its shape.
fn hide_texts(value: Value) -> Value {
    match value {
        Value::String(text) if text.is_empty() => Value::String(text),
        Value::String(_) => Value::String(HIDDEN.to_owned()),
        Value::Array(items) => items.into_iter().map(hide_texts).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, hide_texts(value)))
            .collect(),
        other => other,
    }
}

/// Hides what is assigned to names of secrets inside a text: `API_KEY=x`, `API_KEY = x`, `--token=x`, `"api_key": "x"`,
/// `X-Api-Key: x`, `?access_token=x`, the word after `Bearer` and `Basic`, anywhere, and `password: x` on a line of its own.
fn hide_assignments(text: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, separator) in text.match_indices(['=', ':', ' ']) {
        if at < copied {
            continue;
        }
        let after = at + separator.len();
        let value = match separator {
            " " => value_after_scheme(&text[..at], &text[after..]),
            _ => assigned_value(&text[..at], separator, &text[after..]),
        };
        if !value.is_empty() {
            hidden.push_str(&text[copied..after + value.start]);
            hidden.push_str(HIDDEN);
            copied = after + value.end;
        }
    }
    hidden.push_str(&text[copied..]);
    hidden
}

/// Where the value is that follows the name of a scheme.
fn value_after_scheme(before: &str, after: &str) -> Range<usize> {
    let rest = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let word = &before[rest.len()..];
    if !is_scheme(word) {
        return 0..0;
    }
    let value = secret_value(after);
    // "Basic understanding" is not written so in the middle of a sentence, nor are headers "basic" or "BASIC" as a rule.
    let may_be_prose = word.eq_ignore_ascii_case("basic") && word != "Basic";
    if may_be_prose && !is_cryptic(&after[value.clone()]) {
        return 0..0;
    }
    value
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// Where the value is that is assigned to the name before the separator, if that is one of a secret, written as
/// environments, flags, headers and settings write it. Prose ("the token: …"), code (`key=len`) and numbers of tokens
/// (`max_tokens=4096`) are left alone.
fn assigned_value(before: &str, separator: &str, after: &str) -> Range<usize> {
    let may_be_spaced = separator == "=";
    let adjacent = match may_be_spaced {
        true => before.trim_end_matches(BLANK),
        false => before,
    };
    let unquoted = adjacent.trim_end_matches(['"', '\'', '\\']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let (lead, name) = unquoted.split_at(unquoted.trim_end_matches(is_name).len());
    let is_quoted = unquoted.len() < adjacent.len();
    let is_compound = name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase);
    if !is_secret_name(name) || !is_quoted && name.eq_ignore_ascii_case("key") {
        return 0..0;
    }
    let value = match separator {
        "=" if adjacent.len() < before.len() => spaced_value(after, is_compound),
        ":" if !is_quoted && !is_compound => lone_value(lead, after),
        _ => secret_value(after),
    };
    let counts = words(name).iter().any(|word| word == "tokens");
    match counts && !after[value.clone()].contains(char::is_alphabetic) {
        true => 0..0,
        false => value,
    }
}

/// Where the value is behind a separator with blanks around it, as settings and programs are written: what a program
/// computes is not meant.
fn spaced_value(after: &str, is_compound: bool) -> Range<usize> {
    let value = secret_value(after);
    let text = &after[value.clone()];
    let is_text = after[..value.start].contains(['"', '\'']);
    let is_word = text.len() >= SHORTEST_WORD && !text.contains(CODE);
    match is_text || is_word && (is_compound || is_cryptic(text)) {
        true => value,
        false => 0..0,
    }
}

/// Where the value is on a line that has nothing but a name and one word, as YAML is written.
fn lone_value(lead: &str, after: &str) -> Range<usize> {
    // Numbers of lines and marks of changes may come first.
    let is_lead = |c: char| BLANK.contains(&c) || c.is_ascii_digit() || "+-|→".contains(c);
    let line_before = lead.trim_end_matches(is_lead);
    let line = after.split('\n').next().unwrap_or_default();
    let begins_line = line_before.is_empty() || line_before.ends_with('\n');
    if !begins_line || !line.starts_with(BLANK) {
        return 0..0;
    }
    let value = line.trim_start_matches([' ', '\t', '"', '\'']);
    let start = line.len() - value.len();
    let value = value.trim_end_matches([' ', '\t', '\r', '"', '\'']);
    let is_word = !value.contains(char::is_whitespace) && !value.contains(CODE);
    match is_word && !value.ends_with([',', ';']) && is_cryptic(value) {
        true => start..start + value.len(),
        false => 0..0,
    }
}

/// Whether a word is none of a sentence.
fn is_cryptic(word: &str) -> bool {
    word.len() >= SHORTEST_WORD && word.contains(|c: char| c.is_ascii_digit())
}

/// Where the value behind a separator is; empty if there is none, or an expression, or it is hidden already.
fn secret_value(after: &str) -> Range<usize> {
    let value = after.trim_start_matches([' ', '"', '\'', '\\']);
    let start = after.len() - value.len();
    let is_end = |c: char| c.is_whitespace() || "\"'`\\&;,)}]".contains(c);
    let end_of = |text: &str| text.find(is_end).unwrap_or(text.len());
    let closing_quote = after[..start].rfind(['"', '\'']).map(|at| &after[at..=at]);
    if let Some(length) = closing_quote.and_then(|quote| value.find(quote)) {
        // Within a text in a text the closing quote is escaped; the backslash is not the secret's.
        return start..start + value[..length].trim_end_matches('\\').len();
    }
    let mut length = end_of(value);
    let word = &value[..length];
    if is_scheme(word) && value[length..].starts_with(' ') {
        length += 1 + end_of(&value[length + 1..]);
    }
    // What is hidden already begins with a bracket, too.
    if word.starts_with(['=', ':', '{', '[', '(']) {
        return 0..0;
    }
    start..start + length
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redaction() -> Redaction {
        Redaction::new([
            "s3cr3t".to_owned(),
            "s3cr3t-longer".to_owned(),
            "abc".to_owned(),
        ])
    }

    fn check(value: Value, expected: Value) {
        assert_eq!(redaction().value(value), expected);
    }

    fn check_text(text: &str, expected: &str) {
        assert_eq!(redaction().text(text), expected);
    }

    #[test]
    fn environments_and_headers_keep_their_names_and_lose_their_values() {
        check(
            json!({"mcpServers": [{"name": "s", "env": [{"name": "A", "value": "v"}], "headers": []}]}),
            json!({"mcpServers": [{"name": "s", "env": [{"name": "A", "value": "[hidden]"}], "headers": []}]}),
        );
        check(
            json!({"env": {"HOME": "/home/me", "N": 1}, "headers": [{"name": "X", "value": "v"}]}),
            json!({"env": {"HOME": "[hidden]", "N": 1}, "headers": [{"name": "X", "value": "[hidden]"}]}),
        );
        check(
            json!({"env": ["A=b", "C"]}),
            json!({"env": ["A=[hidden]", "[hidden]"]}),
        );
    }

    #[test]
    fn a_secret_that_is_a_name_is_hidden_and_takes_no_member_along() {
        let redaction = Redaction::new(["s3cr3t-long-enough".to_owned()]);
        let told = json!({
            "a s3cr3t-long-enough": 1,
            "a [hidden]": 2,
            "API_KEY=x7": {"s3cr3t-long-enough": ["s3cr3t-long-enough"]},
            "env": {"s3cr3t-long-enough": "v"},
            "headers": [{"s3cr3t-long-enough": 3}],
            "password": {"s3cr3t-long-enough": 4},
        });
        let hidden = redaction.value(told);
        let text = hidden.to_string();
        assert!(!text.contains("s3cr3t") && !text.contains("x7"), "{text}");
        assert_eq!(hidden.as_object().map(Map::len), Some(6), "{text}");
    }

    #[test]
    fn texts_under_secret_names_are_hidden_and_token_counts_are_not() {
        check(
            json!({"apiKey": "x", "Authorization": "y", "password": ["z"], "totalTokens": 12, "k": "x"}),
            json!({"apiKey": "[hidden]", "Authorization": "[hidden]", "password": ["[hidden]"], "totalTokens": 12, "k": "x"}),
        );
    }

    #[test]
    fn names_of_secrets_are_told_from_those_that_only_look_like_it() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.secret_names.json"
        );
        let rule = std::fs::read_to_string(file).expect("the rule");
        let rule: Value = serde_json::from_str(&rule).expect("JSON");
        for (kind, is_secret) in [("secret", true), ("plain", false)] {
            let names = rule[kind].as_array().expect("names");
            assert!(names.len() > 10, "{kind}");
            for name in names {
                let name = name.as_str().expect("a name");
                assert_eq!(is_secret_name(name), is_secret, "{name}");
            }
        }
    }

    #[test]
    fn an_environments_secrets_are_looked_for_and_its_switches_and_numbers_are_not() {
        let environment = [
            ("DB_PASSWD", "hunter2"),
            ("MYSQL_PWD", "correct horse"),
            ("TOKENIZERS_PARALLELISM", "false"),
            ("MAX_TOKENS", "8000"),
            ("PWD", "/home/me"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let variables = environment.iter().map(|(name, value)| (name, value));
        let redaction = Redaction::of_environment(variables, ["0123456789".to_owned()]);
        let text = "hunter2 correct horse 0123456789 false 8000 /home/me API_KEY=seen";
        assert_eq!(
            redaction.text(text),
            "[hidden] [hidden] [hidden] false 8000 /home/me API_KEY=[hidden]"
        );
        assert_eq!(
            redaction.known(text.to_owned()),
            "hunter2 [hidden] [hidden] false 8000 /home/me API_KEY=seen",
            "in what people read only long known values are hidden"
        );
    }

    #[test]
    fn known_secrets_are_found_anywhere_and_whole() {
        check(
            json!({"a": ["x s3cr3t-longer y s3cr3t."]}),
            json!({"a": ["x [hidden] y [hidden]."]}),
        );
        check_text(
            "abc is too short to be looked for",
            "abc is too short to be looked for",
        );
    }

    #[test]
    fn assignments_inside_texts_lose_their_values_and_prose_code_and_numbers_stay() {
        // The plugin's test reads the same file.
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/boundary/rule.hidden_texts.json"
        );
        let cases = std::fs::read_to_string(file).expect("the rule");
        let cases: Value = serde_json::from_str(&cases).expect("JSON");
        let cases = cases.as_array().expect("cases");
        assert!(cases.len() > 20, "{}", cases.len());
        for case in cases {
            check_text(
                case["text"].as_str().expect("a text"),
                case["hidden"].as_str().expect("a text"),
            );
        }
    }

    #[test]
    fn a_line_that_is_no_json_is_kept_as_text() {
        assert_eq!(
            redaction().line(b"token=abcd \xff"),
            json!("token=[hidden] \u{fffd}")
        );
        assert_eq!(
            redaction().line(br#"{"id":1,"x":"s3cr3t"}"#),
            json!({"id": 1, "x": "[hidden]"})
        );
    }
}
