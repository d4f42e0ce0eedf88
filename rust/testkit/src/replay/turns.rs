//! Prompts that the recorded client sent while a turn ran, moved to where that turn has ended.
//!
//! Clients that keep prompts back until then would otherwise be waited for in vain. A prompt that
//! the agent refused or lost because of the running turn is left out together with its answer.

use std::collections::VecDeque;

use serde_json::Value;

use super::Entry;

/// The recording as a client would have it that sends one prompt at a time.
pub(super) fn one_at_a_time(entries: Vec<Entry>) -> Vec<Entry> {
    let answered: Vec<Value> = entries.iter().filter_map(answer_to).cloned().collect();
    let mut running: Option<Value> = None;
    let mut waiting: VecDeque<Entry> = VecDeque::new();
    let mut ordered = Vec::with_capacity(entries.len());
    for entry in entries {
        if let Some(id) = prompt_id(&entry).cloned() {
            if running.is_none() {
                running = Some(id);
                ordered.push(entry);
            } else if answered.contains(&id) {
                waiting.push_back(entry);
            }
            continue;
        }
        let answer = answer_to(&entry).cloned();
        let refused = |prompt: &Entry| prompt_id(prompt) == answer.as_ref();
        if answer.is_some()
            && let Some(at) = waiting.iter().position(refused)
        {
            waiting.remove(at);
            continue;
        }
        ordered.push(entry);
        if answer.is_some() && answer == running {
            let next = waiting.pop_front();
            running = next.as_ref().and_then(prompt_id).cloned();
            ordered.extend(next);
        }
    }
    ordered
}

fn prompt_id(entry: &Entry) -> Option<&Value> {
    let is_prompt = entry.from_client && entry.message["method"] == "session/prompt";
    entry.message.get("id").filter(|_| is_prompt)
}

fn answer_to(entry: &Entry) -> Option<&Value> {
    let is_answer = !entry.from_client && entry.message.get("method").is_none();
    entry.message.get("id").filter(|_| is_answer)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Entry, one_at_a_time};

    /// `p1`: a prompt of the client, `=1`: the agent's answer, anything else: an update of the agent.
    fn check(recorded: &str, expected: &str) {
        let entry = |word: &str| {
            let number = || json!(word[1..].parse::<u64>().unwrap());
            let message = match &word[..1] {
                "p" => json!({"method": "session/prompt", "id": number()}),
                "=" => json!({"result": {}, "id": number()}),
                _ => json!({"method": "session/update", "params": word}),
            };
            let from_client = word.starts_with('p');
            Entry {
                from_client,
                message,
            }
        };
        let word = |entry: &Entry| {
            let sign = if entry.from_client { "p" } else { "=" };
            match (&entry.message["id"], &entry.message["params"]) {
                (Value::Number(id), _) => format!("{sign}{id}"),
                (_, update) => update.as_str().unwrap().to_owned(),
            }
        };
        let ordered = one_at_a_time(recorded.split(' ').map(entry).collect());
        let words: Vec<String> = ordered.iter().map(word).collect();
        assert_eq!(words.join(" "), expected, "{recorded}");
    }

    #[test]
    fn a_prompt_in_a_running_turn_waits_for_the_turns_end() {
        check("p1 a =1 p2 b =2", "p1 a =1 p2 b =2");
        check("p1 a p2 b =1 c =2", "p1 a b =1 p2 c =2");
        check("p1 p2 p3 =1 a =2 b =3", "p1 =1 p2 a =2 p3 b =3");
    }

    #[test]
    fn a_prompt_that_was_refused_or_lost_is_left_out() {
        check("p1 a p2 =2 b =1", "p1 a b =1");
        check("p1 a p2 =1 p3 b =3", "p1 a =1 p3 b =3");
    }
}
