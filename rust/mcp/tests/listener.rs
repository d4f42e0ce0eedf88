//! Relays, strangers and hooks at the socket, and what the engine hears of them.
#![cfg_attr(
    unix,
    expect(clippy::unwrap_used, reason = "a test fails by panicking")
)]
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use siderail_mcp::listener::Token;
use siderail_mcp::{
    CallResult, HookReply, Limits, ListenError, Listener, ListenerEvent, PendingCall, SessionServer,
};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

mod scene;

const PATIENCE: Duration = Duration::from_secs(20);

fn listen() -> (TempDir, Listener) {
    let folder = TempDir::new().unwrap();
    let listener = Listener::bind(&folder.path().join("run"), Limits::default()).unwrap();
    (folder, listener)
}

fn register(listener: &Listener, session: u64) -> Token {
    listener.register(
        session,
        SessionServer {
            info: scene::info(),
            tools: scene::tools(),
        },
    )
}

async fn next(listener: &mut Listener) -> ListenerEvent {
    timeout(PATIENCE, listener.events.recv())
        .await
        .expect("an event comes")
        .expect("it listens")
}

async fn next_call(listener: &mut Listener) -> PendingCall {
    loop {
        if let ListenerEvent::Call { call, .. } = next(listener).await {
            return call;
        }
    }
}

fn hello(role: &str, token: &Token) -> String {
    let hello =
        json!({ "v": 1, "role": role, "agent": "qwen", "token": token.as_str(), "pid": 42 });
    format!("{hello}\n")
}

/// The agent's side of a connection, blocking as the relay's is.
struct Client {
    stream: UnixStream,
    lines: BufReader<UnixStream>,
}

impl Client {
    fn open(path: &Path) -> Self {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            lines: BufReader::new(stream.try_clone().unwrap()),
            stream,
        }
    }

    fn greet(path: &Path, token: &Token) -> Self {
        let mut client = Self::open(path);
        client.send(hello("mcp", token).as_bytes());
        client
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) {
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(format!("{line}\n").as_bytes());
    }

    fn echo(&mut self, id: u64, text: &str) {
        let params = json!({ "name": "echo", "arguments": { "text": text }, "_meta": { "progressToken": id } });
        self.request(id, "tools/call", &params);
    }

    /// The next message; null when the engine closed the connection.
    async fn read(mut self) -> (Self, Value) {
        spawn_blocking(move || {
            let mut line = String::new();
            match self.lines.read_line(&mut line) {
                Ok(0) => (self, Value::Null),
                Ok(_) => (self, serde_json::from_str(&line).unwrap()),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => (self, Value::Null),
                Err(error) => panic!("nothing to read: {error}"),
            }
        })
        .await
        .unwrap()
    }
}

/// Whether the engine closes a connection that sent these bytes, without an answer.
async fn check_refused(listener: &Listener, bytes: &[u8]) {
    let client = Client::open(listener.path());
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
    let (mut stream, bytes) = (client.stream.try_clone().unwrap(), bytes.to_vec());
    // The engine may close before all of it is written.
    let written = spawn_blocking(move || drop(stream.write_all(&bytes)));
    assert_eq!(client.read().await.1, Value::Null, "{shown}");
    written.await.unwrap();
}

#[tokio::test]
async fn only_this_user_can_reach_the_socket() {
    let (folder, listener) = listen();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.path().join("run")), 0o700);
    assert_eq!(mode(listener.path()), 0o600);
}

