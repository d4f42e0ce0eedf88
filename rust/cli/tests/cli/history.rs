//! What is kept of conversations: whole, private, without secrets, through kills and full disks.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::process::{Ended, PATIENCE, Place, entries, wait};

pub(crate) const SCRIPT: &str = "[[prompt]]\nmatch = \"first\"\nstep = [{ say = \"The answer is blue.\" }, { shell = \"echo hello\", \
                      description = \"Greet\" }, { say = \"Done.\" }]\n[[prompt]]\nmatch = \"second\"\nstep = [{ say = \"Two.\" }]\n";

pub(crate) fn words(place: &Place, script: &str, more: &[&str]) -> Vec<String> {
    let file = place.path("script.toml");
    let text = format!("shape = \"copilot\"\nreally = true\n{script}");
    std::fs::write(&file, text).expect("written");
    let agent = format!(
        "'{}' scripted-agent --script '{}'",
        env!("CARGO_BIN_EXE_siderail"),
        file.display()
    );
    let command = ["chat", "--agent", "copilot", "--agent-command", &agent];
    let all = command
        .iter()
        .chain(&["--hide", "off", "--json"])
        .chain(more);
    all.map(|word| (*word).to_owned()).collect()
}

pub(crate) fn talk(place: &Place, script: &str, more: &[&str], input: &str) -> Ended {
    let words = words(place, script, more);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = place.run_with(&words, input.as_bytes());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended
}

pub(crate) fn files(place: &Place) -> Vec<PathBuf> {
    let folders = entries(&place.path("home/.local/state/siderail/history"));
    folders.iter().flat_map(|folder| entries(folder)).collect()
}

#[test]
fn a_conversation_is_listed_shown_found_and_exported_and_forgotten_when_told() {
    let place = Place::new();
    talk(
        &place,
        SCRIPT,
        &["--answer", "allow"],
        "the first\nthe second\n",
    );
    let listed = place.run(&["history", "list", "--json"]).lines();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0]["title"].as_str(), listed[0]["prompts"].as_u64()),
        (Some("the first"), Some(2))
    );
    let shown = place.run(&["history", "show", "1"]).out;
    for text in [
        "> the first",
        "The answer is blue.",
        "echo hello",
        "> the second",
        "Two.",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let id = listed[0]["id"].as_str().expect("an id");
    let everywhere = place.run(&["history", "list", "--all"]).out;
    let project = place.project().display().to_string();
    assert!(
        everywhere.starts_with(id) && everywhere.contains(&project),
        "{everywhere}"
    );
    let found = place.run(&["history", "search", "ANSWER is"]).out;
    assert!(
        found.contains(id) && found.contains("The answer is blue."),
        "{found}"
    );
    let page = place.run(&["history", "export", id]).out;
    assert!(
        page.starts_with("# the first\n") && page.contains("\n> the second\n"),
        "{page}"
    );
    assert_eq!(place.run(&["history", "remove", id]).code, Some(0));
    assert_eq!(place.run(&["history", "list"]).out, "");
    assert_eq!(place.run(&["history", "show", id]).code, Some(2));
}

#[test]
fn a_number_that_is_too_high_names_no_conversation_by_the_beginning_of_its_id() {
    let place = Place::new();
    talk(&place, SCRIPT, &[], "the second\n");
    let [file] = files(&place).try_into().expect("one conversation");
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .expect("a name");
    let id = name
        .strip_suffix(".jsonl")
        .and_then(|name| name.split_once('-'))
        .expect("an id")
        .1;
    let text = std::fs::read_to_string(&file).expect("it can be read");
    std::fs::write(&file, text.replace(id, "99cafe00")).expect("it is ours");
    std::fs::rename(&file, file.with_file_name(name.replace(id, "99cafe00"))).expect("it is ours");
    for number in ["99", "0"] {
        assert_eq!(
            place.run(&["history", "show", number]).code,
            Some(2),
            "{number}"
        );
        assert_eq!(
            place.run(&["history", "remove", number]).code,
            Some(2),
            "{number}"
        );
    }
    assert_eq!(place.run(&["history", "show", "99ca"]).code, Some(0));
}

