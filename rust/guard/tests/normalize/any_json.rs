//! Odd and hostile calls: any JSON of the shapes that calls have.

use proptest::prelude::*;
use serde_json::{Value, json};
use siderail_guard::normalize::{self, RequestView};

use crate::{AGENTS, names, request};

/// JSON of the shapes that calls have, with the field names that the rules look at.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(
            &[
                "execute",
                "edit",
                "other",
                "bash",
                "intellij-code-tools",
                "run_tests",
                "run_command",
                "intellij-code-tools-run_tests",
                "mcp__intellij-code-tools__run_command",
                "MCPToolAction",
                "mcp_intellij-code-tools_run_tests__1",
                "rm -rf src",
                "[\"ls\"]",
                "{\"command\":\"ls\"}",
            ][..]
        )
        .prop_map(Value::from),
    ];
    let key = prop::sample::select(
        &[
            "toolCallId",
            "title",
            "name",
            "kind",
            "status",
            "rawInput",
            "command",
            "cmd",
            "commands",
            "script",
            "path",
            "paths",
            "locations",
            "content",
            "type",
            "_meta",
            "toolName",
            "claudeCode",
            "server",
            "tool",
            "server_name",
            "arguments",
            "data",
            "request",
            "changes",
            "description",
            "options",
            "cwd",
            "text",
        ][..],
    );
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|fields| {
                Value::Object(
                    fields
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_json_makes_the_normaliser_panic_and_no_own_tool_carries_a_command(
        call in any_json(),
        stored in prop::option::of(any_json()),
        open in prop::option::of(any_json()),
        meta in prop::option::of(any_json()),
        options in any_json(),
        agent in prop::sample::select(&AGENTS[..]),
    ) {
        let names = names(agent);
        let view = RequestView {
            tool_call: &call,
            stored: stored.as_ref(),
            last_open: open.as_ref(),
            meta: meta.as_ref(),
            options: &options,
            cwd: "/proj",
        };
        for action in [
            normalize::permission(&view, &names),
            normalize::update(&call, "/proj", &names),
            normalize::hook("mcp__intellij-code-tools__run_tests", &call, "/proj", &names),
        ] {
            if action.identity.is_own() && action.command.is_some() {
                prop_assert!(action.contradictory, "{action:?}");
            }
        }
    }

    #[test]
    fn a_command_beside_an_own_title_is_never_simply_own(
        command in "[a-z]{1,8}( [a-z/.-]{1,8}){0,3}",
        agent in prop::sample::select(&AGENTS[..]),
        tool in prop::sample::select(&["intellij_read_file", "run_tests", "git_status"][..]),
        key in prop::sample::select(&["command", "cmd", "script"][..]),
    ) {
        let title = format!("intellij-code-tools-{tool}");
        let call = json!({"toolCallId": "1", "title": title, "kind": "execute",
                          "rawInput": {key: command}});
        let action = request(agent, call, None);
        prop_assert!(action.contradictory || !action.identity.is_own(), "{action:?}");
    }
}
