//! The books of one session: what came in against what was reported, question against answer.

use std::collections::BTreeMap;

use serde_json::Value;

use super::script::Part;

/// What was reported of a session.
#[derive(Default)]
pub(super) struct Ledger {
    /// Texts of messages and thoughts, in order.
    texts: Vec<String>,
    /// Reports of tool calls.
    n_calls: usize,
    /// Questions by number, and how often each was settled.
    questions: BTreeMap<u64, u32>,
    /// Turns that were cancelled because nothing came.
    n_silences: usize,
    pub(super) n_begun: usize,
    pub(super) n_ended: usize,
    last_seq: u64,
    pub(super) summary: Option<Value>,
    wrong: Vec<String>,
}

impl Ledger {
    /// Takes one event.
    pub(super) fn event(&mut self, event: &Value) {
        let seq = event["seq"].as_u64().unwrap_or_default();
        if seq <= self.last_seq {
            self.wrong
                .push(format!("event {seq} came after event {}", self.last_seq));
        }
        self.last_seq = seq;
        if self.summary.is_some() {
            self.wrong.push(format!("after the summary: {event}"));
        }
        let number = event["request_id"].as_u64().unwrap_or_default();
        match event["event"].as_str().unwrap_or_default() {
            "AGENT_MESSAGE" | "AGENT_THOUGHT" => {
                self.texts
                    .push(event["text"].as_str().unwrap_or_default().to_owned());
            }
            "TOOL_CALL" => self.n_calls += 1,
            "PERMISSION_REQUEST" => {
                self.questions.insert(number, 0);
            }
            "PERMISSION_APPROVED" | "PERMISSION_DENIED" => match self.questions.get_mut(&number) {
                Some(n) => *n += 1,
                None => self
                    .wrong
                    .push(format!("a verdict without a question: {event}")),
            },
            "INACTIVITY_TIMEOUT" => self.n_silences += 1,
            "TURN_STARTED" => self.n_begun += 1,
            "TURN_ENDED" => self.n_ended += 1,
            "SUMMARY" => self.summary = Some(event.clone()),
            _ => {}
        }
    }

    /// What is wrong, once the session is over; `traffic` is its log.
    pub(super) fn close(mut self, traffic: &str, part: &Part) -> Vec<String> {
        for (number, n) in &self.questions {
            if *n != 1 {
                self.wrong
                    .push(format!("question {number} was settled {n} times"));
            }
        }
        if self.n_begun != self.n_ended {
            self.wrong.push(format!(
                "{} turns began and {} ended",
                self.n_begun, self.n_ended
            ));
        }
        if self.summary.is_none() {
            self.wrong.push("there is no summary".to_owned());
        }
        let came = Came::read(traffic);
        self.wrong.extend(came.lost_numbers());
        let reported = self.texts.len();
        if self.texts != came.texts {
            let same = self
                .texts
                .iter()
                .zip(&came.texts)
                .take_while(|(a, b)| a == b);
            let at = same.count();
            self.wrong.push(format!(
                "{} texts came and {reported} were reported; they part at {at}: {:?} against {:?}",
                came.texts.len(),
                came.texts.get(at),
                self.texts.get(at)
            ));
        }
        // The end of a turn reports what it left unfinished once more.
        if self.n_calls < came.n_calls {
            self.wrong.push(format!(
                "{} updates of tool calls came and {} were reported",
                came.n_calls, self.n_calls
            ));
        }
        // An agent that swallows no answer is only silent where it was left waiting.
        if self.n_silences > 0 && !part.may_be_silent {
            self.wrong.push("the agent was left waiting".to_owned());
        }
        if part.plain_ids {
            self.wrong.extend(came.unanswered());
        }
        self.wrong
    }
}

/// What came from the agent, by the traffic log.
#[derive(Default)]
struct Came {
    texts: Vec<String>,
    n_calls: usize,
    /// The numbers that the agent gave its updates.
    numbers: Vec<u64>,
    /// Requests of the agent and how often each was answered.
    requests: Vec<(String, String, u32)>,
    /// How many of them came before the last turn's end: later ones may find the client gone.
    n_in_turns: usize,
    /// The agent ended by itself.
    orderly: bool,
}

