//! `siderail mcp`: any MCP client gets the tools over standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};

use serde_json::{Value, json};

use crate::process::{Place, wait};

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    answers: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Client {
    fn start(place: &Place, policy: &str) -> Self {
        let project = place.project();
        let project = project.to_str().expect("text");
        let mut command = place.siderail(&["mcp", "--project", project, "--policy", policy]);
        let mut child = command
            .current_dir("/")
            .stdin(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("a piped output");
        Self {
            child,
            input,
            answers: BufReader::new(output).lines(),
        }
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{message}").expect("the server reads");
    }

    /// The next message; standard output holds nothing but messages.
    fn next(&mut self) -> Value {
        let line = self.answers.next().expect("an answer").expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    fn call(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub(crate) fn open(place: &Place) -> Self {
        Self::under(place, "redirect")
    }

    pub(crate) fn under(place: &Place, policy: &str) -> Self {
        let mut client = Self::start(place, policy);
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}
        });
        let answer = client.call(1, "initialize", params);
        assert_eq!(
            answer["result"]["serverInfo"]["name"], "intellij-code-tools",
            "{answer}"
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn offered(&mut self, id: u64) -> Vec<String> {
        let list = self.call(id, "tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().expect("a list");
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        names.map(str::to_owned).collect()
    }

    pub(crate) fn tool(&mut self, id: u64, name: &str, arguments: Value) -> (bool, String) {
        let answer = self.call(
            id,
            "tools/call",
            json!({"name": name, "arguments": arguments}),
        );
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no text in {answer}"));
        (result["isError"] == true, text.to_owned())
    }

    pub(crate) fn close(mut self) -> Option<i32> {
        self.input = None;
        wait(&mut self.child)
    }
}

#[test]
fn a_client_reads_and_writes_a_file_of_the_project() {
    let place = Place::new();
    std::fs::write(place.project().join("a.txt"), "one\ntwo\n").unwrap();
    let mut client = Client::open(&place);
    let names = client.offered(2);
    assert!(
        names.contains(&"intellij_read_file".to_owned()),
        "{names:?}"
    );
    let (failed, text) = client.tool(3, "intellij_read_file", json!({"path": "a.txt"}));
    assert!(!failed && text.contains("two"), "{text}");
    let arguments = json!({"path": "a.txt", "old_text": "two", "new_text": "three"});
    let (failed, text) = client.tool(4, "intellij_write_file", arguments);
    assert!(!failed, "{text}");
    assert_eq!(
        std::fs::read_to_string(place.project().join("a.txt")).unwrap(),
        "one\nthree\n"
    );
    assert_eq!(client.close(), Some(0));
    assert_eq!(place.left_behind().len(), 0, "the run's folder is gone");
}

/// Every request to a model carries the list: what it costs is decided, and does not grow by itself.
#[test]
fn the_list_of_tools_stays_small_as_agents_get_it() {
    let place = Place::new();
    // With nearly all that agents get; only what needs a person in any case is not there.
    place.config("yolo_dangerous = true\n");
    let mut client = Client::under(&place, "yolo");
    let list = client.call(2, "tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let n_bytes = list["result"]["tools"].to_string().len();
    assert!(tools.len() <= 40, "{}", tools.len());
    assert!(
        n_bytes <= 18_700,
        "{n_bytes} bytes for {} tools",
        tools.len()
    );
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_tool_that_would_always_ask_a_person_is_not_offered_where_nobody_is() {
    let place = Place::new();
    let asking = ["git_commit", "http_request", "run_command", "move_file"];
    let mut client = Client::open(&place);
    let names = client.offered(2);
    for tool in asking.iter().chain(&["delete_file", "ask_user"]) {
        assert!(
            !names.iter().any(|name| name == tool),
            "{tool} in {names:?}"
        );
    }
    for tool in [
        "git_diff",
        "git_stage",
        "git_branch",
        "run_tests",
        "search_text",
    ] {
        assert!(
            names.iter().any(|name| name == tool),
            "{tool} not in {names:?}"
        );
    }
    assert_eq!(client.close(), Some(0));
    let mut client = Client::under(&place, "yolo");
    let names = client.offered(2);
    for tool in asking {
        assert!(
            names.iter().any(|name| name == tool),
            "{tool} not in {names:?}"
        );
    }
    for tool in ["delete_file", "ask_user"] {
        assert!(
            !names.iter().any(|name| name == tool),
            "{tool} in {names:?}"
        );
    }
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_client_without_turns_hears_of_no_turn_and_of_nobody_to_ask() {
    let place = Place::new();
    let mut client = Client::under(&place, "yolo");
    let (failed, first) = client.tool(2, "run_command", json!({"command": "rm a.txt"}));
    assert!(failed && first.contains("nobody could be asked"), "{first}");
    for id in 3..9 {
        let (failed, text) = client.tool(id, "run_command", json!({"command": "rm a.txt"}));
        assert!(failed, "{text}");
        assert_eq!(
            text, first,
            "the seventh answer says what the first one says"
        );
    }
    assert!(!first.contains("turn"), "{first}");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn what_a_person_would_be_asked_is_denied_where_nobody_is() {
    let place = Place::new();
    let mut client = Client::open(&place);
    let delete = json!({"action": "delete", "name": "old"});
    let (failed, text) = client.tool(2, "git_branch", delete);
    assert!(failed && text.contains("nobody could be asked"), "{text}");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_path_that_no_tool_may_touch_is_said_so_and_is_nobodys_to_allow() {
    let place = Place::new();
    let too_long = "x".repeat(5_000);
    for policy in ["redirect", "yolo"] {
        let mut client = Client::under(&place, policy);
        for (id, path) in (2..).zip(["../home/x", too_long.as_str(), "a\0b"]) {
            let (failed, text) = client.tool(id, "intellij_read_file", json!({"path": path}));
            assert!(
                failed && text.contains("OUTSIDE_PROJECT"),
                "{policy}: {text}"
            );
        }
        assert_eq!(client.close(), Some(0));
    }
}

#[test]
fn a_bad_line_is_answered_and_the_server_goes_on() {
    let place = Place::new();
    let mut client = Client::open(&place);
    writeln!(client.input.as_mut().unwrap(), "not json").unwrap();
    let answer = client.next();
    assert_eq!(answer["error"]["code"], -32700, "{answer}");
    assert!(client.call(2, "ping", json!({}))["result"].is_object());
    assert_eq!(client.close(), Some(0));
}

#[test]
fn a_client_can_end_the_server_by_a_signal() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    let mut client = Client::open(&place);
    let pid = Pid::from_raw(client.child.id().cast_signed()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(wait(&mut client.child), Some(0));
    assert_eq!(place.left_behind().len(), 0, "the run's folder is gone");
}

#[test]
fn the_server_of_a_missing_project_says_so_on_standard_error_only() {
    let ended = Place::new().run(&["mcp", "--project", "/no/such/place"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
    assert!(ended.err.contains("/no/such/place"), "{}", ended.err);
}

#[test]
fn a_command_that_writes_outside_of_the_project_is_refused_where_nobody_can_be_asked() {
    let place = Place::new();
    let profile = place.path("home/.bashrc");
    std::fs::write(&profile, "mine\n").unwrap();
    let mut client = Client::under(&place, "yolo");
    for (id, command) in [
        (2, "date >> ~/.bashrc"),
        (3, "cp a ~/.bashrc"),
        (4, "cd ~ && date > notes"),
    ] {
        let (failed, text) = client.tool(id, "run_command", json!({"command": command}));
        assert!(failed && text.contains("DENIED"), "{command}: {text}");
    }
    assert_eq!(std::fs::read_to_string(&profile).unwrap(), "mine\n");
    let (failed, text) = client.tool(5, "run_command", json!({"command": "date > made.txt"}));
    assert!(!failed, "inside of the project it goes ahead: {text}");
    assert_eq!(client.close(), Some(0));
}

#[cfg(unix)]
#[test]
fn no_link_leads_a_command_out_of_the_project_unasked() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let home = place.path("home");
    for folder in ["sub", "deep", "inner", ".git/hooks"] {
        std::fs::create_dir_all(place.path(&format!("project/{folder}"))).unwrap();
    }
    std::fs::write(place.path("project/a"), "a\n").unwrap();
    std::fs::write(home.join("file"), "mine\n").unwrap();
    for (link, to) in [
        ("out", home.clone()),
        ("sub/via", place.path("project/out")),
        ("deep/a", home.join("file")),
        ("in", place.path("project/inner")),
        ("g", place.path("project/.git")),
    ] {
        symlink(to, place.path(&format!("project/{link}"))).unwrap();
    }
    let mut client = Client::under(&place, "yolo");
    for (id, command) in (2..).zip([
        "cp a out/x",
        "cp a out",
        "cp a sub/via/x",
        "cd sub && date > via/x",
        "cp a out/../home/x",
        "cp a ou*/x",
        "touch s*/v?a/x",
        "for d in */; do touch \"$d/x\"; done",
        "cp a deep",
        "date > \"out/$RANDOM\"",
        "cp a g/hooks/x",
        "ln -s ../home made && touch made/x",
    ]) {
        let (failed, text) = client.tool(id, "run_command", json!({"command": command}));
        assert!(failed && text.contains("DENIED"), "{command}: {text}");
    }
    let mut left: Vec<_> = std::fs::read_dir(&home)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    left.retain(|name| name == "x");
    assert_eq!(left.len(), 0);
    assert_eq!(std::fs::read(home.join("file")).unwrap(), b"mine\n");
    for (id, command) in (20..).zip(["cp a in/x", "cp a i?/y", "ln -s inner k && cp a k/z"]) {
        let (failed, text) = client.tool(id, "run_command", json!({"command": command}));
        assert!(!failed, "{command} stays inside: {text}");
    }
    assert_eq!(client.close(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_line_with_more_to_look_up_than_there_is_time_for_is_refused_at_once() {
    let place = Place::new();
    for folder in 0..60 {
        let folder = place.path(&format!("project/many/{folder}"));
        std::fs::create_dir_all(&folder).unwrap();
        for file in 0..100 {
            std::fs::write(folder.join(file.to_string()), "").unwrap();
        }
    }
    let mut client = Client::under(&place, "yolo");
    let patterns: Vec<String> = (0..200).map(|n| format!("*/*/*zz{n}")).collect();
    let names: Vec<String> = (0..300).map(|n| format!("made{n}")).collect();
    for (id, command) in (2..).zip([
        format!("false && touch {}", patterns.join(" ")),
        format!("touch {}", names.join(" ")),
    ]) {
        let begun = std::time::Instant::now();
        let (failed, text) = client.tool(id, "run_command", json!({"command": command}));
        assert!(failed && text.contains("DENIED"), "{text}");
        assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
    }
    let (failed, text) = client.tool(9, "run_command", json!({"command": "touch many/*/new"}));
    assert!(!failed, "what can be looked up goes ahead: {text}");
    assert_eq!(client.close(), Some(0));
}

#[test]
fn no_answer_names_a_tool_that_is_not_offered() {
    let place = Place::new();
    let mut client = Client::open(&place);
    let names = client.offered(2);
    assert!(!names.contains(&"run_command".to_owned()), "{names:?}");
    for (name, id) in ["git_status", "git_diff", "get_coverage", "run_tests"]
        .into_iter()
        .zip(3..)
    {
        let (_, text) = client.tool(id, name, json!({}));
        assert!(!text.contains("run_command"), "{name}: {text}");
    }
    assert_eq!(client.close(), Some(0));
}
