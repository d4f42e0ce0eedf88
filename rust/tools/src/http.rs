//! `http_request`: one request, redirects on the same host and port, the answer as text.
//!
//! `request` reads the call, `client` sends it by the curl program, `answer` says what came back, `shown`
//! is what people, events and memory get to see of a call: no secrets. Whether a call is allowed is
//! settled before.
//!
//! curl, because encryption linked in would make the library that an IDE loads more than half as large
//! again, and because it trusts what the machine trusts and knows its proxies.

mod answer;
mod client;
mod redacted;
mod request;

use std::collections::BTreeMap;

use serde_json::Value;

use client::Client;
use request::Request;
use siderail_workspace::arguments::Arguments;
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::{ToolFailure, ToolOutcome};

pub(crate) use redacted::{for_people, remembered};

/// Why a call is not a request that could be sent.
pub fn unusable(arguments: &Value) -> Option<ToolFailure> {
    Request::new(Arguments::new(arguments)).err()
}

/// Sends requests.
pub struct Http {
    client: Client,
}

impl Http {
    /// A client that runs curl with this environment: its PATH, proxies and certificates.
    pub fn new(env: BTreeMap<String, String>) -> Self {
        Self {
            client: Client::new(env),
        }
    }

    /// Performs a call. Needs a running tokio runtime. Cancelling closes the connection.
    pub async fn run(
        &self,
        arguments: &Value,
        cancel: &CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        let arguments = Arguments::new(arguments);
        let request = Request::new(arguments)?;
        let fetched = self.client.fetch(request, cancel).await?;
        answer::told(&fetched, arguments)
    }
}
