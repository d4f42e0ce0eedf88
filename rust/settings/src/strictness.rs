//! Which value is stricter: a project's file may move settings in this order, and never the other way.
//!
//! Policies have no simple order. `yolo` denies what our tools replace but allows the rest; `ask` denies nothing but
//! asks for all. So two of them together can be stricter than each, and the project gets the least policy that is at
//! least as strict as both.

use siderail_guard::Policy;

/// How values of a setting are ordered.
pub(crate) struct Stricter<T: 'static> {
    /// The user's value as the project's tightens it: at least as strict as the user's.
    pub(crate) both: fn(&T, &T) -> T,
    /// The strictest value, if the setting has one: it counts if it is unclear what was meant.
    pub(crate) most: Option<T>,
}

impl Stricter<bool> {
    /// On is strict.
    pub(crate) const ON: Self = Self {
        both: |a, b| *a || *b,
        most: Some(true),
    };
    /// Off is strict.
    pub(crate) const OFF: Self = Self {
        both: |a, b| *a && *b,
        most: Some(false),
    };
}

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

/// The user's policy as a project may tighten it: `yolo` is not a wish for anything stricter, whatever it denies.
pub(crate) fn tightened(now: Policy, wished: Policy) -> Policy {
    match wished {
        Policy::Yolo => now,
        _ => stricter(now, wished),
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
