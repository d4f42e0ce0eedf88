//! `http_request` against servers of this process, by the real curl.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use siderail_tools::CancelFlag;
use siderail_tools::http::Http;
use siderail_workspace::outcome::{ToolErrorCode as Code, ToolFailure};

fn env() -> BTreeMap<String, String> {
    BTreeMap::from([
        ("PATH".to_owned(), std::env::var("PATH").unwrap()),
        ("HOME".to_owned(), "/nonexistent".to_owned()),
    ])
}

async fn call_with(env: BTreeMap<String, String>, arguments: Value) -> Result<String, ToolFailure> {
    let http = Http::new(env);
    let outcome = http.run(&arguments, &CancelFlag::new()).await;
    outcome.map(|outcome| outcome.text)
}

async fn ok(arguments: Value) -> String {
    call_with(env(), arguments).await.unwrap()
}

async fn fails(arguments: Value, code: Code) -> String {
    let failure = call_with(env(), arguments).await.unwrap_err();
    assert_eq!(failure.code, code, "{failure}");
    failure.text
}

/// A server that answers each connection with the next of these; gives the requests.
fn server<const N: usize>(answers: [Vec<u8>; N]) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            sender.send(request(&stream)).unwrap();
            // A client that has read enough goes away.
            let _ = stream.write_all(&answer);
        }
    });
    (address, requests)
}

fn request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        text.push_str(&line);
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    text + &String::from_utf8(body).unwrap()
}

fn answer(head: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").into()
}

