//! The user's file of servers, good and bad: what is handed on and what is reported.

use super::*;
use serde_json::json;

/// A folder, and folders as a search path has them.
const HOME: &str = match cfg!(windows) {
    true => r"C:\h\somebody",
    false => "/h/somebody",
};
const FOLDERS: &str = match cfg!(windows) {
    true => r"C:\usr\bin;C:\bin",
    false => "/usr/bin:/bin",
};

fn read_text(text: &str) -> UserServers {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mcp.json");
    std::fs::write(&file, text).expect("written");
    let env = [
        ("KEY", "hush-key"),
        ("TWO", "a\nb"),
        ("HOME", HOME),
        ("USER", "somebody"),
        ("PATH", FOLDERS),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    UserServers::read(&file, &env.into())
}

/// The names that are handed on, and what is reported.
fn taken(text: &str) -> (String, String) {
    let found = read_text(text);
    let names = found.servers.iter().map(|server| match server {
        McpServer::Stdio { name, .. }
        | McpServer::Http { name, .. }
        | McpServer::Sse { name, .. } => name.as_str(),
    });
    let names = names.collect::<Vec<_>>().join(" ");
    (names, found.untold.join("\n"))
}

#[test]
fn a_bad_entry_is_named_with_its_reason_and_keeps_no_other_away() {
    for (entry, why) in [
        (r#""bad": 1"#, "it is not an object"),
        (r#""bad": null"#, "it is not an object"),
        (r#""bad": {}"#, "exactly one of `command` and `url`"),
        (
            r#""bad": {"command": "x", "url": "http://x"}"#,
            "exactly one of `command` and `url`",
        ),
        (
            r#""bad": {"command": ["hush"]}"#,
            "its `command` is empty or not text",
        ),
        (
            r#""bad": {"command": ""}"#,
            "its `command` is empty or not text",
        ),
        (r#""bad": {"command": "./hush"}"#, "nor an absolute path"),
        (
            r#""bad": {"command": "x", "args": "hush"}"#,
            "its `args` is not a list of strings",
        ),
        (
            r#""bad": {"command": "x", "env": {"K": ["hush"]}}"#,
            "`K` in its `env`",
        ),
        (
            r#""bad": {"command": "x", "env": {"K": "${hush"}, "args": ["${NOT}"]}"#,
            "the variable NOT is not set",
        ),
        (
            r#""bad": {"command": "x", "args": ["${HOME/hush"]}"#,
            "a `${` in it has no `}`",
        ),
        (
            r#""bad": {"command": "x", "disabled": "true"}"#,
            "neither true nor false",
        ),
        (
            r#""bad": {"type": "http", "command": "x"}"#,
            "its `type` fits no `command`",
        ),
        (
            r#""bad": {"type": "ws", "url": "http://x"}"#,
            "its `type` fits no `url`",
        ),
        (
            r#""bad": {"url": "file:///etc/hush"}"#,
            "not an http or https",
        ),
        (
            r#""bad": {"url": "hush.example.org"}"#,
            "not an http or https",
        ),
        (
            r#""bad": {"url": "http://x", "headers": {"A B": "hush"}}"#,
            "`A B` in its `headers`",
        ),
        (
            r#""bad": {"url": "http://x", "headers": {"A": "${TWO}"}}"#,
            "`A` in its `headers`",
        ),
        (r#""": {"command": "x"}"#, "that is not a name"),
        ("\"turned\u{202e}\": {\"command\": \"x\"}", "invisible"),
        (
            r#""Intellij_Code Tools": {"command": "x"}"#,
            "that name is taken",
        ),
    ] {
        let text = format!(
            r#"{{"mcpServers": {{"a": {{"command": "a"}}, {entry}, "z": {{"url": "https://z"}}}}}}"#
        );
        let (names, told) = taken(&text);
        assert_eq!(names, "a z", "{entry}: {told}");
        assert!(told.contains(why), "{entry}: {told}");
        assert_eq!(told.lines().count(), 1, "{entry}: {told}");
        assert!(
            !told.contains("hush") && !told.contains('\u{202e}'),
            "{told}"
        );
    }
}

#[test]
fn a_file_that_is_no_list_of_servers_says_so_and_tells_no_value() {
    for (text, why) in [
        ("", "not JSON"),
        ("{\"mcpServers\": {\"a\": hush}}", "line 1, column"),
        ("{}", "no object `mcpServers`"),
        (r#"{"mcpServers": []}"#, "no object `mcpServers`"),
        (r#"{"servers": {"a": {}}}"#, "no object `mcpServers`"),
    ] {
        let (names, told) = taken(text);
        assert_eq!(names, "", "{text}");
        assert!(
            told.contains(why) && told.contains("mcp.json"),
            "{text}: {told}"
        );
        assert!(!told.contains("hush"), "{told}");
    }
    let none = UserServers::read(Path::new("/no/such/mcp.json"), &BTreeMap::new());
    assert!(none.untold.is_empty());
    let marked = "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"a\"}}}";
    assert_eq!(taken(marked), ("a".to_owned(), String::new()));
}

#[test]
fn twenty_thousand_servers_are_a_hundred_and_a_word_and_not_a_flood() {
    let entries = (0..20_000).map(|n| format!(r#""s{n}": {{"command": "x"}}"#));
    let all = entries.collect::<Vec<_>>().join(",");
    let (names, told) = taken(&format!(r#"{{"mcpServers": {{{all}}}}}"#));
    assert_eq!(names.split(' ').count(), 100);
    assert!(told.contains("19900 further MCP servers"), "{told}");
    let (names, told) = taken(&" ".repeat(2 << 20));
    assert!(names.is_empty() && told.contains("too large"), "{told}");
    let long = "n".repeat(70_000);
    let (names, told) = taken(&format!(
        r#"{{"mcpServers": {{"{long}": {{"command": "x"}}}}}}"#
    ));
    assert!(names.is_empty() && told.contains("more than 64"), "{told}");
    assert!(told.len() < 300, "{}", told.len());
}

#[test]
fn a_variable_is_put_in_wherever_it_stands_and_hides_only_what_headers_and_variables_say() {
    let found = read_text(
        r#"{"mcpServers": {"a": {"url": "https://x/${KEY}", "headers": {"A": "Bearer ${KEY}"}},
            "b": {"command": "${HOME}/${KEY}/b", "args": ["${KEY}!"], "env": {"PORT": 8080}}}}"#,
    );
    assert_eq!(found.untold, Vec::<String>::new());
    assert!(
        matches!(&found.servers[..], [McpServer::Http { url, .. }, McpServer::Stdio { command, args, .. }]
            if url == "https://x/hush-key" && *command == format!("{HOME}/hush-key/b") && args[0] == "hush-key!")
    );
    assert_eq!(found.secrets(), ["8080", "Bearer hush-key", "hush-key"]);
}

#[test]
fn a_secret_is_kept_quiet_also_without_what_stands_around_it_and_a_folder_is_named_as_ever() {
    let found = read_text(
        r#"{"mcpServers": {"a": {"url": "https://x", "headers": {"A": "bearer written-down", "B": "id=${KEY};v=1"}},
            "b": {"command": "b", "env": {"DB": "postgres://me:${KEY}@db", "P": "${HOME}/bin:${PATH}", "U": "u-${USER}"}}}}"#,
    );
    assert_eq!(found.untold, Vec::<String>::new());
    let secrets = found.secrets();
    for secret in ["written-down", "hush-key", "postgres://me:hush-key@db"] {
        assert!(
            secrets.iter().any(|one| one == secret),
            "{secret}: {secrets:?}"
        );
    }
    for open in [HOME, FOLDERS, "somebody"] {
        assert!(secrets.iter().all(|one| one != open), "{open}: {secrets:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_a_folder_or_a_device_in_its_place_holds_up_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("mcp.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    for file in [&pipe, folder.path(), Path::new("/dev/zero")] {
        let found = UserServers::read(file, &BTreeMap::new());
        assert!(
            found.untold[0].contains("it is not a file"),
            "{:?}",
            found.untold
        );
    }
}

#[test]
fn an_acp_clients_servers_are_judged_as_the_users_own_and_kept_as_written() {
    let server = |name: &str, kind: &str| json!({"name": name, "type": kind, "more": [1]});
    let stdio = json!({"name": "plain one", "command": "/t", "args": [], "env": []});
    let given = [
        stdio.clone(),
        server("web", "http"),
        server("old", "sse"),
        server("Intellij_Code-Tools", "http"),
        server("mine", "http"),
        server("odd", "websocket"),
    ];
    let capabilities = AgentCapabilities {
        mcp_http: true,
        ..AgentCapabilities::default()
    };
    let mcp = McpDelivery::default();
    let (kept, told) = of_client(&given, &["mine"], &capabilities, &mcp);
    assert_eq!(
        kept,
        [stdio, server("web", "http"), server("odd", "websocket")]
    );
    let told = told.join("\n");
    for (name, why) in [
        ("old", "does not support such servers"),
        ("Intellij_Code-Tools", "that name is taken"),
        ("mine", "has a server of that name"),
    ] {
        let line = told.lines().find(|line| line.contains(name));
        assert!(line.is_some_and(|line| line.contains(why)), "{told}");
    }
}
