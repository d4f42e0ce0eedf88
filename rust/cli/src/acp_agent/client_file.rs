//! The files in which ACP clients list their agents: adds or removes an entry and leaves everything else as it is.
//!
//! Text in, text out; knows no disk and no client.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};

/// The entry of an agent in a client's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The member of the file's object that holds all agents.
    pub(super) member: &'static str,
    /// Its name there.
    pub(super) name: String,
    /// The entries under that name, in order.
    pub(super) members: Vec<(&'static str, Member)>,
}

/// A value of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Text(String),
    List(Vec<String>),
    Empty,
}

/// Comments and commas behind the last member are what clients take beyond JSON.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

impl Entry {
    /// A file that holds nothing else.
    pub(super) fn alone(&self) -> String {
        self.put_into("").unwrap_or_default()
    }

    /// The text with this entry in it, in place of one of the same name.
    ///
    /// # Errors
    /// Why there is no place for it.
    pub(super) fn put_into(&self, text: &str) -> Result<String, String> {
        let root = parse(text)?;
        let whole = root
            .object_value_or_create()
            .ok_or("it does not hold an object")?;
        let agents = whole
            .object_value_or_create(self.member)
            .ok_or_else(|| format!("`{}` in it is not an object", self.member))?;
        match agents.get(&self.name) {
            Some(entry) => entry.set_value(self.value()),
            None => drop(agents.append(&self.name, self.value())),
        }
        let mut changed = root.to_string();
        if !changed.ends_with('\n') {
            changed.push('\n');
        }
        Ok(changed)
    }

    /// Whether another entry of this name is in the text.
    ///
    /// # Errors
    /// The text cannot be read.
    pub(super) fn replaces(&self, text: &str) -> Result<bool, String> {
        let root = parse(text)?;
        let agents = root
            .object_value()
            .and_then(|all| all.object_value(self.member));
        let there = agents.and_then(|agents| agents.get(&self.name));
        let there = there.and_then(|there| there.to_serde_value());
        let ours = parse(&self.alone())?.to_serde_value();
        let ours = ours.map(|ours| ours[self.member][&self.name].clone());
        Ok(there.is_some() && there != ours)
    }

    /// The text without it; none if it is not in there. Where nothing else is left beside it, there are two: the object
    /// of all agents may have been there before, or not.
    ///
    /// # Errors
    /// The text cannot be read.
    pub(super) fn take_out_of(&self, text: &str) -> Result<Vec<String>, String> {
        let root = parse(text)?;
        let whole = root.object_value();
        let agents = whole.and_then(|whole| whole.object_value(self.member));
        let entry = agents.as_ref().and_then(|agents| agents.get(&self.name));
        let (Some(agents), Some(entry)) = (agents, entry) else {
            return Ok(Vec::new());
        };
        entry.remove();
        let mut all = vec![root.to_string()];
        if holds_nothing(&agents.to_string())
            && let Some(member) = root.object_value().and_then(|all| all.get(self.member))
        {
            member.remove();
            all.push(root.to_string());
        }
        Ok(all)
    }

    fn value(&self) -> CstInputValue {
        let members = self.members.iter().map(|(name, member)| {
            let value = match member {
                Member::Text(text) => CstInputValue::String(text.clone()),
                Member::List(all) => {
                    CstInputValue::Array(all.iter().cloned().map(CstInputValue::String).collect())
                }
                Member::Empty => CstInputValue::Object(Vec::new()),
            };
            ((*name).to_owned(), value)
        });
        CstInputValue::Object(members.collect())
    }
}

/// Whether nothing is left of a file but an object without members and comments.
pub(super) fn holds_nothing(text: &str) -> bool {
    text.split_whitespace().collect::<String>() == "{}"
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error| format!("it is not valid JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            member: "agent_servers",
            name: "Siderail (claude)".to_owned(),
            members: vec![
                ("command", Member::Text("/opt/siderail".to_owned())),
                ("args", Member::List(vec!["acp".to_owned()])),
                ("env", Member::Empty),
            ],
        }
    }

    #[test]
    fn whatever_else_stands_in_a_file_stays_to_the_byte() {
        for before in [
            "",
            "{}",
            "{\n}\n",
            "// mine\n{\n  // size\n  \"font\": 12, /* x */\n}\n",
            "{\"a\":1,\"agent_servers\":{\"other\":{\"command\":\"x\"}}}",
            "{\r\n\t\"agent_servers\": {\r\n\t\t// none yet\r\n\t},\r\n\t\"z\": [1, 2,],\r\n}\r\n",
        ] {
            let with = entry().put_into(before).expect("it is read");
            let value = parse(&with).expect("it is valid").to_serde_value();
            let value = value.expect("it has a value");
            assert_eq!(
                value["agent_servers"]["Siderail (claude)"],
                serde_json::json!({"command": "/opt/siderail", "args": ["acp"], "env": {}}),
                "{with}"
            );
            assert_eq!(entry().put_into(&with), Ok(with.clone()), "twice is once");
            for line in before.lines().filter(|line| line.contains("//")) {
                assert!(with.contains(line.trim()), "{with}");
            }
            let without = entry().take_out_of(&with).expect("it is read");
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            let unchanged = if before.is_empty() { "{}" } else { before };
            assert!(
                without.iter().any(|text| bare(text) == bare(unchanged)),
                "{before:?} became {without:?}"
            );
        }
    }

    #[test]
    fn a_file_without_a_place_for_it_is_not_changed() {
        for (text, why) in [
            ("[1]", "does not hold an object"),
            (
                "{\"agent_servers\": 3}",
                "`agent_servers` in it is not an object",
            ),
            ("{\"a\": }", "not valid JSON"),
            ("{'a': 1}", "not valid JSON"),
        ] {
            let refused = entry().put_into(text).expect_err(text);
            assert!(refused.contains(why), "{text}: {refused}");
        }
        assert_eq!(entry().take_out_of("{\"agent_servers\": {}}"), Ok(vec![]));
        assert_eq!(entry().take_out_of(""), Ok(vec![]));
    }
}
