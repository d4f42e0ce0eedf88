//! The HTTP API that opencode serves beside ACP: a rejection there takes a message for the model.
//!
//! Loopback only, with a password of this session. Knows no session and no policy; an answer takes two
//! seconds at most.

use std::time::Duration;

use serde_json::{Value, json};

/// The whole exchange.
const LIMIT: Duration = Duration::from_secs(2);
/// The request may arrive in ACP a moment before the API lists it.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(60);

/// Where the agent's API is.
#[derive(Clone, Debug)]
pub(crate) struct ApiAccess {
    pub(crate) port: u16,
    pub(crate) password: String,
}

/// A port of the loopback interface that is free now.
pub(crate) fn free_port() -> std::io::Result<u16> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?
        .local_addr()?
        .port())
}

/// Rejects the open request of this tool call, with a message that the model reads.
///
/// # Errors
/// What went wrong, for a log.
pub(crate) async fn reject(
    access: ApiAccess,
    project: String,
    call_id: String,
    text: String,
) -> Result<(), String> {
    let exchange =
        tokio::task::spawn_blocking(move || reject_blocking(&access, &project, &call_id, &text));
    match tokio::time::timeout(LIMIT, exchange).await {
        Ok(Ok(told)) => told,
        Ok(Err(panicked)) => Err(panicked.to_string()),
        Err(_) => Err(format!("no answer within {} s", LIMIT.as_secs())),
    }
}

/// Whether the API is there and takes our password.
///
/// # Errors
/// What went wrong, for people.
pub(crate) async fn reach(access: ApiAccess, project: String) -> Result<(), String> {
    let asked = tokio::task::spawn_blocking(move || {
        let (agent, base, login) = client(&access);
        open_requests(&agent, &base, &login, &project).map(|_| ())
    });
    match tokio::time::timeout(LIMIT, asked).await {
        Ok(Ok(reached)) => reached,
        Ok(Err(panicked)) => Err(panicked.to_string()),
        Err(_) => Err(format!("no answer within {} s", LIMIT.as_secs())),
    }
}

/// The client, the address of requests, and the password as a header.
fn client(access: &ApiAccess) -> (ureq::Agent, String, String) {
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(LIMIT))
        .proxy(None)
        .build()
        .into();
    let base = format!("http://127.0.0.1:{}/permission", access.port);
    let login = base64(format!("opencode:{}", access.password).as_bytes());
    (agent, base, format!("Basic {login}"))
}

fn reject_blocking(
    access: &ApiAccess,
    project: &str,
    call_id: &str,
    text: &str,
) -> Result<(), String> {
    let (agent, base, login) = client(access);
    let id = find(&agent, &base, &login, project, call_id)?;
    agent
        .post(format!("{base}/{id}/reply"))
        .query("directory", project)
        .header("Authorization", &login)
        .send_json(json!({"reply": "reject", "message": text}))
        .map(|_| ())
        .map_err(|e| e.to_string())
}

/// The API's own id of the open request for this tool call.
fn find(
    agent: &ureq::Agent,
    base: &str,
    login: &str,
    project: &str,
    call_id: &str,
) -> Result<String, String> {
    for _ in 0..TRIES {
        let open = open_requests(agent, base, login, project)?;
        let mut requests = open.as_array().into_iter().flatten();
        let found = requests.find(|r| r["tool"]["callID"].as_str() == Some(call_id));
        if let Some(id) = found.and_then(|request| request["id"].as_str()) {
            return Ok(id.to_owned());
        }
        std::thread::sleep(PAUSE);
    }
    Err("the request is not in its list".to_owned())
}

fn open_requests(
    agent: &ureq::Agent,
    base: &str,
    login: &str,
    project: &str,
) -> Result<Value, String> {
    agent
        .get(base)
        .query("directory", project)
        .header("Authorization", login)
        .call()
        .and_then(|mut answer| answer.body_mut().read_json())
        .map_err(|e| e.to_string())
}

/// Base64 with padding, as HTTP's basic authentication wants it (RFC 7617).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0u32, |group, byte| (group << 8) | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                let index = (group >> (18 - 6 * place)) & 63;
                text.push(char::from(LETTERS[index as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[tokio::test]
    async fn an_api_that_is_not_there_is_a_plain_failure() {
        let access = ApiAccess {
            port: free_port().unwrap(),
            password: "x".to_owned(),
        };
        let told = reject(access, "/p".to_owned(), "c".to_owned(), "no".to_owned()).await;
        assert!(told.is_err());
    }
}