#[tokio::test]
async fn a_folder_that_others_can_enter_is_closed_to_them() {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let _listener = Listener::bind(folder.path(), Limits::default()).unwrap();
    assert_eq!(
        fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[tokio::test]
async fn a_folder_behind_a_link_and_a_path_that_is_too_long_are_refused_with_the_reason() {
    let folder = TempDir::new().unwrap();
    let link = folder.path().join("link");
    symlink(folder.path(), &link).unwrap();
    assert!(matches!(
        Listener::bind(&link, Limits::default()),
        Err(ListenError::NotOurs { .. })
    ));

    let long = folder.path().join("x".repeat(90));
    let error = Listener::bind(&long, Limits::default()).unwrap_err();
    assert!(matches!(error, ListenError::PathTooLong { .. }));
    assert!(error.to_string().contains("fewer than 100"), "{error}");
    assert!(!long.exists(), "nothing is left behind");
}

#[tokio::test]
async fn sockets_of_dead_engines_are_swept_and_living_ones_are_not() {
    let folder = TempDir::new().unwrap();
    let name = |pid: u32| folder.path().join(format!("{pid}-00000000.sock"));
    // No process has the largest number there is; a dropped listener leaves its file.
    let (dead, alive, foreign) = (
        name(i32::MAX as u32),
        name(1),
        folder.path().join("other.sock"),
    );
    for path in [&dead, &alive, &foreign] {
        drop(UnixListener::bind(path).unwrap());
    }
    let answering = name(i32::MAX as u32 - 1);
    let _other_namespace = UnixListener::bind(&answering).unwrap();
    let listener = Listener::bind(folder.path(), Limits::default()).unwrap();
    assert!(!dead.exists());
    assert!(alive.exists() && foreign.exists() && answering.exists());
    let path = listener.path().to_owned();
    assert!(path.exists());
    drop(listener);
    assert!(!path.exists(), "an engine that ends cleans up after itself");
}

#[tokio::test]
async fn a_call_passes_from_agent_to_engine_and_back() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 5);
    let mut client = Client::greet(listener.path(), &token);
    client.echo(1, "hi");
    let ListenerEvent::Connected {
        session: 5,
        conn,
        agent,
        pid: Some(42),
    } = next(&mut listener).await
    else {
        panic!("connected comes first");
    };
    assert_eq!(agent, "qwen");
    assert!(
        matches!(next(&mut listener).await, ListenerEvent::Started { session: 5, conn: at } if at == conn)
    );
    let ListenerEvent::Call {
        session: 5, call, ..
    } = next(&mut listener).await
    else {
        panic!("then the call");
    };
    assert_eq!(
        (call.name.as_str(), &call.arguments),
        ("echo", &json!({ "text": "hi" }))
    );
    call.progress(1.0, Some(2.0), "half");
    call.complete(CallResult::success("hi yourself"));
    let (client, report) = client.read().await;
    assert_eq!(report["params"]["message"], json!("half"));
    let (client, answer) = client.read().await;
    assert_eq!(answer["result"]["content"][0]["text"], json!("hi yourself"));
    drop(client);
    assert!(
        matches!(next(&mut listener).await, ListenerEvent::Closed { session: 5, conn: at } if at == conn)
    );
}

#[tokio::test]
async fn calls_run_side_by_side_and_are_answered_as_they_end() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let mut client = Client::greet(listener.path(), &token);
    for id in 1..=20 {
        client.echo(id, &format!("call {id}"));
    }
    let mut calls = Vec::new();
    while calls.len() < 20 {
        calls.push(next_call(&mut listener).await);
    }
    for call in calls.into_iter().rev() {
        let text = call.arguments["text"].as_str().unwrap().to_owned();
        call.complete(CallResult::success(text));
    }
    for id in (1..=20).rev() {
        let (same, answer) = client.read().await;
        client = same;
        assert_eq!(answer["id"], json!(id));
        assert_eq!(
            answer["result"]["content"][0]["text"],
            json!(format!("call {id}"))
        );
    }
}

#[tokio::test]
async fn a_handler_that_panics_or_forgets_its_call_does_not_leave_the_agent_waiting() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let mut client = Client::greet(listener.path(), &token);
    client.echo(1, "x");
    drop(next_call(&mut listener).await);
    let (mut client, answer) = client.read().await;
    assert_eq!(answer["result"]["isError"], json!(true));
    assert!(
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .starts_with("INTERNAL_ERROR: ")
    );

    client.echo(2, "x");
    let call = next_call(&mut listener).await;
    let panicked = std::thread::spawn(move || {
        let _call = call;
        std::panic::resume_unwind(Box::new("a bug"));
    });
    assert!(panicked.join().is_err());
    assert_eq!(client.read().await.1["result"]["isError"], json!(true));
}

