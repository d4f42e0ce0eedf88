//! One HTTP exchange with a server on the loopback interface: plain, without a proxy, JSON both ways.
//!
//! A whole HTTP client is a lot for two requests to a server of one agent, in a library that an IDE loads.
//! What is not understood of an answer is an error, and nothing is followed.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Bytes of an answer's body; a longer one is not what was asked for.
const MOST_BODY: u64 = 16 << 20;
/// Bytes of a line of its head, and lines of it.
const MOST_LINE: u64 = 16 << 10;
const MOST_LINES: usize = 200;

/// What is asked.
pub(super) struct Request<'a> {
    pub(super) port: u16,
    /// `GET` or `POST`.
    pub(super) method: &'a str,
    /// Path and query, as they go over the wire.
    pub(super) target: &'a str,
    pub(super) authorization: &'a str,
    pub(super) body: Option<&'a Value>,
}

impl Request<'_> {
    /// The answer's JSON; null if there is no body.
    pub(super) async fn send(&self) -> Result<Value, String> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await;
        let mut stream = BufReader::new(stream.map_err(|e| e.to_string())?);
        let sent = stream.get_mut().write_all(self.text().as_bytes()).await;
        sent.map_err(|e| e.to_string())?;
        let answer = Answer::read(&mut stream).await?;
        match answer.status {
            _ if answer.body.is_empty() && answer.is_success() => Ok(Value::Null),
            _ if answer.is_success() => serde_json::from_slice(&answer.body)
                .map_err(|e| format!("the answer is not JSON: {e}")),
            status => Err(format!("the answer is {status}")),
        }
    }

    fn text(&self) -> String {
        let body = self.body.map(Value::to_string).unwrap_or_default();
        format!(
            "{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {}\r\nAccept: application/json\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.method,
            self.target,
            self.port,
            self.authorization,
            body.len()
        )
    }
}

/// A text as a value in a query.
pub(super) fn query_value(text: &str) -> String {
    let mut coded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                coded.push(char::from(byte));
            }
            byte => coded.push_str(&format!("%{byte:02X}")),
        }
    }
    coded
}

struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answer {
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Self, String> {
        let first = line(from).await?;
        let status = first
            .strip_prefix("HTTP/1.")
            .and_then(|rest| rest.split(' ').nth(1)?.parse().ok())
            .ok_or_else(|| "what answers is not an HTTP server".to_owned())?;
        let (mut length, mut is_chunked) = (None, false);
        let mut n_lines = 0;
        loop {
            let line = line(from).await?;
            if line.is_empty() {
                break;
            }
            n_lines += 1;
            if n_lines > MOST_LINES {
                return Err("the answer's headers are incomplete".to_owned());
            }
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse::<u64>().ok(),
                "transfer-encoding" => is_chunked = value.to_ascii_lowercase().contains("chunked"),
                _ => {}
            }
        }
        let mut body = Vec::new();
        if is_chunked {
            chunks(from, &mut body).await?;
        } else if status != 204 {
            exactly(from, length, &mut body).await?;
        }
        Ok(Self { status, body })
    }
}

/// A line without its end.
async fn line(from: &mut (impl AsyncBufRead + Unpin)) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = from.take(MOST_LINE).read_until(b'\n', &mut bytes).await;
    read.map_err(|e| e.to_string())?;
    if bytes.pop() != Some(b'\n') {
        return Err("the answer ends early".to_owned());
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_end_matches('\r').to_owned())
}

/// So many bytes, or all to the end.
async fn exactly(
    from: &mut (impl AsyncBufRead + Unpin),
    length: Option<u64>,
    body: &mut Vec<u8>,
) -> Result<(), String> {
    let before = body.len() as u64;
    let limit = length.unwrap_or(MOST_BODY + 1);
    if before.saturating_add(limit) > MOST_BODY + 1 {
        return Err("the answer is too long".to_owned());
    }
    let read = from.take(limit).read_to_end(body).await;
    let n_read = read.map_err(|e| e.to_string())? as u64;
    match length {
        Some(length) if n_read < length => Err("the answer ends early".to_owned()),
        None if n_read > MOST_BODY => Err("the answer is too long".to_owned()),
        _ => Ok(()),
    }
}

async fn chunks(from: &mut (impl AsyncBufRead + Unpin), body: &mut Vec<u8>) -> Result<(), String> {
    loop {
        let head = line(from).await?;
        let size = head.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16)
            .map_err(|_| "a chunk of the answer has no length".to_owned())?;
        if size == 0 {
            return Ok(());
        }
        exactly(from, Some(size), body).await?;
        line(from).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(answer: &str) -> Result<(u16, String), String> {
        let mut bytes = answer.as_bytes();
        let answer = Answer::read(&mut bytes).await?;
        Ok((
            answer.status,
            String::from_utf8_lossy(&answer.body).into_owned(),
        ))
    }

    #[tokio::test]
    async fn bodies_are_read_by_length_in_pieces_or_to_the_end() {
        for (answer, wanted) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]rest",
                (200, "[]"),
            ),
            (
                "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n3;x=y\r\n[1,\r\nA\r\n2345678901\r\n1\r\n]\r\n0\r\n\r\n",
                (200, "[1,2345678901]"),
            ),
            ("HTTP/1.0 404 Not Found\n\nno", (404, "no")),
            ("HTTP/1.1 204 No Content\r\n\r\n", (204, "")),
        ] {
            let (status, body) = wanted;
            assert_eq!(
                read(answer).await,
                Ok((status, body.to_owned())),
                "{answer}"
            );
        }
    }

    #[tokio::test]
    async fn what_is_no_whole_answer_is_an_error_and_never_taken_for_one() {
        for answer in [
            "",
            "SSH-2.0-x\r\n",
            "HTTP/1.1 200",
            "HTTP/1.1 x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n[]",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        ] {
            assert!(read(answer).await.is_err(), "{answer}");
        }
        let endless = format!("HTTP/1.1 200 OK\r\n{}", "a: b\r\n".repeat(MOST_LINES + 1));
        assert!(read(&endless).await.is_err());
    }

    #[test]
    fn a_query_value_says_nothing_but_itself() {
        assert_eq!(
            query_value("/a b/ä&c=d#?"),
            "%2Fa%20b%2F%C3%A4%26c%3Dd%23%3F"
        );
    }
}
