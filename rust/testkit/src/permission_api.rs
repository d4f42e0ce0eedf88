//! opencode's HTTP interface for permissions: `GET /permission`, `POST /permission/ID/reply`.
//!
//! A reject with a message reaches the model inside the turn. Served on 127.0.0.1 and the port of
//! `--port`, with Basic authentication where `OPENCODE_SERVER_PASSWORD` is set.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use data_encoding::BASE64;
use serde_json::{Value, json};

use crate::peer::Reply;

/// What an open permission is about.
#[derive(Clone, Debug)]
pub(crate) struct About {
    /// ACP session id.
    pub(crate) session: String,
    /// The session's folder.
    pub(crate) directory: String,
    /// The permission's name: edit, bash, read …
    pub(crate) permission: String,
    /// The tool call's id.
    pub(crate) call_id: String,
}

/// The open permissions.
pub(crate) struct PermissionApi {
    open: Mutex<Open>,
    authorization: Option<String>,
}

#[derive(Default)]
struct Open {
    count: u64,
    entries: Vec<(String, About, Sender<Reply>)>,
}

impl PermissionApi {
    /// Starts to serve.
    ///
    /// # Errors
    /// The port cannot be had.
    pub(crate) fn start(port: u16, password: Option<&str>) -> io::Result<Arc<Self>> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let authorization = password.map(|password| {
            format!(
                "Basic {}",
                BASE64.encode(format!("opencode:{password}").as_bytes())
            )
        });
        let api = Arc::new(Self {
            open: Mutex::default(),
            authorization,
        });
        let server = Arc::clone(&api);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = Arc::clone(&server);
                std::thread::spawn(move || {
                    if let Err(error) = server.serve(stream) {
                        eprintln!("scripted agent: HTTP request: {error}");
                    }
                });
            }
        });
        Ok(api)
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a permission until it is closed; the reply may come by `replies`.
    pub(crate) fn register(&self, about: &About, replies: Sender<Reply>) -> String {
        let mut open = self.open();
        open.count += 1;
        let id = format!("per_{:08}", open.count);
        open.entries.push((id.clone(), about.clone(), replies));
        id
    }

    /// Takes a permission off the list.
    pub(crate) fn close(&self, id: &str) {
        self.open().entries.retain(|(entry, _, _)| entry != id);
    }

    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut reader = BufReader::new(&stream);
        let mut request = String::new();
        reader.read_line(&mut request)?;
        let (mut length, mut authorization) = (0, None);
        loop {
            let mut header = String::new();
            if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let Some((name, value)) = header.split_once(':') else {
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "authorization" => authorization = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let mut body = Vec::new();
        reader.take(length).read_to_end(&mut body)?;
        let (status, answer) =
            if self.authorization.is_some() && self.authorization != authorization {
                ("401 Unauthorized", json!({"error": "unauthorized"}))
            } else {
                self.answer(&request, &serde_json::from_slice(&body).unwrap_or_default())
            };
        let answer = answer.to_string();
        write!(
            &stream,
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{answer}",
            answer.len(),
        )
    }

    fn answer(&self, request: &str, body: &Value) -> (&'static str, Value) {
        let mut words = request.split_whitespace();
        let (method, target) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let path = target.split('?').next().unwrap_or_default();
        match (method, path.strip_prefix("/permission")) {
            ("GET", Some("")) => ("200 OK", self.list()),
            ("POST", Some(rest)) => {
                let id = rest
                    .strip_prefix('/')
                    .and_then(|rest| rest.strip_suffix("/reply"));
                match id.filter(|id| self.reply(id, body)) {
                    Some(_) => ("200 OK", json!(true)),
                    None => ("404 Not Found", json!({"error": "no such permission"})),
                }
            }
            _ => ("404 Not Found", json!({"error": "no such page"})),
        }
    }

    fn list(&self) -> Value {
        let entry = |(id, about, _): &(String, About, Sender<Reply>)| {
            json!({
                "id": id, "sessionID": about.session, "permission": about.permission,
                "patterns": [], "metadata": {}, "always": [], "directory": about.directory,
                "tool": {"messageID": format!("msg_{id}"), "callID": about.call_id},
            })
        };
        self.open().entries.iter().map(entry).collect()
    }

    fn reply(&self, id: &str, body: &Value) -> bool {
        let mut open = self.open();
        let Some(index) = open.entries.iter().position(|(entry, _, _)| entry == id) else {
            return false;
        };
        let (_, _, replies) = open.entries.remove(index);
        let reply = match (body["reply"].as_str(), body["message"].as_str()) {
            (Some("reject"), Some(message)) => Reply::Feedback(message.to_owned()),
            (Some(option), _) => {
                Reply::Result(json!({"outcome": {"outcome": "selected", "optionId": option}}))
            }
            (None, _) => return false,
        };
        // The turn may be over; then nobody needs the reply.
        drop(replies.send(reply));
        true
    }
}