#[tokio::test]
async fn an_answer_is_status_headers_and_body() {
    let body = answer(
        "404 Not Found\r\nX-Reason: none\r\nSet-Cookie: id=s3cret; Path=/",
        "no ü here\n",
    );
    let (address, requests) = server([body]);
    let text = ok(json!({"url": format!("{address}/a?b=c#d")})).await;
    assert!(
        text.starts_with(&format!("HTTP 404 Not Found from {address}/a?b=c after ")),
        "{text}"
    );
    assert!(text.contains("\nx-reason: none\n"), "{text}");
    assert!(
        text.contains("set-cookie: id=[hidden]\n") && !text.contains("s3cret"),
        "{text}"
    );
    assert!(text.ends_with("\n\nno ü here\n"), "{text}");
    let sent = requests.recv().unwrap();
    assert!(sent.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{sent}");
    assert!(sent.contains("User-Agent: siderail/"), "{sent}");
}

#[tokio::test]
async fn what_is_sent_is_what_was_given_to_the_letter() {
    let (address, requests) = server([answer("200 OK", ""), answer("200 OK", "")]);
    let body = "{\"a\": \"quote \\\" and \\n\",\n \"b\": \"@/etc/passwd\"}";
    ok(json!({
        "url": address,
        "method": "put",
        "headers": ["X-One: 1", "Authorization: Bearer \"q\\x\"", "X-Empty:"],
        "body": body,
    }))
    .await;
    let sent = requests.recv().unwrap();
    assert!(sent.starts_with("PUT / HTTP/1.1\r\n"), "{sent}");
    assert!(
        sent.contains("\r\nauthorization: Bearer \"q\\x\"\r\n"),
        "{sent}"
    );
    assert!(sent.contains("\r\nx-empty:"), "{sent}");
    assert!(
        sent.contains("\r\ncontent-type: application/json\r\n"),
        "{sent}"
    );
    assert!(sent.ends_with(&format!("\r\n\r\n{body}")), "{sent}");
    ok(json!({"url": address, "method": "POST", "body": "@/etc/passwd"})).await;
    assert!(requests.recv().unwrap().ends_with("\r\n\r\n@/etc/passwd"));
}

#[tokio::test]
async fn redirects_are_followed_on_the_same_host_only() {
    let (address, requests) = server([
        answer("302 Found\r\nLocation: /next", ""),
        answer("200 OK", "there"),
        answer("301 Moved\r\nLocation: http://example.invalid/x", ""),
    ]);
    let arguments = json!({"url": format!("{address}/a"), "method": "POST", "body": "x",
        "headers": ["Authorization: Bearer t"]});
    let text = ok(arguments).await;
    assert!(
        text.contains(&format!("from {address}/next")) && text.ends_with("there\n"),
        "{text}"
    );
    assert!(requests.recv().unwrap().starts_with("POST /a"));
    let second = requests.recv().unwrap();
    assert!(
        second.starts_with("GET /next") && !second.contains("content-type"),
        "{second}"
    );
    let text = ok(json!({"url": address})).await;
    assert!(
        text.contains(
            "redirects to http://example.invalid/x, which was not followed: it is another host"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn what_was_sent_to_one_port_of_a_machine_does_not_go_to_another_by_a_redirect() {
    let (other, requests) = server([answer("200 OK", "secret")]);
    let (address, _requests) =
        server([answer(&format!("307 Temporary\r\nLocation: {other}/x"), "")]);
    let arguments = json!({"url": address, "headers": ["Authorization: Bearer t"]});
    let text = ok(arguments).await;
    assert!(
        text.contains(&format!(
            "redirects to {other}/x, which was not followed: it is another port of that host"
        )),
        "{text}"
    );
    assert!(
        requests.try_recv().is_err(),
        "the other service heard of it"
    );
}

#[tokio::test]
async fn redirects_in_a_circle_end() {
    let step = || answer("302 Found\r\nLocation: /again", "");
    let (address, _requests) = server([step(), step(), step(), step(), step(), step()]);
    let text = fails(json!({"url": address}), Code::IoError).await;
    assert!(text.contains("more than 5 redirects"), "{text}");
}

#[tokio::test]
async fn what_is_no_text_is_described() {
    let mut image = answer("200 OK\r\nContent-Type: image/png", "");
    image = String::from_utf8(image)
        .unwrap()
        .replace("Content-Length: 0\r\n", "")
        .into();
    image.extend_from_slice(b"\x89PNG\r\n\x1a\n\0\0\xff\xfe");
    let (address, _requests) = server([image, answer("204 No Content", "")]);
    let text = ok(json!({"url": address})).await;
    assert!(
        text.contains("The body is not text (image/png, 12 bytes)"),
        "{text}"
    );
    let text = ok(json!({"url": address, "method": "HEAD"})).await;
    assert!(text.ends_with("(no body)\n"), "{text}");
}

#[tokio::test]
async fn a_long_body_comes_in_pages_and_an_endless_one_is_cut() {
    let lines: String = (0..2_000).map(|n| format!("line {n}\n")).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endless = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        request(&stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        while stream.write_all(&[b'x'; 65_536]).is_ok() {}
    });
    let (address, _requests) = server([answer("200 OK", &lines), answer("200 OK", &lines)]);
    let text = ok(json!({"url": address})).await;
    assert!(
        text.len() < 10_000 && text.contains("line 100\n"),
        "{}",
        text.len()
    );
    let next: Value = serde_json::from_str(
        text.lines()
            .last()
            .unwrap()
            .strip_prefix("Next: http_request ")
            .unwrap(),
    )
    .unwrap();
    assert_eq!(next["page"], 2);
    let text = ok(next).await;
    assert!(
        !text.contains("line 100\n") && text.contains("(page 2 of "),
        "{text}"
    );
    let begun = Instant::now();
    let text = ok(json!({"url": endless, "timeout_s": 45})).await;
    assert!(begun.elapsed() < Duration::from_secs(40), "waited it out");
    assert!(
        text.contains("[only the first 4194304 bytes were read]"),
        "{text}"
    );
}

#[tokio::test]
async fn a_slow_server_and_a_cancelled_call_end_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let begun = Instant::now();
    let text = fails(json!({"url": address, "timeout_s": 1}), Code::Timeout).await;
    assert!(text.contains("within 1 s"), "{text}");
    let cancel = CancelFlag::new();
    let http = Http::new(env());
    let arguments = json!({"url": address});
    let call = http.run(&arguments, &cancel);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancel.cancel();
    };
    let (failed, ()) = tokio::join!(call, stop);
    assert_eq!(failed.unwrap_err().code, Code::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(25));
    // Both connections are closed: reading from them comes to an end.
    for _ in 0..2 {
        let (mut stream, _) = listener.accept().unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut sent = Vec::new();
        stream.read_to_end(&mut sent).unwrap();
    }
}

#[tokio::test]
async fn servers_that_are_not_there_or_no_servers_are_told() {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let text = fails(json!({"url": format!("http://{free}")}), Code::IoError).await;
    assert!(text.contains("takes no connection there"), "{text}");
    let (address, _requests) = server([b"220 mail\r\n".to_vec()]);
    fails(json!({"url": address}), Code::IoError).await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let secure = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
    });
    let text = fails(json!({"url": secure}), Code::IoError).await;
    assert!(text.contains("no secure connection to 127.0.0.1"), "{text}");
}