#[tokio::test]
async fn a_cancelled_call_and_a_lost_connection_reach_the_handler() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let mut client = Client::greet(listener.path(), &token);
    client.echo(1, "x");
    client.echo(2, "y");
    let (first, second) = (
        next_call(&mut listener).await,
        next_call(&mut listener).await,
    );
    assert!(!first.is_cancelled() && !second.is_cancelled());
    client.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
    assert!(
        matches!(next(&mut listener).await, ListenerEvent::Cancelled { key, .. } if key == first.key)
    );
    assert!(first.is_cancelled() && !second.is_cancelled());
    first.complete(CallResult::success("for nobody"));
    client.stream.shutdown(Shutdown::Both).unwrap();
    assert!(
        matches!(next(&mut listener).await, ListenerEvent::Cancelled { key, .. } if key == second.key)
    );
    assert!(second.is_cancelled());
    assert!(matches!(
        next(&mut listener).await,
        ListenerEvent::Closed { .. }
    ));
    second.complete(CallResult::success("for nobody"));
}

#[tokio::test]
async fn calls_that_run_when_the_agent_closes_its_side_may_still_answer() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let mut client = Client::greet(listener.path(), &token);
    client.echo(1, "x");
    client.stream.shutdown(Shutdown::Write).unwrap();
    let call = next_call(&mut listener).await;
    sleep(Duration::from_millis(100)).await;
    call.complete(CallResult::success("in time"));
    let (client, answer) = client.read().await;
    assert_eq!(answer["result"]["content"][0]["text"], json!("in time"));
    assert_eq!(client.read().await.1, Value::Null);
}

#[tokio::test]
async fn an_agent_that_does_not_read_is_not_read_either_and_loses_nothing() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let client = Client::greet(listener.path(), &token);
    let mut stream = client.stream.try_clone().unwrap();
    // More pongs than the engine is ready to owe.
    const PINGS: usize = 300_000;
    let writing = spawn_blocking(move || {
        for _ in 0..PINGS / 100 {
            stream
                .write_all(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
                        .repeat(100)
                        .as_bytes(),
                )
                .unwrap();
        }
        stream.shutdown(Shutdown::Write).unwrap();
    });
    sleep(Duration::from_millis(800)).await;
    assert!(
        !writing.is_finished(),
        "what is not read is not taken in without end"
    );
    let mut stream = client.stream;
    let n_pongs = spawn_blocking(move || {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        all.iter().filter(|byte| **byte == b'\n').count()
    });
    assert_eq!(n_pongs.await.unwrap(), PINGS);
    writing.await.unwrap();
    assert!(matches!(
        next(&mut listener).await,
        ListenerEvent::Connected { .. }
    ));
}

#[tokio::test]
async fn strangers_are_closed_without_a_word_and_without_harm() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let wrong = Token("0".repeat(64));
    let cut = Token(token.as_str()[..63].to_owned());
    for stranger in [
        hello("mcp", &wrong),
        hello("hook", &wrong),
        hello("mcp", &cut),
        hello("mcp", &Token(String::new())),
    ] {
        check_refused(&listener, stranger.as_bytes()).await;
    }
    let valid = hello("mcp", &token);
    for line in [
        "\n".to_owned(),
        "GET / HTTP/1.1\r\n\r\n".to_owned(),
        "{}\n".to_owned(),
        "[]\n".to_owned(),
        valid.replace("\"v\":1", "\"v\":2"),
        valid.replace("\"v\":1", "\"v\":\"1\""),
        valid.replace("\"role\":\"mcp\"", "\"role\":\"root\""),
        valid.replace("\"pid\":42", "\"pid\":-1"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".to_owned(),
        format!("{}{valid}", " ".repeat(5_000)),
        "x".repeat(1_000_000),
    ] {
        check_refused(&listener, line.as_bytes()).await;
    }
    check_refused(&listener, b"\xff\xfe\x00\n").await;
    // None of them was heard of, and the session still works.
    let mut client = Client::greet(listener.path(), &token);
    assert!(matches!(
        next(&mut listener).await,
        ListenerEvent::Connected { .. }
    ));
    client.request(1, "ping", &json!({}));
    assert_eq!(client.read().await.1["result"], json!({}));
}

#[tokio::test]
async fn no_damage_to_a_hello_line_opens_the_door_or_breaks_it() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let whole = hello("mcp", &token).into_bytes();
    let start = whole
        .windows(64)
        .position(|part| part == token.as_str().as_bytes())
        .unwrap();
    for n in 0..300_usize {
        let mut damaged = whole.clone();
        // Every damage hits the token, so that none of them may be let in.
        damaged[start + n % 64] ^= 1 << (n % 7);
        damaged[(n * 31) % whole.len()] = (n % 251) as u8;
        damaged[start + (n + 1) % 64] = b'!';
        damaged.truncate(whole.len() - n % 3);
        damaged.push(b'\n');
        check_refused(&listener, &damaged).await;
    }
    assert!(
        listener.events.try_recv().is_err(),
        "none of them was let in"
    );
    let mut client = Client::greet(listener.path(), &token);
    client.request(1, "ping", &json!({}));
    assert_eq!(client.read().await.1["result"], json!({}));
}