impl Came {
    fn read(traffic: &str) -> Self {
        let mut came = Self::default();
        for line in traffic.lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let message = &line["msg"];
            let id = message.get("id").map(Value::to_string);
            match (line["dir"].as_str(), message["method"].as_str()) {
                (Some("agent->client"), Some("session/update")) => came.update(&message["params"]),
                (Some("agent->client"), Some(method)) => {
                    if let Some(id) = id {
                        came.requests.push((id, method.to_owned(), 0));
                    }
                }
                (Some("client->agent"), None) => {
                    let open = came
                        .requests
                        .iter_mut()
                        .find(|(of, _, n)| Some(of) == id.as_ref() && *n == 0);
                    if let Some((_, _, n)) = open {
                        *n += 1;
                    }
                }
                (Some("agent->client"), None) if message["result"]["stopReason"].is_string() => {
                    came.n_in_turns = came.requests.len();
                }
                (Some("note"), _) => came.orderly = message["exit"] == 0,
                _ => {}
            }
        }
        came
    }

    fn update(&mut self, params: &Value) {
        let update = &params["update"];
        // Updates that a fault writes have no number and no session.
        self.numbers.extend(update["_meta"]["n"].as_u64());
        match update["sessionUpdate"].as_str().unwrap_or_default() {
            "agent_message_chunk" | "agent_thought_chunk" => {
                self.texts.push(
                    update["content"]["text"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            "tool_call" | "tool_call_update" => self.n_calls += 1,
            _ => {}
        }
    }

    fn lost_numbers(&self) -> Option<String> {
        let expected = (1..)
            .zip(&self.numbers)
            .find(|(expected, number)| expected != *number);
        expected.map(|(expected, number)| format!("update {number} came where {expected} was due"))
    }

    fn unanswered(&self) -> Option<String> {
        let open = self
            .requests
            .iter()
            .take(self.n_in_turns)
            .filter(|(_, _, n)| *n == 0);
        let open: Vec<String> = open
            .map(|(id, method, _)| format!("{method} {id}"))
            .collect();
        (self.orderly && !open.is_empty()).then(|| format!("never answered: {}", open.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Ledger, Part};

    fn update(number: u64, text: &str) -> Value {
        let update = json!({
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": text},
            "_meta": {"n": number},
        });
        json!({"dir": "agent->client", "msg": {"method": "session/update", "params": {"update": update}}})
    }

    fn good() -> (Vec<Value>, Vec<Value>) {
        let traffic = vec![
            json!({"dir": "agent->client", "msg": {"id": 7, "method": "session/request_permission"}}),
            json!({"dir": "client->agent", "msg": {"id": 7, "result": {}}}),
            update(1, "a"),
            update(2, "b"),
            json!({"dir": "agent->client", "msg": {"id": 3, "result": {"stopReason": "end_turn"}}}),
            json!({"dir": "note", "msg": {"exit": 0}}),
        ];
        let mut events = vec![
            json!({"event": "TURN_STARTED"}),
            json!({"event": "PERMISSION_REQUEST", "request_id": 1}),
            json!({"event": "PERMISSION_APPROVED", "request_id": 1}),
            json!({"event": "AGENT_MESSAGE", "text": "a"}),
            json!({"event": "AGENT_MESSAGE", "text": "b"}),
            json!({"event": "TURN_ENDED"}),
            json!({"event": "SUMMARY"}),
        ];
        for (seq, event) in (1..).zip(&mut events) {
            event["seq"] = json!(seq);
        }
        (traffic, events)
    }

    fn wrong(traffic: &[Value], events: &[Value]) -> String {
        let mut ledger = Ledger::default();
        events.iter().for_each(|event| ledger.event(event));
        let traffic: Vec<String> = traffic.iter().map(Value::to_string).collect();
        let part = Part {
            plain_ids: true,
            ..Part::default()
        };
        ledger.close(&traffic.join("\n"), &part).join("; ")
    }

    #[test]
    fn whatever_is_missing_or_out_of_order_is_found() {
        let (traffic, events) = good();
        assert_eq!(wrong(&traffic, &events), "");
        for missing in 0..events.len() {
            let mut events = events.clone();
            events.remove(missing);
            assert!(
                !wrong(&traffic, &events).is_empty(),
                "event {missing} is missed by nobody"
            );
        }
        for place in 1..events.len() {
            let mut events = events.clone();
            events.swap(place - 1, place);
            assert!(
                !wrong(&traffic, &events).is_empty(),
                "event {place} may stand anywhere"
            );
        }
        for missing in [1, 2] {
            let mut traffic = traffic.clone();
            traffic.remove(missing);
            assert!(
                !wrong(&traffic, &events).is_empty(),
                "line {missing} is missed by nobody"
            );
        }
        let mut twice = events.clone();
        twice.insert(
            3,
            json!({"event": "PERMISSION_DENIED", "request_id": 1, "seq": 3.5}),
        );
        assert!(wrong(&traffic, &twice).contains("settled 2 times"));
    }
}
