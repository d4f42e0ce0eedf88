//! Clients chosen by chance that lie, contradict themselves, flood, stop reading, never answer, or die: the agent's work is
//! neither lost nor done without a yes, and nothing waits for ever.

use std::ops::ControlFlow;
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};

use super::client::Client;
use crate::process::{Place, wait};

/// Clients, chunks of a turn, and turns.
const CLIENTS: u64 = 24;
const CHUNKS: usize = 300;
const TURNS: usize = 3;

fn script() -> String {
    let turn = |number: usize| {
        format!(
            "[[prompt]]\nmatch = \"go {number}\"\nstep = [{{ flood = {CHUNKS} }}, {{ call = \"intellij_write_file\", arguments = {{ \
             path = \"ours-{number}\", content = \"x\" }} }}, {{ shell = \"date > theirs-{number}\", \
             description = \"Time\" }}, {{ say = \"End of {number}.\" }}]\n"
        )
    };
    // What the guidance sends the agent on with is no turn of these.
    let rest = "[[prompt]]\nstep = [{ say = \"Continued.\" }]\n".repeat(TURNS);
    (0..TURNS).map(turn).collect::<String>() + &rest
}

/// A client, and what it has done.
struct Faulty {
    client: Client,
    place: Place,
    rng: Rng,
    session: String,
    /// Turns whose command was allowed.
    allowed: Vec<usize>,
    /// Requests of nonsense that wait for their answer.
    open: Vec<u64>,
    n_chunks: usize,
    is_cancelled: bool,
}