#[tokio::test]
async fn requests_that_cannot_be_meant_are_refused_before_anything_is_sent() {
    for arguments in [
        json!({"url": "ftp://example.org/x"}),
        json!({"url": "https://user:s3cret@example.org/"}),
        json!({"url": "example.org"}),
        json!({"url": "http://"}),
        json!({"url": "http://a b/"}),
        json!({"url": "http://x/\nheader = \"y\""}),
        json!({"url": "http://x/", "method": "TRACE"}),
        json!({"url": "http://x/", "headers": ["no colon"]}),
        json!({"url": "http://x/", "headers": ["X: a\r\nY: b"]}),
        json!({"url": "http://x/", "headers": ["@/etc/passwd: x"]}),
        json!({"url": "http://x/", "headers": ["Host: other"]}),
        json!({"url": "http://x/", "headers": ["Content-Length: 5"]}),
        json!({"url": "http://x/", "body": "a GET with a body"}),
    ] {
        let text = fails(arguments, Code::InvalidParam).await;
        assert!(!text.contains("s3cret"), "{text}");
    }
    for file in ["file:///etc/passwd", "FILE:x"] {
        let text = fails(json!({"url": file}), Code::InvalidParam).await;
        assert!(
            text.contains("by its path with intellij_read_file"),
            "{text}"
        );
    }
    fails(json!({}), Code::MissingParam).await;
}

#[tokio::test]
async fn no_list_of_processes_shows_what_is_sent_and_the_users_settings_of_curl_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\necho \"$@\" > \"$HOME/args\"\ncat > \"$HOME/input\"\n\
                  printf 'HTTP/1.1 200 OK\\r\\n\\r\\nfine'\n";
    let curl = folder.path().join("curl");
    fs::write(&curl, script).unwrap();
    fs::set_permissions(&curl, fs::Permissions::from_mode(0o755)).unwrap();
    let mut env = env();
    let home = folder.path().display().to_string();
    env.insert("PATH".to_owned(), format!("{home}:{}", env["PATH"]));
    env.insert("HOME".to_owned(), home);
    let text = call_with(
        env,
        json!({"url": "https://example.org/?key=s3cret", "headers": ["Authorization: s3cret"]}),
    );
    assert!(text.await.unwrap().ends_with("\n\nfine\n"));
    let args = fs::read_to_string(folder.path().join("args")).unwrap();
    assert_eq!(args, "--disable --config -\n");
    let input = fs::read_to_string(folder.path().join("input")).unwrap();
    assert!(
        input.contains("header = \"authorization: s3cret\"\n"),
        "{input}"
    );
}

#[tokio::test]
async fn a_machine_without_curl_says_so() {
    let env = BTreeMap::from([("PATH".to_owned(), "/nonexistent".to_owned())]);
    let failure = call_with(env, json!({"url": "http://x/"}))
        .await
        .unwrap_err();
    assert_eq!(failure.code, Code::NotApplicable);
    assert!(failure.text.contains("`curl` was not found"), "{failure}");
}
