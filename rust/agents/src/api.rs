//! The HTTP API for permission requests that some agents serve beside ACP: a rejection there takes a message for the
//! model.
//!
//! Loopback only, with a password of this session. Knows no session and no policy; an answer takes two
//! seconds at most.

mod exchange;

use std::time::Duration;

use data_encoding::BASE64;
use serde_json::{Value, json};

use exchange::{Request, query_value};

/// The whole exchange.
const LIMIT: Duration = Duration::from_secs(2);
/// The request may arrive in ACP a moment before the API lists it.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(60);

/// Where the agent's API is.
#[derive(Clone, Debug)]
pub struct ApiAccess {
    /// Where the agent listens, on this machine.
    pub port: u16,
    /// The user name that the agent's API expects.
    pub user: String,
    /// The password that it expects: the one that it was started with.
    pub password: String,
}

/// A port of the loopback interface that is free now.
pub fn free_port() -> std::io::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?
        .local_addr()?
        .port())
}

/// Rejects the open request of this tool call, with a message that the model reads.
///
/// # Errors
/// What went wrong, for a log.
pub async fn reject(
    access: ApiAccess,
    project: String,
    call_id: String,
    text: String,
) -> Result<(), String> {
    let client = Client::new(&access, &project);
    in_time(async {
        let id = client.find(&call_id).await?;
        let answer = json!({"reply": "reject", "message": text});
        let path = format!("/{}/reply", query_value(&id));
        client.send("POST", &path, Some(&answer)).await.map(drop)
    })
    .await
}

/// Whether the API is there and takes our password.
///
/// # Errors
/// What went wrong, for people.
pub async fn reach(access: ApiAccess, project: String) -> Result<(), String> {
    let client = Client::new(&access, &project);
    in_time(async { client.send("GET", "", None).await.map(drop) }).await
}

async fn in_time(exchange: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    tokio::time::timeout(LIMIT, exchange)
        .await
        .unwrap_or_else(|_| Err(format!("no answer within {} s", LIMIT.as_secs())))
}

/// The API as this session may use it.
struct Client {
    port: u16,
    authorization: String,
    /// The project, as every request names it.
    query: String,
}

impl Client {
    fn new(access: &ApiAccess, project: &str) -> Self {
        let login = BASE64.encode(format!("{}:{}", access.user, access.password).as_bytes());
        Self {
            port: access.port,
            authorization: format!("Basic {login}"),
            query: format!("directory={}", query_value(project)),
        }
    }

    async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let request = Request {
            port: self.port,
            method,
            target: &format!("/permission{path}?{}", self.query),
            authorization: &self.authorization,
            body,
        };
        request.send().await
    }

    /// The API's own id of the open request for this tool call.
    async fn find(&self, call_id: &str) -> Result<String, String> {
        for _ in 0..TRIES {
            let open = self.send("GET", "", None).await?;
            let mut requests = open.as_array().into_iter().flatten();
            let found = requests.find(|r| r["tool"]["callID"].as_str() == Some(call_id));
            if let Some(id) = found.and_then(|request| request["id"].as_str()) {
                return Ok(id.to_owned());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err("the request is not in its list".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn an_api_that_is_not_there_is_a_plain_failure() {
        let access = ApiAccess {
            port: free_port().unwrap(),
            user: "u".to_owned(),
            password: "x".to_owned(),
        };
        let told = reject(access, "/p".to_owned(), "c".to_owned(), "no".to_owned()).await;
        assert!(told.is_err());
    }

    #[tokio::test]
    async fn the_user_that_the_agent_wants_logs_in() {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .unwrap();
        let access = ApiAccess {
            port: listener.local_addr().unwrap().port(),
            user: "somebody".to_owned(),
            password: "pw".to_owned(),
        };
        let reached = tokio::spawn(reach(access, "/p".to_owned()));
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let n = stream.read(&mut request).await.unwrap();
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]";
        stream.write_all(answer).await.unwrap();
        assert_eq!(reached.await.unwrap(), Ok(()));
        let request = String::from_utf8_lossy(&request[..n]).into_owned();
        let login = BASE64.encode(b"somebody:pw");
        assert!(
            request.contains(&format!("Authorization: Basic {login}\r\n")),
            "{request}"
        );
    }
}
