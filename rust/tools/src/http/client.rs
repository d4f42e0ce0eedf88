//! Sends a request by curl and takes its answer apart.
//!
//! What is sent goes to curl's standard input, so that no list of processes shows a secret. The user's
//! own settings of curl do not count. Redirects are followed on the same host and port only, since the person was
//! asked about that one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use http::Uri;
use siderail_acp::process::CommandLine;

use siderail_os::System;

use super::request::{Request, url};
use siderail_guard::Tool::HttpRequest;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolErrorCode, ToolFailure};

use crate::program::{Finished, Helper, Unfinished};

/// Bytes of an answer that are read.
pub(super) const MOST_BODY: usize = 4 * 1024 * 1024;
const MOST_REDIRECTS: usize = 5;

/// What came back.
#[derive(Debug)]
pub(super) struct Fetched {
    /// The address that answered.
    pub(super) url: Uri,
    /// Code and words, such as `404 Not Found`.
    pub(super) status: String,
    /// Names in small letters.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// There was more.
    pub(super) is_cut: bool,
    /// Where a redirect leads that was not followed, and why it was not.
    pub(super) elsewhere: Option<(String, String)>,
    pub(super) took: Duration,
}

impl Fetched {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The way out.
pub(super) struct Client {
    env: BTreeMap<String, String>,
}

impl Client {
    pub(super) fn new(mut env: BTreeMap<String, String>) -> Self {
        env.retain(|name, _| !name.starts_with("SIDERAIL_"));
        Self { env }
    }

    pub(super) async fn fetch(
        &self,
        mut request: Request,
        cancel: &CancelFlag,
    ) -> Result<Fetched, ToolFailure> {
        let started = Instant::now();
        for _ in 0..=MOST_REDIRECTS {
            let left = request.timeout.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Err(overdue(request.timeout));
            }
            let finished = self.send(&request, left, cancel).await?;
            let mut fetched = take_apart(finished, &request)?;
            match redirect(&request, &fetched) {
                Some(Ok(next)) => follow(&mut request, next, &fetched.status),
                elsewhere => {
                    fetched.elsewhere = elsewhere.and_then(Result::err);
                    fetched.took = started.elapsed();
                    return Ok(fetched);
                }
            }
        }
        Err(ToolFailure::new(
            ToolErrorCode::IoError,
            format!(
                "more than {MOST_REDIRECTS} redirects, the last to {}",
                request.url
            ),
        ))
    }

    async fn send(
        &self,
        request: &Request,
        left: Duration,
        cancel: &CancelFlag,
    ) -> Result<Finished, ToolFailure> {
        let helper = Helper {
            line: CommandLine {
                program: "curl".to_owned(),
                args: ["--disable", "--config", "-"].map(Into::into).into(),
                env: self.env.clone(),
                cwd: PathBuf::from(System::HERE.root()),
            },
            guardian: None,
            input: Some(config(request, left).into_bytes()),
            // Headers come with it.
            most_output: MOST_BODY + 64 * 1024,
            // An endless answer would take all the time there is, for nothing that is kept.
            ends_full: true,
            limit: left + Duration::from_secs(1),
        };
        helper.run(cancel).await.map_err(|why| match why {
            Unfinished::NotStarted(error) => ToolFailure::new(
                ToolErrorCode::NotApplicable,
                format!("requests are sent by curl, and it cannot be started: {error}"),
            ),
            Unfinished::TooLong => overdue(request.timeout),
            Unfinished::Cancelled => {
                ToolFailure::new(ToolErrorCode::Cancelled, "the call was cancelled")
            }
        })
    }
}

/// The options of curl, one a line.
fn config(request: &Request, left: Duration) -> String {
    let mut lines: Vec<String> = [
        "silent",
        "show-error",
        "include",
        "globoff",
        "path-as-is",
        "suppress-connect-headers",
        "proto = \"=http,https\"",
        "header = \"Expect:\"",
    ]
    .map(str::to_owned)
    .into();
    let option = |name: &str, value: &str| format!("{name} = \"{}\"", quoted(value));
    lines.push(option("url", &request.url.to_string()));
    lines.push(format!("max-time = {:.1}", left.as_secs_f64()));
    lines.push(match request.method.as_str() {
        "HEAD" => "head".to_owned(),
        method => option("request", method),
    });
    let is_named = |name: &str| request.headers.iter().any(|(header, _)| header == name);
    if !is_named("user-agent") {
        let agent = concat!("siderail/", env!("CARGO_PKG_VERSION"));
        lines.push(option("user-agent", agent));
    }
    for (name, value) in &request.headers {
        // curl leaves a header out whose value is empty, unless it is written so.
        lines.push(match value.is_empty() {
            true => option("header", &format!("{name};")),
            false => option("header", &format!("{name}: {value}")),
        });
    }
    if let Some(body) = &request.body {
        lines.push(option("data-raw", body));
    } else if matches!(request.method.as_str(), "POST" | "PUT" | "PATCH") {
        // Some servers require an explicit empty body.
        lines.push(option("data-raw", ""));
        if !is_named("content-type") {
            lines.push(option("header", "content-type:"));
        }
    }
    lines.join("\n") + "\n"
}

/// A value between double quotes of curl's configuration.
fn quoted(value: &str) -> String {
    let mut quoted = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            letter => quoted.push(letter),
        }
    }
    quoted
}