impl Faulty {
    fn new(seed: u64) -> Self {
        let place = Place::new();
        let mut client = Client::scripted(&place, &script(), &["--hide", "off"]);
        client.takes = None;
        let capabilities = match seed % 3 {
            0 => json!({}),
            1 => json!({"elicitation": {"form": {}}}),
            _ => json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true}),
        };
        let session = client.open_as(&place, capabilities);
        Self {
            client,
            place,
            rng: Rng::with_seed(seed),
            session,
            allowed: Vec::new(),
            open: Vec::new(),
            n_chunks: 0,
            is_cancelled: false,
        }
    }

    /// One turn; `Break` where the client has died in it.
    fn turn(&mut self, number: usize, dies: bool) -> ControlFlow<()> {
        let prompt = self.client.begin(&self.session, &format!("go {number}"));
        (self.n_chunks, self.is_cancelled) = (0, false);
        let end = self.rng.usize(..CHUNKS + 10);
        for n_messages in 0.. {
            if dies && n_messages == end {
                return ControlFlow::Break(());
            }
            let message = self.client.next();
            if message["id"] == prompt && message.get("method").is_none() {
                self.ended(number, &message);
                return ControlFlow::Continue(());
            }
            self.take(number, &message);
            match self.rng.u32(..200) {
                0 => self.client.send_line("{\"jsonrpc\": \"2.0\", oops"),
                1 => self
                    .client
                    .send(&json!({"jsonrpc": "2.0", "id": 4_711, "result": {}})),
                2 => self.client.send(&json!([1, {"a": null}])),
                3 => self
                    .client
                    .notify("_faulty/tell", json!({"sessionId": "nobody's"})),
                4 => std::thread::sleep(Duration::from_millis(200)),
                5 => {
                    let params = json!({"sessionId": "nobody's", "modeId": 3});
                    self.open
                        .push(self.client.request("session/set_mode", params));
                }
                6 => {
                    let params = json!({"sessionId": self.session});
                    self.open
                        .push(self.client.request("session/prompt", params));
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, number: usize, message: &Value) {
        let text = message["params"]["update"]["content"]["text"].as_str();
        if let Some(chunk) = text.and_then(|text| text.strip_prefix("n:")) {
            self.n_chunks += 1;
            assert_eq!(chunk, self.n_chunks.to_string(), "in order, once each");
        }
        if message.get("method").is_none() {
            let answered = self.open.iter().position(|id| message["id"] == *id);
            if let Some(at) = answered {
                assert_eq!(message["error"]["code"], -32602, "{message}");
                self.open.remove(at);
            }
            return;
        }
        match message["method"].as_str() {
            Some("session/request_permission") => self.decide(number, message),
            Some(_) if message.get("id").is_some() => self.misuse(message),
            _ => {}
        }
    }

    /// Answers a permission request in a way that counts, or in one that does not.
    fn decide(&mut self, number: usize, message: &Value) {
        let options = message["params"]["options"].as_array().expect("options");
        let of_kind = |kind: &str| {
            let option = options.iter().find(|option| option["kind"] == kind);
            option.map_or(Value::Null, |option| option["optionId"].clone())
        };
        let selected = |id: Value| json!({"outcome": {"outcome": "selected", "optionId": id}});
        let id = &message["id"];
        let answer = match self.rng.u32(..7) {
            0 | 1 => {
                self.allowed.push(number);
                json!({"result": selected(of_kind("allow_once"))})
            }
            2 => json!({"result": selected(of_kind("reject_once"))}),
            3 => json!({"result": selected(json!("never offered"))}),
            4 => json!({"error": {"code": -1, "message": "no idea"}}),
            5 => json!({"result": "allow_once"}),
            _ => {
                // It never answers: the person gives up.
                self.is_cancelled = true;
                return self
                    .client
                    .notify("session/cancel", json!({"sessionId": self.session}));
            }
        };
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = id.clone();
        self.client.send(&answer);
        // The second answer to the same question is ignored.
        if self.rng.bool() {
            let yes = selected(of_kind("allow_once"));
            self.client
                .send(&json!({"jsonrpc": "2.0", "id": id, "result": yes}));
        }
    }

    /// What the client has promised and does not do.
    fn misuse(&mut self, message: &Value) {
        let result = match self.rng.u32(..3) {
            0 => json!({}),
            1 => json!({"content": 3, "terminalId": null, "action": "accept"}),
            _ => {
                let error = json!({"code": -32603, "message": "broken"});
                let id = &message["id"];
                return self
                    .client
                    .send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
        };
        let id = &message["id"];
        self.client
            .send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn ended(&mut self, number: usize, answer: &Value) {
        let reason = match self.is_cancelled {
            true => "cancelled",
            false => "end_turn",
        };
        assert_eq!(answer["result"]["stopReason"], reason, "{answer}");
        assert_eq!(self.n_chunks, CHUNKS);
        let is_there = |name: &str| {
            self.place
                .project()
                .join(format!("{name}-{number}"))
                .exists()
        };
        assert!(is_there("ours"), "the edit is lost");
        assert_eq!(
            is_there("theirs"),
            self.allowed.contains(&number),
            "{number}"
        );
    }
}

#[test]
fn clients_chosen_by_chance_lose_nothing_allow_nothing_by_mistake_and_wedge_nothing() {
    for seed in 0..CLIENTS {
        let mut faulty = Faulty::new(seed);
        let dies_in = match seed % 4 {
            0 => Some(faulty.rng.usize(..TURNS)),
            _ => None,
        };
        let mut n_ended = 0;
        for number in 0..TURNS {
            if faulty.turn(number, dies_in == Some(number)).is_break() {
                break;
            }
            n_ended += 1;
        }
        if dies_in.is_none() {
            while !faulty.open.is_empty() {
                let message = faulty.client.next();
                faulty.take(TURNS, &message);
            }
        }
        let Faulty { client, place, .. } = faulty;
        let mut child = client.die();
        assert_eq!(wait(&mut child), Some(0), "seed {seed}");
        crate::run::assert_none_left(place.path("script.toml").to_str().expect("text"));
        let shown = place.run(&["history", "show", "1"]).out;
        for number in 0..n_ended {
            assert!(
                shown.contains(&format!("n:{CHUNKS}")),
                "seed {seed}, {number}: {shown}"
            );
        }
    }
}
