//! Questions of an agent to the person: forms and addresses (`elicitation/create`, ACP schema 1.15).
//!
//! Typed views for the front end that shows them. A request may belong to a session, to a tool call, or to no session
//! at all, as a login does. Fields of an unknown kind are kept by name, so that a form with one can be declined.

use serde_json::{Value, value::RawValue};

use crate::schema::{self, items, owned_text, text};

/// A question.
#[derive(Clone, Debug, PartialEq)]
pub struct Elicitation {
    /// What it is about, for people; written by the agent or a server of its.
    pub message: String,
    /// What is wanted.
    pub wanted: Wanted,
}

/// What an elicitation wants of the person.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Values, in order.
    Form(Vec<Field>),
    /// That this address is opened.
    Url {
        /// Names it in `elicitation/complete`.
        id: String,
        /// The address, whole.
        url: String,
    },
    /// Something this client does not know.
    Unknown,
}

/// One value of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// For people: its title, else its name.
    pub title: String,
    /// For people; empty when absent.
    pub description: String,
    /// It must be given.
    pub required: bool,
    /// Null when absent.
    pub default: Value,
    /// What kind of value.
    pub kind: FieldKind,
    /// What else the value must be.
    pub limits: Limits,
}

/// Limits of a value; none if the agent sets none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Of a number.
    pub lowest: Option<f64>,
    /// Of a number.
    pub highest: Option<f64>,
    /// Characters of a text, or how many of several choices.
    pub fewest: Option<u64>,
    /// The same.
    pub most: Option<u64>,
    /// An expression that a text holds, in the agent's dialect.
    pub pattern: Option<String>,
}

/// Kinds of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Any text.
    Text,
    /// A number.
    Number {
        /// A whole one.
        is_whole: bool,
    },
    /// Yes or no.
    Boolean,
    /// One of these.
    Choice(Vec<FieldChoice>),
    /// Any of these.
    Several(Vec<FieldChoice>),
    /// A kind this client does not know.
    Unknown,
}

/// A value that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChoice {
    /// In the answer.
    pub value: String,
    /// For people.
    pub title: String,
}

impl Elicitation {
    /// Reads the params of `elicitation/create`. A request without a mode is a form, as the first of its kind were.
    pub fn read(params: &RawValue) -> Self {
        let params = schema::value(params);
        let wanted = match text(&params, "mode") {
            None | Some("form") => Wanted::Form(fields(&params["requestedSchema"])),
            Some("url") => Wanted::Url {
                id: owned_text(&params, "elicitationId"),
                url: owned_text(&params, "url"),
            },
            Some(_) => Wanted::Unknown,
        };
        Self {
            message: owned_text(&params, "message"),
            wanted,
        }
    }
}

fn fields(schema: &Value) -> Vec<Field> {
    let required: Vec<&str> = items(schema, "required")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let field = |(name, property): (&String, &Value)| Field {
        name: name.clone(),
        title: text(property, "title").unwrap_or(name).to_owned(),
        description: owned_text(property, "description"),
        required: required.contains(&name.as_str()),
        default: property.get("default").cloned().unwrap_or(Value::Null),
        kind: kind(property),
        limits: limits(property),
    };
    properties.map(field).collect()
}

fn limits(property: &Value) -> Limits {
    let number = |name: &str| property[name].as_f64();
    let count = |of_text: &str, of_items: &str| {
        let count = property[of_text].as_u64();
        count.or_else(|| property[of_items].as_u64())
    };
    Limits {
        lowest: number("minimum"),
        highest: number("maximum"),
        fewest: count("minLength", "minItems"),
        most: count("maxLength", "maxItems"),
        pattern: text(property, "pattern").map(str::to_owned),
    }
}

fn kind(property: &Value) -> FieldKind {
    match text(property, "type") {
        Some("string") => match choices(property) {
            choices if choices.is_empty() => FieldKind::Text,
            choices => FieldKind::Choice(choices),
        },
        Some("number") => FieldKind::Number { is_whole: false },
        Some("integer") => FieldKind::Number { is_whole: true },
        Some("boolean") => FieldKind::Boolean,
        Some("array") => match choices(&property["items"]) {
            choices if choices.is_empty() => FieldKind::Unknown,
            choices => FieldKind::Several(choices),
        },
        _ => FieldKind::Unknown,
    }
}

/// Values under `enum` (with `enumNames`), or with their titles under `oneOf` or `anyOf`.
fn choices(property: &Value) -> Vec<FieldChoice> {
    let titled = items(property, "oneOf")
        .iter()
        .chain(items(property, "anyOf"));
    let titled = titled.filter_map(|choice| {
        let value = text(choice, "const")?.to_owned();
        let title = text(choice, "title").unwrap_or(&value).to_owned();
        Some(FieldChoice { value, title })
    });
    let names = items(property, "enumNames");
    let plain = items(property, "enum").iter().enumerate();
    let plain = plain.filter_map(|(at, value)| {
        let value = value.as_str()?.to_owned();
        let name = names.get(at).and_then(Value::as_str);
        let title = name.unwrap_or(&value).to_owned();
        Some(FieldChoice { value, title })
    });
    titled.chain(plain).collect()
}
