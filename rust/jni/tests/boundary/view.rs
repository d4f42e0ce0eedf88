//! One patch of each kind and one item of each kind, with all members that they can have.

use siderail_engine::event::{
    self, ApprovedBy, ChangeKind, ChangedFile, DeniedBy, ErrorKind, EventBody, FileDiff,
    GuidanceChannel, PlanEntry, PlanEntryPriority, PlanEntryStatus, Receipt, ResumedBy,
};
use siderail_view::conversation::{
    Call, CallStatus, Denial, Item, Open, Patch, PromptWay, Proposal, ProposalState, What,
};
use siderail_view::parse;

fn text(text: &str) -> String {
    text.to_owned()
}

fn steps() -> Vec<PlanEntry> {
    vec![PlanEntry {
        text: text("Look"),
        status: PlanEntryStatus::InProgress,
        priority: PlanEntryPriority::High,
    }]
}

fn call() -> Call {
    Call {
        tool: text("Write"),
        kind: "edit".into(),
        title: text("Write src/App.java"),
        is_described: true,
        command: Some(text("tee src/App.java")),
        paths: vec![text("src/App.java")],
        is_own: false,
        is_at_server: false,
        status: CallStatus::Denied,
        output: text("done"),
        diffs: vec![FileDiff {
            path: text("src/App.java"),
            old_text: Some(text("1")),
            new_text: text("2"),
        }],
        diff: Some(text("@@ -1 +1 @@\n-1\n+2\n")),
        approved_by: Some(ApprovedBy::User),
        denial: Some(Denial {
            by: DeniedBy::Policy,
            reason: text("the IDE writes"),
            guidance: text("Use intellij_write_file."),
            channel: Some(GuidanceChannel::Hook),
            instead: Some(text("intellij_write_file")),
            receipt: Some(Receipt::Delivered),
            is_followed: Some(true),
        }),
        request_ids: vec![7],
        seconds: Some(3),
    }
}

fn items() -> Vec<What> {
    let markdown = "Look at [App](src/App.java):\n\n```java\nint x;\n```";
    vec![
        What::PastBegins {
            at: Some(1_700_000_000_000),
        },
        What::PastOmitted { entries: 3 },
        What::PastEnds {
            by: ResumedBy::History,
        },
        What::Prompt {
            text: text("Change x to 2."),
            way: PromptWay::User,
        },
        What::Speech { is_thought: false },
        What::Call(Box::new(call())),
        What::Call(Box::new(Call {
            tool: text("intellij_write_file"),
            is_own: true,
            status: CallStatus::Running,
            ..Call::default()
        })),
        What::Calls,
        What::Plan { entries: steps() },
        What::Proposal(Proposal {
            request_id: 9,
            text: String::new(),
            blocks: parse(markdown),
            entries: steps(),
            state: ProposalState::Waiting,
        }),
        What::Changes {
            files: vec![ChangedFile {
                path: text("src/App.java"),
                kind: ChangeKind::Changed,
                old_text: Some(text("1")),
                new_text: Some(text("2")),
            }],
        },
        What::Notice {
            event: Box::new(EventBody::Error(event::Error {
                kind: ErrorKind::Closed,
                text: text("the agent ended"),
                hint: Some(text("start it again")),
            })),
            log: vec![text("out of memory")],
        },
        What::Prompt {
            text: text("gone"),
            way: PromptWay::Steered,
        },
    ]
}

pub(crate) fn all() -> Vec<Patch> {
    let mut patches = Vec::new();
    for (what, id) in items().into_iter().zip(1..) {
        let is_past = id <= 3;
        patches.push(Patch::Append(Item { id, is_past, what }));
    }
    let speech = |text: &str, settled: &str, open: Open| Patch::Extend {
        id: 5,
        text: text.to_owned(),
        settled: parse(settled),
        open,
        is_closed: false,
    };
    let code = "```rust\nlet a = 1;\n";
    patches.extend([
        speech(
            "Look:\n\n```rust\nlet a = 1;\n",
            "Look:",
            Open::Blocks(parse(code)),
        ),
        speech("let b = 2;\n", "", Open::More(text("\nlet b = 2;"))),
        speech(" ", "", Open::Same),
        Patch::Replace(Item {
            id: 9,
            is_past: false,
            what: What::Plan {
                entries: Vec::new(),
            },
        }),
        Patch::Fold {
            into: 7,
            ids: vec![6],
        },
        Patch::Remove { id: 13 },
        Patch::Asked {
            request_id: 7,
            diffs: call().diffs,
        },
    ]);
    patches
}
