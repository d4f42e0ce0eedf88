//! The ACP client behind a host that is an agent itself, and what is open between it and the agent. Plain data; what passes
//! between the two is in [`passing`].

mod passing;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::Value;
use siderail_acp::wire::RequestId;

use crate::acp_client::{AcpClient, PassedReply, PassedRequest};
use crate::session::modes::setting::Setting;

/// A client, and what is open between it and the agent.
pub(crate) struct Client {
    pub(in crate::session) said: Arc<AcpClient>,
    /// The agent may be asked to open the session.
    pub(in crate::session) may_open: bool,
    /// The request that opens the session, until it can be made.
    pub(in crate::session) waiting: Option<PassedRequest>,
    /// The same, once it has been made: its method, the session that it names, and where the answer goes.
    pub(in crate::session) opening: Option<(String, Option<String>, PassedReply)>,
    /// Other requests of the client, with what they set.
    pub(in crate::session) open: BTreeMap<u64, (PassedReply, Option<Setting>)>,
    pub(in crate::session) last: u64,
    /// Requests of the agent that the client is to answer.
    pub(in crate::session) asked: HashSet<RequestId>,
}

impl Client {
    pub(in crate::session) fn new(said: Arc<AcpClient>) -> Self {
        Self {
            said,
            may_open: false,
            waiting: None,
            opening: None,
            open: BTreeMap::new(),
            last: 0,
            asked: HashSet::new(),
        }
    }

    /// Our `initialize`, with what the client said.
    pub(in crate::session) fn hello(&self, ours: &Value) -> Value {
        self.said.hello(ours)
    }
}