/// The answer in what curl has put out: heads of answers, the last one's body behind it.
fn take_apart(finished: Finished, request: &Request) -> Result<Fetched, ToolFailure> {
    let Finished {
        exit,
        stdout,
        stderr,
    } = finished;
    let is_cut = stdout.len() > MOST_BODY;
    if !exit.is_success() && !is_cut {
        return Err(not_answered(exit.code, &stderr, request));
    }
    let mut rest = stdout.as_slice();
    loop {
        let (head, body) = head_of(rest).ok_or_else(|| {
            let host = request.url.host().unwrap_or_default();
            ToolFailure::new(
                ToolErrorCode::IoError,
                format!("what {host} answers is not HTTP"),
            )
        })?;
        let text = String::from_utf8_lossy(head);
        let mut lines = text.lines();
        let status = lines.next().unwrap_or_default();
        let status = status
            .split_once(' ')
            .map_or("", |(_, status)| status.trim());
        if status.starts_with('1') {
            // An answer ahead of the answer, such as `100 Continue`.
            rest = body;
            continue;
        }
        let headers = lines.filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_lowercase(), value.trim().to_owned()))
        });
        return Ok(Fetched {
            url: request.url.clone(),
            status: status.to_owned(),
            headers: headers.collect(),
            body: body[..body.len().min(MOST_BODY)].to_owned(),
            is_cut,
            elsewhere: None,
            took: Duration::ZERO,
        });
    }
}

/// Parts a head from what follows its empty line.
fn head_of(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    if !bytes.starts_with(b"HTTP/") {
        return None;
    }
    let end = |mark: &[u8]| {
        let at = bytes.windows(mark.len()).position(|part| part == mark)?;
        Some((at, at + mark.len()))
    };
    let (head, body) = [end(b"\r\n\r\n"), end(b"\n\n")]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or((bytes.len(), bytes.len()));
    Some((&bytes[..head], &bytes[body..]))
}

/// Where an answer redirects to: the next address, or why it is not followed.
fn redirect(request: &Request, fetched: &Fetched) -> Option<Result<Uri, (String, String)>> {
    let code = fetched.status.split(' ').next()?;
    if !matches!(code, "301" | "302" | "303" | "307" | "308") {
        return None;
    }
    let target = joined(&request.url, fetched.header("location")?);
    Some(match url(&target) {
        Err(_) => Err((target, "it is not a web address".to_owned())),
        Ok(next) => match other_service(&request.url, &next) {
            Some(why) => Err((target, format!("{why}: call {HttpRequest} with it"))),
            None => Ok(next),
        },
    })
}

/// Why another address belongs to a service that the person was not asked about, if it does. Headers and body go
/// along with a redirect, and behind another port of the same machine somebody else may listen.
fn other_service(asked: &Uri, next: &Uri) -> Option<&'static str> {
    let host = |url: &Uri| url.host().unwrap_or_default().to_ascii_lowercase();
    let is_secure = |url: &Uri| url.scheme_str() == Some("https");
    let usual = |url: &Uri| if is_secure(url) { 443 } else { 80 };
    let port = |url: &Uri| url.port_u16().unwrap_or(usual(url));
    if host(asked) != host(next) {
        return Some("it is another host, for which the user has to be asked");
    }
    if is_secure(asked) && !is_secure(next) {
        return Some("it would no longer be encrypted");
    }
    // From http to https of the same site, as nearly every site does it.
    let is_upgrade = port(asked) == 80 && is_secure(next) && port(next) == 443;
    let is_same = port(asked) == port(next) && is_secure(asked) == is_secure(next);
    (!is_same && !is_upgrade)
        .then_some("it is another port of that host, for which the user has to be asked")
}

/// A location as a whole address (RFC 9110, section 10.2.2).
fn joined(base: &Uri, location: &str) -> String {
    let scheme = base.scheme_str().unwrap_or("https");
    let authority = base.authority().map_or("", |authority| authority.as_str());
    let is_whole = location
        .split_once("://")
        .is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    if is_whole {
        location.to_owned()
    } else if let Some(rest) = location.strip_prefix("//") {
        format!("{scheme}://{rest}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else if location.starts_with('?') {
        format!("{scheme}://{authority}{}{location}", base.path())
    } else {
        let folder = base
            .path()
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{location}")
    }
}

/// The request that a redirect asks for (RFC 9110, section 15.4).
fn follow(request: &mut Request, next: Uri, status: &str) {
    request.url = next;
    let keeps = status.starts_with("307") || status.starts_with("308");
    if !keeps && !matches!(request.method.as_str(), "GET" | "HEAD") {
        request.method = "GET".to_owned();
        request.body = None;
        request.headers.retain(|(name, _)| name != "content-type");
    }
}

/// A request that took too long.
fn overdue(limit: Duration) -> ToolFailure {
    ToolFailure::new(
        ToolErrorCode::Timeout,
        format!(
            "no complete answer within {} s; timeout_s gives it more, up to 45",
            limit.as_secs()
        ),
    )
}

/// curl's exit codes, as far as they need other words than its own.
fn not_answered(code: Option<i32>, stderr: &[u8], request: &Request) -> ToolFailure {
    let host = request.url.host().unwrap_or_default();
    let words = String::from_utf8_lossy(stderr);
    let words: String = words.trim().chars().take(500).collect();
    let text = match code {
        Some(28) => return overdue(request.timeout),
        Some(6) => format!("there is no host {host}, or this machine is not connected ({words})"),
        Some(5) => format!("the proxy of this machine was not found ({words})"),
        Some(7) => format!("{host} takes no connection there ({words})"),
        Some(35 | 51 | 53 | 54 | 58 | 59 | 60 | 77 | 80 | 82 | 83 | 90 | 91) => {
            format!("no secure connection to {host} ({words})")
        }
        _ => format!("no answer from {host} ({words})"),
    };
    ToolFailure::new(ToolErrorCode::IoError, text)
}