#[tokio::test]
async fn a_hello_in_pieces_is_understood_and_what_follows_it_is_not_lost() {
    let (_folder, listener) = listen();
    let token = register(&listener, 1);
    let mut client = Client::open(listener.path());
    let bytes = format!(
        "{}{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n",
        hello("mcp", &token)
    );
    let (start, rest) = bytes.split_at(30);
    client.send(start.as_bytes());
    sleep(Duration::from_millis(50)).await;
    client.send(rest.as_bytes());
    assert_eq!(client.read().await.1["result"], json!({}));
}

#[tokio::test]
async fn a_connection_that_says_nothing_is_closed_after_a_while() {
    let (_folder, listener) = listen();
    check_refused(&listener, b"{\"v\":1").await;
}

#[tokio::test]
async fn a_token_is_not_used_up_by_processes_that_list_and_leave() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    for _ in 0..3 {
        let mut probe = Client::greet(listener.path(), &token);
        probe.request(1, "tools/list", &json!({}));
        assert!(probe.read().await.1["result"]["tools"].is_array());
        assert!(matches!(
            next(&mut listener).await,
            ListenerEvent::Connected { .. }
        ));
        assert!(matches!(
            next(&mut listener).await,
            ListenerEvent::Started { .. }
        ));
        assert!(matches!(
            next(&mut listener).await,
            ListenerEvent::Closed { .. }
        ));
    }
}

#[tokio::test]
async fn a_revoked_session_is_closed_and_its_token_worthless_while_others_go_on() {
    let (_folder, mut listener) = listen();
    let (revoked, kept) = (register(&listener, 1), register(&listener, 2));
    assert_ne!(revoked, kept);
    assert_eq!(revoked.as_str().len(), 64);
    assert!(
        !format!("{revoked:?}").contains(revoked.as_str()),
        "tokens do not get into logs"
    );
    let mut client = Client::greet(listener.path(), &revoked);
    client.echo(1, "x");
    let call = next_call(&mut listener).await;
    listener.revoke(1);
    assert_eq!(client.read().await.1, Value::Null);
    assert!(matches!(
        next(&mut listener).await,
        ListenerEvent::Cancelled { .. }
    ));
    assert!(call.is_cancelled());
    check_refused(&listener, hello("mcp", &revoked).as_bytes()).await;
    let mut other = Client::greet(listener.path(), &kept);
    other.request(1, "ping", &json!({}));
    assert_eq!(other.read().await.1["result"], json!({}));
}

/// Sends a hook's payload as the relay does and gives the engine's side of it.
async fn ask(
    listener: &mut Listener,
    token: &Token,
    sent: &[u8],
) -> (UnixStream, String, Vec<u8>, HookReply) {
    let mut stream = UnixStream::connect(listener.path()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let hello = hello("hook", token).replace("\"pid\"", "\"event\":\"PreToolUse\",\"pid\"");
    let (mut writing, bytes) = (
        stream.try_clone().unwrap(),
        [hello.as_bytes(), sent].concat(),
    );
    spawn_blocking(move || {
        writing.write_all(&bytes).unwrap();
        writing.shutdown(Shutdown::Write).unwrap();
    });
    let ListenerEvent::Hook {
        session: 1,
        agent,
        event,
        payload,
        reply,
    } = next(listener).await
    else {
        panic!("a hook is heard of");
    };
    assert_eq!(event.as_deref(), Some("PreToolUse"));
    stream.flush().unwrap();
    (stream, agent, payload, reply)
}

#[tokio::test]
async fn a_hook_that_printed_the_reason_is_a_receipt() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let sent = b"{\"tool_name\":\"Bash\"}\nand more";
    let (stream, agent, payload, reply) = ask(&mut listener, &token, sent).await;
    assert_eq!(
        (agent.as_str(), payload.as_slice()),
        ("qwen", sent.as_slice())
    );
    let printing = spawn_blocking(move || {
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        line
    });
    assert!(reply.answer(2, "{\"reason\":\"é\n\"}".into()).await);
    let answer: Value = serde_json::from_str(&printing.await.unwrap()).unwrap();
    assert_eq!(
        answer,
        json!({ "exit": 2, "stdout": "{\"reason\":\"é\n\"}" })
    );
}

