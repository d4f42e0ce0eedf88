//! Which call a request, an announcement or a failure is of, where no id says so.

use super::*;

#[test]
fn a_request_without_an_id_finds_its_call_by_command_then_by_file_then_by_tool() {
    let mut story = Story::new();
    story.call("a", "pending", json!({"command": "ls"}));
    story.call("b", "pending", json!({"command": "pwd"}));
    story.call(
        "c",
        "pending",
        json!({"tool": "edit", "kind": "edit", "paths": ["/p/src/a"]}),
    );
    story.ask(1, json!({"text": "ls", "asks": true}));
    story.ask(
        2,
        json!({"tool": "Write", "text": "Write a", "paths": ["src/a"], "asks": true}),
    );
    story.ask(3, json!({"text": "something", "asks": true}));
    story.check(&["Asking Bash ls", "Asking Bash pwd", "Asking edit /p/src/a"]);
    story.then(
        "PERMISSION_APPROVED",
        json!({"request_id": 2, "tool_call_id": null, "tool": "Write", "kind": "edit", "by": "user"}),
    );
    story.deny(3, json!({"by": "user"}));
    story.check(&["Asking Bash ls", "Denied Bash pwd", "Running edit /p/src/a"]);
}

#[test]
fn a_hook_that_calls_a_tool_otherwise_than_the_agent_does_is_about_the_call_that_waits() {
    let mut story = Story::new();
    let search = json!({"tool": "read", "kind": "read", "paths": ["/p"]});
    story.call(
        "sub",
        "in_progress",
        json!({"tool": "read", "kind": "read"}),
    );
    story.call("shell", "pending", json!({"command": "sleep 9"}));
    story.call("a", "pending", search.clone());
    story.call("b", "pending", json!({"tool": "read", "kind": "read"}));
    for (request, tool, kind) in [(1, "grep", "search_text"), (2, "glob", "find_file")] {
        let of_hook = json!({"tool": tool, "kind": kind, "paths": ["."], "channel": "hook"});
        story.ask(request, of_hook.clone());
        story.guidance(request, "search_text");
        story.deny(request, of_hook);
    }
    story.call("a", "failed", search);
    story.check(&[
        "Running read ",
        "Pending Bash sleep 9",
        "Denied read /p",
        "Denied read ",
    ]);
}

#[test]
fn a_search_that_is_denied_is_no_reading_of_a_file() {
    let mut story = Story::new();
    let read = json!({"tool": "read", "kind": "read", "paths": ["/p/a.rs"]});
    let of_hook = json!({"tool": "grep", "kind": "search_text", "paths": ["."], "channel": "hook"});
    story.call("a", "pending", read.clone());
    story.call("b", "pending", json!({"tool": "read", "kind": "read"}));
    story.ask(1, of_hook.clone());
    story.guidance(1, "search_text");
    story.deny(1, of_hook.clone());
    story.check(&["Pending read /p/a.rs", "Denied read "]);
    let mut story = Story::new();
    story.deny(1, of_hook);
    story.call("a", "failed", read);
    story.check(&["Denied grep .", "Failed read /p/a.rs"]);
}

#[test]
fn a_search_of_a_project_with_a_dot_in_its_name_is_one_call() {
    let search = json!({"tool": "find", "kind": "search", "paths": ["/p/next.js"]});
    let of_hook = json!({"tool": "grep", "kind": "search_text", "paths": ["."], "channel": "hook"});
    let mut story = Story::new();
    story.call("a", "pending", search.clone());
    story.ask(1, of_hook.clone());
    story.guidance(1, "search_text");
    story.deny(1, of_hook.clone());
    story.check(&["Denied find /p/next.js"]);
    let mut story = Story::new();
    story.deny(1, of_hook);
    story.call("a", "failed", search);
    story.check(&["Denied find /p/next.js"]);
}

#[test]
fn a_failure_behind_its_denial_is_that_call_though_the_hook_calls_its_tool_otherwise() {
    let mut story = Story::new();
    let read = |paths: &[&str]| json!({"tool": "read", "kind": "read", "paths": paths});
    story.deny(
        1,
        json!({"tool": "grep", "kind": "search_text", "paths": ["."]}),
    );
    story.deny(
        2,
        json!({"tool": "view", "kind": "read_file", "paths": ["src/a"]}),
    );
    story.call("b", "failed", read(&["/p/src/a"]));
    story.call("x", "failed", json!({"command": "false"}));
    story.call("a", "failed", read(&["/p"]));
    story.check(&[
        "Denied read /p",
        "Denied read /p/src/a",
        "Failed Bash false",
    ]);
    story.deny(
        3,
        json!({"tool": "view", "kind": "read_file", "paths": ["src/a"]}),
    );
    story.call("c", "completed", read(&["/p/src/a"]));
    story.check(&[
        "Denied read /p",
        "Denied read /p/src/a",
        "Failed Bash false",
        "Denied view src/a",
        "Done read /p/src/a",
    ]);
}

#[test]
fn a_request_of_a_later_run_with_the_same_number_is_another_one() {
    let mut story = Story::new();
    for (id, command) in [("a", "ls"), ("b", "pwd")] {
        story.prompt("go");
        story.call(id, "pending", json!({"command": command}));
        story.ask(1, json!({"text": command}));
        story.deny(1, json!({"text": command}));
        story.then(
            "TURN_ENDED",
            json!({"stop_reason": "end_turn", "continues": false}),
        );
    }
    story.check(&["User: go", "Denied Bash ls", "User: go", "Denied Bash pwd"]);
    let ignored = json!({"request_id": 1, "tool": "Bash", "kind": "execute", "channel": "hook"});
    story.then("GUIDANCE_IGNORED", ignored);
    assert_eq!(story.patches.len(), 1, "it is said of the last");
}

#[test]
fn an_announcement_behind_its_denial_is_the_same_call() {
    let mut story = Story::new();
    story.deny(
        1,
        json!({"tool": "edit", "kind": "edit", "paths": ["src/a"]}),
    );
    story.call(
        "c",
        "failed",
        json!({"tool": "edit", "kind": "edit", "paths": ["/p/src/a"]}),
    );
    story.check(&["Denied edit /p/src/a"]);
    story.call(
        "d",
        "failed",
        json!({"tool": "edit", "kind": "edit", "paths": ["/p/src/a"]}),
    );
    story.check(&["Denied edit /p/src/a", "Failed edit /p/src/a"]);
}

#[test]
fn a_failure_is_the_denied_calls_by_id_by_what_was_told_and_at_last_by_its_tool() {
    let mut story = Story::new();
    story.deny(1, json!({"tool_call_id": "a"}));
    story.call("a", "failed", json!({"command": "ls"}));
    story.check(&["Denied Bash ls"]);
    story.guidance(2, "search_text");
    story.deny(2, json!({"tool": "shell"}));
    story.call(
        "b",
        "failed",
        json!({"tool": "bash", "command": "grep x", "text": "Error: Use it."}),
    );
    story.check(&["Denied Bash ls", "Denied bash grep x"]);
    story.call(
        "of the agent",
        "failed",
        json!({"tool": "bash", "text": "denied by hook: Use it."}),
    );
    story.check(&["Denied Bash ls", "Denied bash grep x"]);
    story.deny(3, json!({"tool": "shell"}));
    story.call("c", "completed", json!({"tool": "shell", "command": "pwd"}));
    story.call("d", "failed", json!({"tool": "shell", "command": "id"}));
    story.check(&[
        "Denied Bash ls",
        "Denied bash grep x",
        "Denied shell id",
        "Done shell pwd",
    ]);
}
