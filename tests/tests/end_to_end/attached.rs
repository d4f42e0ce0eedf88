//! What a person attaches to a prompt reaches the agent as content blocks.

use serde_json::{Value, json};
use siderail_engine::command::{Attachment, Command};
use siderail_tests::stage::SESSION;

use crate::play::{Play, traffic};

/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_attached_to_a_prompt_reaches_the_agent_as_blocks() {
    let script = "[[prompt]]\nstep = [{ say = \"Seen.\" }]\n";
    let play = Play::of("claude", script).with(|_, place| place.write("project/a.txt", "one\n"));
    let mut stage = play.start();
    let file = stage.place.project().join("a.txt");
    let image = Attachment::Image {
        name: "pixel".to_owned(),
        data: PIXEL.to_owned(),
    };
    let selection = Attachment::Text {
        name: "a.txt:1".to_owned(),
        text: "one".to_owned(),
    };
    stage.send(Command::Prompt {
        session: SESSION,
        text: "What is that?".to_owned(),
        plan: false,
        blocks: Vec::new(),
        attachments: vec![Attachment::File { path: file }, selection, image],
        meta: Value::Null,
    });
    stage.until("TURN_ENDED").await;
    stage.end().await;
    let sent = traffic(&stage);
    let prompts = sent
        .iter()
        .filter(|line| line["msg"]["method"] == "session/prompt");
    let [prompt]: [&Value; 1] = prompts.collect::<Vec<_>>().try_into().expect("one prompt");
    let blocks = prompt["msg"]["params"]["prompt"]
        .as_array()
        .expect("blocks");
    let of = |kind: &str| -> Vec<&Value> {
        let of_kind = blocks.iter().filter(|block| block["type"] == kind);
        of_kind.collect()
    };
    assert_eq!(
        of("image"),
        [&json!({"type": "image", "mimeType": "image/png", "data": PIXEL})]
    );
    assert!(
        of("resource_link")[0]["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with("/a.txt")),
        "{blocks:?}"
    );
    let texts: Vec<String> = blocks.iter().map(Value::to_string).collect();
    for text in ["What is that?", "a.txt:1"] {
        assert!(
            texts.iter().any(|block| block.contains(text)),
            "{text}: {blocks:?}"
        );
    }
}
