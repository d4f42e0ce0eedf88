//! The calls of one connection that are not answered yet, and the way from a client's id to them.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use siderail_wire::RequestId;

use crate::version::Era;

/// Names a call within its connection. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey(u64);

impl CallKey {
    /// For tests of what takes calls.
    #[doc(hidden)]
    pub fn numbered(number: u64) -> Self {
        Self(number)
    }
}

/// What an answer needs to know about its request.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) id: RequestId,
    pub(super) era: Era,
    pub(super) note: Option<String>,
    progress_token: Option<Value>,
    /// Progress reported so far; reports must rise.
    progress: f64,
}

/// Open calls by key.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    /// Handed out so far.
    last_key: u64,
    calls: BTreeMap<CallKey, OpenCall>,
    keys: HashMap<RequestId, CallKey>,
}

impl OpenCalls {
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Adds the call of a request, whose id no open call has.
    pub(super) fn add(
        &mut self,
        id: RequestId,
        era: Era,
        meta: Option<&Value>,
        note: Option<String>,
    ) -> CallKey {
        self.last_key += 1;
        let key = CallKey(self.last_key);
        let token = meta.and_then(|meta| meta.get("progressToken"));
        let progress_token = token
            .filter(|token| token.is_string() || token.is_number())
            .cloned();
        self.keys.insert(id.clone(), key);
        self.calls.insert(
            key,
            OpenCall {
                id,
                era,
                note,
                progress_token,
                progress: f64::NEG_INFINITY,
            },
        );
        key
    }

    /// The open call of a client's request.
    pub(super) fn key_of(&self, id: &RequestId) -> Option<CallKey> {
        self.keys.get(id).copied()
    }

    /// Takes a call out, to be answered or forgotten.
    pub(super) fn take(&mut self, key: CallKey) -> Option<OpenCall> {
        let call = self.calls.remove(&key)?;
        self.keys.remove(&call.id);
        Some(call)
    }

    /// Notes how far a call has come; the token to report it with, if that is wanted and it has risen.
    pub(super) fn progress(&mut self, key: CallKey, done: f64) -> Option<&Value> {
        let call = self.calls.get_mut(&key)?;
        let token = call.progress_token.as_ref()?;
        if !done.is_finite() || done <= call.progress {
            return None;
        }
        call.progress = done;
        Some(token)
    }

    /// Forgets all calls; their keys.
    pub(super) fn clear(&mut self) -> Vec<CallKey> {
        self.keys.clear();
        std::mem::take(&mut self.calls).into_keys().collect()
    }
}
