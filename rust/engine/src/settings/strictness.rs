//! What is stricter: the order in which a project's file may move settings, and never the other way.
//!
//! Policies are no simple row. `yolo` denies what our tools replace but allows the rest; `ask` denies
//! nothing but asks for all. So two of them together can be stricter than each, and the project gets the
//! least policy that is at least as strict as both.

use siderail_guard::Policy;

use super::Settings;
use super::layer::{Key, Layer};

/// What a policy does on its own account.
#[derive(Clone, Copy)]
struct Strictness {
    /// What our tools replace is denied.
    redirects: bool,
    /// What is left is asked.
    asks: bool,
    /// Tools are hidden and hooks registered.
    watches: bool,
}

impl Strictness {
    fn of(policy: Policy) -> Self {
        Self {
            redirects: policy.redirects(),
            asks: policy != Policy::Yolo,
            watches: policy != Policy::Observe,
        }
    }
}

/// The least policy that is at least as strict as both.
fn stricter(a: Policy, b: Policy) -> Policy {
    let (a, b) = (Strictness::of(a), Strictness::of(b));
    match (
        a.redirects || b.redirects,
        a.asks || b.asks,
        a.watches || b.watches,
    ) {
        (true, true, _) => Policy::Redirect,
        (true, false, _) => Policy::Yolo,
        (false, _, true) => Policy::Ask,
        (false, _, false) => Policy::Observe,
    }
}

/// What a project's file that cannot be understood counts as.
pub(super) fn strictest() -> Layer {
    Layer {
        policy: Some(Policy::Redirect),
        hide: Some(true),
        deny_threshold: Some(1),
        session_message: Some(false),
        yolo_dangerous: Some(false),
        history: Some(false),
        ..Layer::default()
    }
}

/// Those of a project's wishes that change something for the stricter, and those that it does not get,
/// with the value that was wished for.
pub(super) fn tighten(now: &Settings, wished: &Layer) -> (Layer, Vec<(Key, String)>) {
    let mut tightened = Layer::default();
    let mut loosening = Vec::new();
    if let Some(policy) = wished.policy {
        let both = stricter(now.policy, policy);
        tightened.policy = (both != now.policy).then_some(both);
        if both != policy {
            loosening.push((Key::Policy, policy.as_str().to_owned()));
        }
    }
    let mut switch = |key, now: bool, wished: Option<bool>, strict: bool| {
        let wished = wished.filter(|wished| *wished != now)?;
        if wished == strict {
            return Some(wished);
        }
        loosening.push((key, if wished { "on" } else { "off" }.to_owned()));
        None
    };
    tightened.hide = switch(Key::Hide, now.hide, wished.hide, true);
    tightened.session_message = switch(
        Key::SessionMessage,
        now.session_message,
        wished.session_message,
        false,
    );
    tightened.yolo_dangerous = switch(
        Key::YoloDangerous,
        now.yolo_dangerous,
        wished.yolo_dangerous,
        false,
    );
    tightened.history = switch(Key::History, now.history, wished.history, false);
    if let Some(threshold) = wished.deny_threshold {
        tightened.deny_threshold = (threshold < now.deny_threshold).then_some(threshold);
        if threshold > now.deny_threshold {
            loosening.push((Key::DenyThreshold, threshold.to_string()));
        }
    }
    if let Some(inactivity) = wished.inactivity {
        tightened.inactivity = (inactivity < now.inactivity).then_some(inactivity);
        if inactivity > now.inactivity {
            loosening.push((Key::InactivityS, inactivity.as_secs().to_string()));
        }
    }
    (tightened, loosening)
}
