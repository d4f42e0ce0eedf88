//! The calls that guidance proposes: which arguments, and how long values are said.

use super::*;
use crate::normalize::Quirk;

#[test]
fn long_values_are_described_and_a_diff_stands_in_for_missing_arguments() {
    let form = NameForm::new("mcp__{server}__{tool}", SERVER);
    let long = "x".repeat(5_000);
    let whole = action("Write", json!({"file_path": "a", "content": long}));
    let text = builtin::guidance(ActionKind::Edit, &whole, &["a".to_owned()], &form)
        .unwrap()
        .text;
    assert!(text.contains("\"content\":\"<as in your call>\""), "{text}");
    let names = AgentNames {
        quirks: &[Quirk::CallIdNamesTool, Quirk::CommandInTitle],
        tool_name_in_meta: &[],
        server: SERVER,
        own_tools: &[],
        title_is_command: true,
    };
    let call = json!({"kind": "edit", "toolCallId": "replace__1", "content": [
        {"type": "diff", "path": "/proj/a", "oldText": "one", "newText": "two"}]});
    let by_diff = normalize::update(&call, "/proj", &names);
    let text = builtin::guidance(ActionKind::Edit, &by_diff, &["a".to_owned()], &form)
        .unwrap()
        .text;
    assert!(
        text.contains("\"old_text\":\"one\",\"new_text\":\"two\""),
        "{text}"
    );
}

#[test]
fn a_pattern_is_searched_as_one_unless_the_command_says_plain_text() {
    let form = NameForm::new("{tool}", SERVER);
    let grep = action("Grep", json!({"pattern": "int\\s+x"}));
    let text = builtin::guidance(ActionKind::SearchText, &grep, &[], &form)
        .unwrap()
        .text;
    assert!(
        text.contains("{\"query\":\"int\\\\s+x\",\"regex\":true}"),
        "{text}"
    );
    for (command, want) in [
        (
            "grep -rn 'a[0]' src",
            "{\"query\":\"a[0]\",\"regex\":true,\"path\":\"src\"}",
        ),
        (
            "grep -F 'a[0]' src",
            "{\"query\":\"a[0]\",\"path\":\"src\"}",
        ),
        ("fgrep 'a[0]' src", "{\"query\":\"a[0]\",\"path\":\"src\"}"),
    ] {
        let found = finding(
            FindingKind::SearchText,
            Some(Tool::SearchText),
            command,
            "/proj/src",
        );
        let text = for_command(&[found], &form).text;
        assert!(text.contains(want), "{want} in {text}");
    }
}

#[test]
fn git_calls_name_what_the_command_told() {
    let form = NameForm::new("{tool}", SERVER);
    for (tool, text, want) in [
        (
            Tool::GitCommit,
            "git commit -m 'Fix it'",
            "git_commit with {\"message\":\"Fix it\"}",
        ),
        (
            Tool::GitStage,
            "git add src/A.java",
            "git_stage with {\"paths\":[\"src/A.java\"]}",
        ),
        (
            Tool::GitStatus,
            "git status",
            "git_status with {\"path\":\"src/A.java\"}",
        ),
        (
            Tool::GitShow,
            "git show HEAD~1",
            "git_show with {\"ref\":\"HEAD~1\"}",
        ),
    ] {
        let found = finding(FindingKind::Git, Some(tool), text, "/proj/src/A.java");
        let text = for_command(&[found], &form).text;
        assert!(text.contains(want), "{want} in {text}");
    }
}

proptest! {
    #[test]
    fn no_words_of_a_model_make_a_text_too_long_or_break_its_line(
        tool in "\\PC{0,90}",
        path in "[\\PC\n]{0,300}",
        old in "[\\PC\n\"]{0,400}",
        query in "[\\PC\n`]{0,300}",
    ) {
        for (pattern, _) in FORMS {
            let form = NameForm::new(pattern, SERVER);
            let input = json!({"old_string": old, "new_string": query, "pattern": query});
            let relative = [path.clone(), path.clone(), path.clone(), path.clone(), path.clone()];
            for kind in [ActionKind::Read, ActionKind::Edit, ActionKind::Move, ActionKind::SearchText] {
                let action = action(&tool, input.clone());
                let guidance = builtin::guidance(kind, &action, &relative, &form).unwrap();
                prop_assert!(guidance.text.chars().count() <= MAX_CHARS, "{}", guidance.text);
                prop_assert!(!guidance.text.contains('\n'), "{}", guidance.text);
                prop_assert!(guidance.text.contains(&form.as_seen(guidance.tool)));
            }
            let tools = [Tool::SearchText, Tool::RunTests, Tool::ReadFile, Tool::GitCommit];
            let findings: Vec<Finding> = tools
                .into_iter()
                .map(|tool| finding(FindingKind::SearchText, Some(tool), &query, &path))
                .collect();
            let guidance = for_command(&findings, &form);
            prop_assert!(guidance.text.chars().count() <= MAX_CHARS, "{}", guidance.text);
            prop_assert!(!guidance.text.contains('\n'), "{}", guidance.text);
        }
    }
}
