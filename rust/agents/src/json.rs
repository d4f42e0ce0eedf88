//! JSON laid over JSON: recipes of ours and settings of the user's.

use serde_json::Value;

/// Lays `over` on `base`: objects member by member, lists one after the other, anything else replaces.
pub(crate) fn merge(base: &mut Value, over: Value) {
    match (base, over) {
        (_, Value::Null) => {}
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                merge(base.entry(key).or_insert(Value::Null), value);
            }
        }
        // What was there first stays first: `over` is the user's.
        (Value::Array(base), Value::Array(mut over)) => {
            over.append(base);
            *base = over;
        }
        (base, over) => *base = over,
    }
}
