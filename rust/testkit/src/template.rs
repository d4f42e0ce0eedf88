//! JSON templates with `${name}` holes: how the tables in `shapes/` say what an agent sends.
//!
//! A string that is one hole and nothing else becomes the variable's JSON value, whatever its type;
//! where the variable is missing, the member or element that holds it is left out, as real agents
//! leave out what they do not know. Inside a longer string a hole becomes text. Knows no protocol.

use serde_json::{Map, Value};

/// The variables of one fill.
#[derive(Clone, Debug, Default)]
pub struct Vars(Map<String, Value>);

impl Vars {
    /// Sets a variable; an earlier value is replaced.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The variable's value, where it is set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The variable as text: strings as they are, other values as JSON, missing as "".
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }
}

/// Fills `template`; `None` where it is a single hole whose variable is missing.
#[must_use]
pub fn fill(template: &Value, vars: &Vars) -> Option<Value> {
    match template {
        Value::String(text) => match whole_hole(text) {
            Some(name) => vars.get(name).cloned(),
            None => Some(Value::String(fill_text(text, vars))),
        },
        Value::Array(items) => Some(items.iter().filter_map(|item| fill(item, vars)).collect()),
        Value::Object(members) => Some(Value::Object(
            members
                .iter()
                .filter_map(|(name, value)| Some((fill_text(name, vars), fill(value, vars)?)))
                .collect(),
        )),
        other => Some(other.clone()),
    }
}

/// Fills the holes of a plain text.
#[must_use]
pub fn fill_text(text: &str, vars: &Vars) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else {
            break;
        };
        filled.push_str(&rest[..start]);
        filled.push_str(&vars.text(&rest[start + 2..start + length]));
        rest = &rest[start + length + 1..];
    }
    filled.push_str(rest);
    filled
}

fn whole_hole(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    (!name.contains(['}', '$'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Vars, fill};

    fn check(template: serde_json::Value, filled: serde_json::Value) {
        let mut vars = Vars::default();
        vars.set("path", "/p/a")
            .set("words", json!(["a", "b"]))
            .set("none", json!(null));
        assert_eq!(fill(&template, &vars), Some(filled));
    }

    #[test]
    fn a_lone_hole_keeps_the_json_type() {
        check(
            json!({"w": "${words}", "n": "${none}"}),
            json!({"w": ["a", "b"], "n": null}),
        );
    }

    #[test]
    fn a_missing_variable_drops_its_member_but_only_empties_text() {
        check(
            json!({"x": "${absent}", "t": "at ${absent}."}),
            json!({"t": "at ."}),
        );
    }

    #[test]
    fn names_and_embedded_holes_are_filled_as_text() {
        check(
            json!({"${path}": "${path} ${words} ${open"}),
            json!({"/p/a": "/p/a [\"a\",\"b\"] ${open"}),
        );
    }
}