#[tokio::test]
async fn a_hook_that_gave_up_is_no_receipt() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let (stream, _, _, reply) = ask(&mut listener, &token, b"{}").await;
    drop(stream);
    assert!(
        !reply.answer(0, "too late".into()).await,
        "closed before the answer"
    );

    let (stream, _, _, reply) = ask(&mut listener, &token, b"{}").await;
    let answering = tokio::spawn(reply.answer(0, "unread".into()));
    sleep(Duration::from_millis(100)).await;
    drop(stream);
    assert!(
        !answering.await.unwrap(),
        "closed without reading the answer"
    );

    let (stream, _, _, reply) = ask(&mut listener, &token, b"{}").await;
    assert!(
        !reply.answer(0, "never read".into()).await,
        "neither read nor closed"
    );
    drop(stream);
}

#[tokio::test]
async fn a_hook_that_nobody_answers_is_let_go() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let (mut stream, _, _, reply) = ask(&mut listener, &token, b"{}").await;
    drop(reply);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
}

#[tokio::test]
async fn a_payload_whose_length_is_given_needs_no_half_close() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let sent = b"{\"tool_name\":\"Bash\"}";
    let hello = hello("hook", &token).replace("\"pid\"", "\"payload\":20,\"pid\"");
    let mut stream = UnixStream::connect(listener.path()).unwrap();
    stream.write_all(hello.as_bytes()).unwrap();
    stream.write_all(&sent[..7]).unwrap();
    sleep(Duration::from_millis(50)).await;
    stream.write_all(&sent[7..]).unwrap();
    let ListenerEvent::Hook { payload, .. } = next(&mut listener).await else {
        panic!("a hook is expected");
    };
    assert_eq!(payload, sent);

    let mut short = UnixStream::connect(listener.path()).unwrap();
    short.write_all(hello.as_bytes()).unwrap();
    short.write_all(b"{}").unwrap();
    short.shutdown(Shutdown::Write).unwrap();
    let closed = spawn_blocking(move || {
        let mut rest = Vec::new();
        short.read_to_end(&mut rest).unwrap();
        rest
    });
    assert_eq!(
        closed.await.unwrap(),
        b"",
        "a payload that ends early is closed"
    );
}

#[tokio::test]
async fn a_payload_up_to_the_limit_is_taken_and_one_over_it_is_not() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 1);
    let largest = vec![b'x'; 16 << 20];
    let (_stream, _, payload, _reply) = ask(&mut listener, &token, &largest).await;
    assert_eq!(payload.len(), largest.len());

    let too_long = [
        hello("hook", &token).into_bytes(),
        vec![b'x'; (16 << 20) + 1],
    ]
    .concat();
    let path = listener.path().to_owned();
    let refused = spawn_blocking(move || {
        let mut stream = UnixStream::connect(path).unwrap();
        let _ = stream.write_all(&too_long);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        rest
    });
    assert_eq!(refused.await.unwrap(), b"");
    assert!(
        listener.events.try_recv().is_err(),
        "the engine hears nothing of it"
    );
}

/// Every connection has two ends in this process, so there are fewer than a stranger could make.
#[tokio::test]
async fn silent_connections_lock_no_relay_out() {
    let (_folder, mut listener) = listen();
    let token = register(&listener, 7);
    let silent: Vec<UnixStream> = (0..350)
        .map(|_| UnixStream::connect(listener.path()).unwrap())
        .collect();
    let mut client = Client::greet(listener.path(), &token);
    client.request(1, "initialize", &json!({}));
    let ListenerEvent::Connected { session, .. } = next(&mut listener).await else {
        panic!("the relay is not the first to be let in");
    };
    assert_eq!(session, 7);
    // The oldest were closed to make room; the newest may still say who they are.
    let mut oldest = &silent[0];
    oldest.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(oldest.read(&mut [0; 1]).unwrap(), 0);
    let mut newest = silent.last().unwrap();
    newest.write_all(hello("mcp", &token).as_bytes()).unwrap();
    let ListenerEvent::Connected { session, .. } = next(&mut listener).await else {
        panic!("a late hello in time is one");
    };
    assert_eq!(session, 7);
}