#[test]
fn a_call_of_our_tools_is_one_row_then_and_later_whether_it_ran_or_not() {
    let place = Place::new();
    let script = "[[prompt]]\nstep = [{ call = \"intellij_read_file\", arguments = {} }, \
                  { call = \"intellij_read_file\", arguments = { path = \"none\" } }, \
                  { call = \"run_command\", arguments = { command = \"seq 40\" } }]\n";
    for shape in ["copilot", "openhands", "claude", "codex-zed"] {
        let trace = place.path("t.jsonl").display().to_string();
        let mut words = words(&place, script, &["--answer", "allow", "--trace", &trace]);
        words.retain(|word| word != "--json");
        shape.clone_into(&mut words[2]);
        words[4] += &format!(" --shape {shape}");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let lived = place.run_with(&words, b"go\n");
        assert_eq!(lived.code, Some(0), "{lived:?}");
        let lived = lived.out;
        let later = [
            place.run(&["history", "show", "1"]).out,
            place.run(&["trace", "replay", &trace]).out,
        ];
        assert!(lived.contains("more lines; /output shows all"), "{lived}");
        assert!(!later.concat().contains("/output"), "{later:?}");
        for shown in [&lived, &later[0], &later[1]] {
            let calls = shown
                .lines()
                .filter(|line| line.starts_with('✗') || line.starts_with("✓ run"));
            let calls: Vec<&str> = calls.collect();
            assert_eq!(calls.len(), 3, "{shape}: {shown}");
            assert!(calls[0].contains("`path` is missing"), "{shape}: {shown}");
            assert!(
                calls[1].starts_with("✗ intellij_read_file none does not exist"),
                "{shape}: {shown}"
            );
            assert!(
                calls[2].starts_with("✓ run_command exit code 0"),
                "{shape}: {shown}"
            );
        }
    }
}

#[test]
fn a_call_is_found_once_however_much_of_it_says_the_text() {
    let place = Place::new();
    let script = "[[prompt]]\nstep = [{ say = \"I greet.\" }, { shell = \"echo hello\", description = \"hello\" }, \
                  { call = \"run_command\", arguments = { command = \"echo hello\" } }, { say = \"hello\" }]\n";
    talk(&place, script, &["--answer", "allow"], "go\n");
    let found = place.run(&["history", "search", "--json", "hello"]);
    assert_eq!(found.lines().len(), 3, "two calls and a message: {found:?}");
}

#[test]
fn a_denied_call_is_one_row_and_is_shown_later_as_it_was_seen() {
    let place = Place::new();
    std::fs::write(place.project().join("a.txt"), "x = 1\n").expect("written");
    let script = "[[prompt]]\nstep = [{ search = \"x\" }, { read = \"a.txt\" }, \
                  { edit = \"a.txt\", old = \"1\", new = \"2\" }, { shell = \"cat a.txt\" }, \
                  { shell = \"rm -r a.txt\" }]\n";
    let words = words(&place, script, &[]);
    let words = words.iter().map(String::as_str);
    let words: Vec<&str> = words.filter(|word| *word != "--json").collect();
    let rows = |text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| line.starts_with('✗'));
        rows.map(str::to_owned).collect()
    };
    let lived = rows(&place.run_with(&words, b"go\n").out);
    let [.., command] = &lived[..] else {
        panic!("no row");
    };
    assert_eq!(
        lived[..4],
        [
            "✗ denied grep: . → use search_text",
            "✗ denied view: a.txt → use intellij_read_file",
            "✗ denied edit: a.txt → use intellij_write_file",
            "✗ denied bash: cat a.txt → use intellij_read_file",
        ]
    );
    assert!(
        lived.len() == 5 && command.contains("rm -r a.txt"),
        "{lived:?}"
    );
    assert_eq!(rows(&place.run(&["history", "show", "1"]).out), lived);
    let again: Vec<&str> = words.iter().copied().chain(["--continue"]).collect();
    assert_eq!(rows(&place.run_with(&again, b"").out), lived, "resumed");
    let page = place.run(&["history", "export", "1"]).out;
    let calls: Vec<&str> = page.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(
        calls.iter().all(|row| row.starts_with("- denied")),
        "{page}"
    );
    assert_eq!(calls.len(), 5, "{page}");
}

