//! Files that the client has open: our tools and the agent read its unsaved texts, and write through it.

use serde_json::{Value, json};

use super::client::Client;
use crate::process::Place;

const READ: &str = "fs/read_text_file";
const WRITE: &str = "fs/write_text_file";

fn files() -> Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": true}})
}

/// The model edits by our tool: of `1` makes `2`.
fn edits(expected: &str) -> String {
    format!(
        "[[prompt]]\nstep = [{{ call = \"intellij_write_file\", arguments = {{ path = \"a.txt\", \
         old_text = \"1\", new_text = \"2\" }}, expect_result_contains = \"{expected}\" }}, \
         {{ say = \"Done.\" }}]\n"
    )
}

struct Editing {
    place: Place,
    client: Client,
    session: String,
    prompt: u64,
}

impl Editing {
    /// A client that can do this, whose file `a.txt` holds `1` and a newline on disk; the edit has begun.
    fn begin(capabilities: Value, expected: &str) -> Self {
        let place = Place::new();
        std::fs::write(place.project().join("a.txt"), "1\n").expect("written");
        let mut client = Client::scripted(&place, &edits(expected), &[]);
        let session = client.open_as(&place, capabilities);
        let prompt = client.begin(&session, "edit");
        Self {
            place,
            client,
            session,
            prompt,
        }
    }

    fn end(mut self) -> String {
        self.client.answer(self.prompt);
        let said = self.client.said();
        assert!(
            said.contains("Done.") && !said.contains("EXPECTATION FAILED"),
            "{said}"
        );
        std::fs::read_to_string(self.place.project().join("a.txt")).expect("there")
    }
}

#[test]
fn an_edit_changes_the_unsaved_text_and_goes_through_the_client() {
    let mut editing = Editing::begin(files(), "wrote a.txt");
    let path = editing.place.project().join("a.txt");
    let read = editing
        .client
        .reply(READ, json!({"content": "unsaved\n1\n"}));
    assert_eq!(read["sessionId"], editing.session);
    assert_eq!(read["path"], path.to_str().expect("text"));
    let written = editing.client.reply(WRITE, json!({}));
    assert_eq!(written["content"], "unsaved\n2\n");
    // The client has it in its buffer, not on disk.
    editing
        .client
        .reply(READ, json!({"content": "unsaved\n2\n"}));
    assert_eq!(editing.end(), "1\n", "saving is the client's business");
}

#[test]
fn a_client_that_lies_about_a_write_costs_no_edit() {
    let mut editing = Editing::begin(files(), "wrote a.txt");
    editing.client.reply(READ, json!({"content": "1\n"}));
    editing.client.reply(WRITE, json!({}));
    editing.client.reply(READ, json!({"content": "1\n"}));
    assert_eq!(editing.end(), "2\n");
}

#[test]
fn what_a_client_refuses_goes_to_disk_unless_it_has_unsaved_changes() {
    for (open, expected, on_disk) in [
        ("1\n", "wrote a.txt", "2\n"),
        ("unsaved\n1\n", "has unsaved changes", "1\n"),
    ] {
        let mut editing = Editing::begin(files(), expected);
        editing.client.reply(READ, json!({"content": open}));
        let asked = editing.client.until(|message| message["method"] == WRITE);
        let error = json!({"code": -32603, "message": "it is locked"});
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "error": error});
        editing.client.send(&answer);
        assert_eq!(editing.end(), on_disk, "{open}");
    }
}

#[test]
fn a_client_that_never_answers_for_files_is_not_asked_again() {
    let mut editing = Editing::begin(files(), "wrote a.txt");
    let n_asked = |client: &Client| {
        let methods = client.seen.iter().map(|message| &message["method"]);
        methods.filter(|m| *m == READ || *m == WRITE).count()
    };
    editing.client.answer(editing.prompt);
    assert_eq!(n_asked(&editing.client), 1, "{:#?}", editing.client.seen);
    let text = std::fs::read_to_string(editing.place.project().join("a.txt")).expect("there");
    assert_eq!(text, "2\n");
}

#[test]
fn a_write_that_is_cancelled_before_the_client_answers_does_not_land_on_disk() {
    let mut editing = Editing::begin(files(), "");
    editing.client.reply(READ, json!({"content": "1\n"}));
    let asked = editing.client.until(|message| message["method"] == WRITE);
    let of = json!({"sessionId": editing.session});
    editing.client.notify("session/cancel", of);
    let (mut is_withdrawn, mut answer) = (false, Value::Null);
    while !is_withdrawn || answer.is_null() {
        let message = editing.client.next();
        is_withdrawn |= message["method"] == "$/cancel_request"
            && message["params"]["requestId"] == asked["id"];
        if message["id"] == editing.prompt && message.get("method").is_none() {
            answer = message;
        }
    }
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
    // It may say yes all the same, and too late.
    let late = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {}});
    editing.client.send(&late);
    let file = editing.place.project().join("a.txt");
    assert_eq!(editing.client.close(), Some(0));
    assert_eq!(std::fs::read_to_string(file).expect("there"), "1\n");
}