#[test]
fn it_is_this_users_alone_and_holds_no_secret_of_the_environment() {
    let place = Place::new();
    let secret = "hush-7f2b9d104c55";
    let say = "[[prompt]]\nstep = [{ say = \"the key is hush-7f2b\" }, { say = \"9d104c55, keep it\" }]\n";
    talk(
        &place,
        say,
        &["--agent-env", &format!("MY_API_KEY={secret}")],
        &format!("is it {secret} or not\n"),
    );
    let [file] = files(&place).try_into().expect("one conversation");
    let mode =
        |path: &std::path::Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!(
        (mode(&file), mode(file.parent().expect("a folder"))),
        (0o600, 0o700)
    );
    let text = std::fs::read_to_string(&file).expect("it can be read");
    assert!(!text.contains(secret), "{text}");
    assert!(text.contains("is it") && text.contains("keep it"), "{text}");
}

#[test]
fn nothing_is_kept_where_the_settings_say_so_or_the_project_does() {
    for (user, project) in [("history = false\n", ""), ("", "history = false\n")] {
        let place = Place::new();
        place.config(user);
        std::fs::write(place.project().join(".siderail.toml"), project).expect("written");
        talk(&place, SCRIPT, &[], "the second\n");
        assert_eq!(files(&place), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_kill_in_the_middle_keeps_what_is_written_and_the_next_start_is_clean() {
    let place = Place::new();
    let steps =
        "{ say = \"piece\" }, { shell = \"true\", description = \"Nothing\" }, ".repeat(200);
    let script = format!(
        "[[prompt]]\nmatch = \"first\"\nstep = [{steps}]\n[[prompt]]\nstep = [{{ say = \"Two.\" }}]\n"
    );
    let all = words(&place, &script, &["--answer", "allow"]);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let mut command = place.siderail(&all);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("an input");
    input.write_all(b"the first\n").expect("it is read");
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().expect("an output")).lines() {
        let line = line.expect("a line");
        seen += usize::from(line.contains("\"TOOL_CALL\"") && line.contains("\"completed\""));
        if seen == 20 {
            break;
        }
    }
    // What was shown is written a moment later.
    let end = Instant::now() + PATIENCE;
    let file = loop {
        let found = files(&place).into_iter().next();
        let text = found.as_ref().map(std::fs::read_to_string);
        let calls = text.map_or(0, |text| {
            text.expect("text").matches("\"TOOL_CALL\"").count()
        });
        match found {
            Some(file) if calls >= seen => break file,
            _ => assert!(Instant::now() < end, "{calls} of {seen} calls are kept"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    child.kill().expect("it can be killed");
    wait(&mut child);
    assert_eq!(files(&place), std::slice::from_ref(&file));
    let kept = place.run(&["history", "show", "1", "--json"]).lines();
    let ended = kept
        .iter()
        .filter(|line| line["event"] == "TOOL_CALL")
        .count();
    assert!(ended >= seen, "{ended} of {seen} calls are kept");
    // A write that the kill cut in two.
    let whole = std::fs::read(&file).expect("it can be read");
    let mut torn = whole.clone();
    torn.extend_from_slice(br#"{"at":1,"turn":1,"event":"TURN_ST"#);
    std::fs::write(&file, &torn).expect("it can be written");
    let listed = place.run(&["history", "list", "--json"]).lines();
    let id = listed[0]["id"].as_str().expect("an id").to_owned();
    let is_told = |which: &str| {
        let shown = place.run(&["history", "show", which, "--json"]);
        assert_eq!(shown.lines().len(), kept.len());
        shown.err.contains("damaged line is left out")
    };
    assert!(is_told(&id));
    talk(&place, &script, &[], "the second\n");
    assert!(is_told(&id), "another conversation hides the damage");
    talk(&place, &script, &["--resume", &id], "the third\n");
    let now = std::fs::read(&file).expect("it can be read");
    assert!(now.starts_with(&whole), "the torn line is cut off");
    assert!(now.ends_with(b"\n") && now[whole.len()..].starts_with(br#"{"history":1"#));
    assert_eq!(place.run(&["history", "list", "--json"]).lines().len(), 2);
}

#[test]
fn a_full_disk_is_told_once_and_the_conversation_goes_on() {
    let place = Place::new();
    let long = "x".repeat(60_000);
    let script = format!(
        "[[prompt]]\nmatch = \"first\"\nstep = [{{ say = \"{long}\" }}, {{ say = \"{long}\" }}]\n\
                          [[prompt]]\nstep = [{{ say = \"Two.\" }}]\n[[prompt]]\nstep = [{{ say = \"Three.\" }}]\n"
    );
    let words = words(&place, &script, &[]);
    let mut shell = place.siderail(&[]);
    // No file may grow beyond 32 KB (bash counts in 1024 bytes).
    let line = "trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\"";
    let program = shell.get_program().to_owned();
    let envs: Vec<_> = shell
        .get_envs()
        .map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned)))
        .collect();
    shell = std::process::Command::new("bash");
    shell
        .arg("-c")
        .arg(line)
        .arg(program)
        .args(&words)
        .current_dir(place.project())
        .env_clear();
    shell.envs(envs.into_iter().filter_map(|(k, v)| Some((k, v?))));
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = shell.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("an input");
    input
        .write_all(b"the first\nthe second\nthe third\n")
        .expect("it is read");
    drop(input);
    let ended = Ended::of(child.wait_with_output().expect("it ends"));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let told = ended.lines();
    let told: Vec<_> = told
        .iter()
        .filter(|line| {
            line["text"]
                .as_str()
                .is_some_and(|t| t.contains("no longer saved"))
        })
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(ended.out.contains("Three."));
    let shown = place.run(&["history", "show", "1"]);
    assert!(
        shown.out.contains("> the first") && !shown.err.contains("damaged"),
        "{shown:?}"
    );
}

/// An agent that lists two pages of sessions and deletes what it is told to, for as long as it can.
fn remembering(place: &Place, can: &str) -> String {
    let line = |text: &str| format!("printf \"%s\\n\" '{text}'\n");
    let script = [
        "while read l; do n=$((n + 1)); case \"$l\" in\n*'\"initialize\"'*) ".to_owned(),
        line(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":1,"agentCapabilities":{{"sessionCapabilities":{can}}}}}}}"#
        )),
        ";;\n*'\"session/new\"'*) ".to_owned(),
        line(r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"own"}}"#),
        ";;\n*'\"session/list\"'*'\"cursor\":\"two\"'*) ".to_owned(),
        line(r#"{"jsonrpc":"2.0","id":4,"result":{"sessions":[{"sessionId":"s2","cwd":"/p"}]}}"#),
        ";;\n*'\"session/list\"'*) ".to_owned(),
        line(
            r#"{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"s1","cwd":"/p","title":"Fix x","updatedAt":"2026-01-01"},{"sessionId":"own","cwd":"/p"}],"nextCursor":"two"}}"#,
        ),
        ";;\n*'\"session/delete\"'*'\"s1\"'*) ".to_owned(),
        line(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
        ";;\n*'\"session/delete\"'*) ".to_owned(),
        line(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"no such session"}}"#),
        ";;\nesac; done\n".to_owned(),
    ]
    .concat()
    .replace("\n;;", " ;;");
    std::fs::write(place.path("agent.sh"), script).expect("written");
    format!("sh '{}'", place.path("agent.sh").display())
}

#[test]
fn the_agents_own_sessions_are_listed_page_by_page_and_one_is_deleted() {
    let place = Place::new();
    let command = remembering(&place, r#"{"list":{},"delete":{}}"#);
    let agent = ["--agent", "mine", "--agent-command", &command];
    let of = |words: &[&str]| place.run(&[words, &agent].concat());
    let listed = of(&["history", "list", "--json"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let ids: Vec<_> = listed
        .lines()
        .iter()
        .map(|line| line["id"].clone())
        .collect();
    assert_eq!(
        ids,
        ["s1", "s2"],
        "both pages, without the session that was opened to ask"
    );
    let shown = of(&["history", "list"]);
    assert!(shown.out.contains("s1  2026-01-01  Fix x\n"), "{shown:?}");
    let gone = of(&["history", "remove", "s1"]);
    assert_eq!(
        (gone.code, gone.out.as_str()),
        (Some(0), "s1 was removed\n"),
        "{gone:?}"
    );
    let missing = of(&["history", "remove", "s9"]);
    assert_eq!(missing.code, Some(4), "{missing:?}");
    assert!(missing.err.contains("no such session"), "{missing:?}");
}

#[test]
fn an_agent_that_remembers_nothing_is_not_asked_for_its_sessions() {
    let place = Place::new();
    let command = remembering(&place, "{}");
    for (words, why) in [
        (&["history", "list"][..], "cannot list sessions"),
        (&["history", "remove", "s1"], "cannot delete sessions"),
    ] {
        let agent = ["--agent", "mine", "--agent-command", &command];
        let ended = place.run(&[words, &agent].concat());
        assert_eq!(ended.code, Some(4), "{ended:?}");
        assert!(ended.err.contains(why), "{ended:?}");
    }
}

/// So many conversations of others, each used a minute after the one before; the first `days` ago.
fn others(folder: &std::path::Path, n: u64, days: u64) {
    for at in 0..n {
        let id = format!("{at:08x}");
        let head = format!(
            r#"{{"history":1,"id":"{id}","project":"/p","agent":"copilot","agent_session":"s","at":{at}}}"#
        );
        let path = folder.join(format!("{:015}-{id}.jsonl", 9_000_000_000_000 + at));
        std::fs::write(&path, format!("{head}\n")).expect("written");
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, private).expect("changed");
        used_ago(&path, days * 86_400 - at * 60);
    }
}

fn used_ago(path: &std::path::Path, seconds: u64) {
    let file = std::fs::File::options().append(true).open(path);
    let at = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
    let set = file.and_then(|file| file.set_modified(at));
    set.expect("the time of a file can be set");
}

#[test]
fn the_oldest_conversation_of_a_full_history_goes_on_and_loses_nothing() {
    let place = Place::new();
    let answer = ["--answer", "allow"];
    talk(&place, SCRIPT, &answer, "the first\n");
    let kept = files(&place).remove(0);
    used_ago(&kept, 90 * 86_400);
    others(kept.parent().expect("a folder"), 199, 2);
    let id = place
        .run(&["history", "search", "answer is", "--json"])
        .lines();
    let id = id[0]["id"].as_str().expect("an id").to_owned();
    let more = ["--answer", "allow", "--resume", &id];
    talk(&place, SCRIPT, &more, "the second\n");
    let shown = place.run(&["history", "show", &id]).out;
    for text in ["> the first", "The answer is blue.", "> the second"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert_eq!(files(&place).len(), 200);
}

#[test]
fn a_new_conversation_in_a_full_history_takes_the_place_of_the_one_used_longest_ago() {
    let place = Place::new();
    talk(&place, SCRIPT, &["--answer", "allow"], "the first\n");
    let first = files(&place).remove(0);
    let folder = first.parent().expect("a folder").to_owned();
    others(&folder, 202, 2);
    let empty = folder.join("000000000000001-eeeeeeee.jsonl");
    std::fs::write(&empty, "{\"torn\":").expect("written");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&empty, private).expect("changed");
    used_ago(&empty, 120);
    talk(&place, SCRIPT, &["--answer", "allow"], "the second\n");
    assert!(first.exists(), "it began first and was used last");
    let left = files(&place);
    assert_eq!(left.len(), 199, "one of the 200 was of a crash");
    let has = |id: &str| left.iter().any(|path| path.to_string_lossy().contains(id));
    assert!(!has("-00000000.") && !has("-00000003.") && has("-00000005."));
    assert!(!empty.exists(), "of a crash");
}

/// The sessions of an agent that does this when it is asked for them; `$n` is the number of the request.
fn listed(place: &Place, does: &str) -> Ended {
    let script = format!(
        "n=0; while read -r line; do n=$((n+1)); case \"$line\" in\n\
         *'\"initialize\"'*) echo '{}';;\n*'\"session/new\"'*) echo '{}';;\n*'\"session/list\"'*) {does};;\nesac; done\n",
        r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"own"}}"#,
    );
    std::fs::write(place.path("agent.sh"), script).expect("written");
    let agent = format!("sh '{}'", place.path("agent.sh").display());
    place.run(&[
        "history",
        "list",
        "--agent",
        "mine",
        "--agent-command",
        &agent,
    ])
}

#[test]
fn an_agent_that_wants_a_login_for_its_sessions_is_told_as_such_with_the_command() {
    let place = Place::new();
    let refuses = r#"echo '{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"log in"}}'"#;
    let ended = listed(&place, refuses);
    assert_eq!(ended.code, Some(7), "{ended:?}");
    let does_it = "siderail agents login mine --agent-command ";
    assert!(ended.err.contains(does_it), "{}", ended.err);
}

#[test]
fn pages_without_an_end_are_cut_and_it_is_said() {
    let place = Place::new();
    let page = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"sessions":[{"sessionId":"s%s","cwd":"/p"}],"nextCursor":"c"}}\n' $n $n"#;
    let ended = listed(&place, page);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.out.lines().count(), 100);
    assert!(
        ended.err.contains("more sessions than these"),
        "{}",
        ended.err
    );
}

#[test]
fn an_agent_that_does_not_say_its_sessions_is_not_waited_for_in_silence_nor_for_long() {
    let place = Place::new();
    let ended = listed(&place, ":");
    assert_eq!(ended.code, Some(5), "{ended:?}");
    for said in ["for the agent's list of sessions", "did not answer within"] {
        assert!(ended.err.contains(said), "{}", ended.err);
    }
}

#[test]
fn a_conversation_in_a_format_of_another_version_is_told_and_not_read() {
    let place = Place::new();
    talk(&place, SCRIPT, &[], "the first\n");
    let id = place.run(&["history", "list", "--json"]).lines()[0]["id"].clone();
    let id = id.as_str().expect("an id");
    let file = files(&place).pop().expect("a conversation");
    let text = std::fs::read_to_string(&file).expect("it can be read");
    std::fs::write(&file, text.replace("{\"history\":1,", "{\"history\":99,")).expect("written");
    let listed = place.run(&["history", "list"]);
    assert_eq!(
        (listed.code, listed.out.as_str()),
        (Some(0), ""),
        "{listed:?}"
    );
    assert!(
        listed.err.contains("left out: ") && listed.err.contains("format 99"),
        "{}",
        listed.err
    );
    let shown = place.run(&["history", "show", id]);
    assert_eq!(shown.code, Some(2), "{shown:?}");
    assert!(shown.err.contains("format 99"), "{}", shown.err);
}

#[test]
fn an_empty_word_names_no_conversation_and_is_found_nowhere() {
    let place = Place::new();
    talk(&place, SCRIPT, &[], "the first\n");
    for command in ["show", "export", "remove", "search"] {
        let ended = place.run(&["history", command, ""]);
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (Some(2), ""),
            "{command}: {ended:?}"
        );
    }
    assert_eq!(place.run(&["history", "list", "--json"]).lines().len(), 1);
}
