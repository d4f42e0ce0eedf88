//! What surrounds the turns of a session: what an agent says beside its work, folders and models that it is told
//! of, and how it learns that nobody waits any more.

use serde_json::Value;
use siderail_engine::command::Command;
use siderail_tests::stage::{SESSION, Stage};

use crate::play::{Play, at_once, traffic};

const HELLO: &str = "[[prompt]]\nstep = [{ say = 'hello' }]";

/// What was sent to the agent under this method.
fn sent(stage: &Stage, method: &str) -> Vec<Value> {
    let lines = traffic(stage).into_iter();
    let ours = lines.filter(|line| line["dir"] == "client->agent");
    let messages = ours.map(|line| line["msg"].clone());
    messages
        .filter(|message| message["method"] == method)
        .collect()
}

fn update(update: &str) -> String {
    format!(
        r#"{{ send = '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"${{session}}","update":{update}}}}}' }},"#
    )
}

#[tokio::test]
async fn what_an_agent_counts_calls_and_notes_is_told_once_each() {
    let usage = update(
        r#"{"sessionUpdate":"usage_update","used":110,"size":258400,"cost":{"amount":0.5,"currency":"USD"}}"#,
    );
    let title = update(r#"{"sessionUpdate":"session_info_update","title":"Fix x"}"#);
    let steps = [
        usage.clone(),
        usage,
        title.clone(),
        title,
        update(r#"{"sessionUpdate":"session_info_update","updatedAt":"2026-01-01"}"#),
        update(r#"{"sessionUpdate":"session_info_update","title":null}"#),
        update(
            r#"{"sessionUpdate":"notice","severity":"warning","title":"Quota","description":"nearly used up"}"#,
        ),
        update(
            r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}"#,
        ),
        update(
            r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"failed","error":"no model"}"#,
        ),
        update(r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"dreaming"}"#),
    ];
    let script = format!("[[prompt]]\nstep = [{}]", steps.concat());
    let stage = Play::of("claude", &script).run().await;
    let counted = stage.all("USAGE").into_iter();
    let counted: Vec<&Value> = counted.filter(|one| one["used"] == 110).collect();
    assert_eq!(counted[0]["cost"]["amount"], 0.5, "{}", stage.tail());
    let repeated = counted
        .iter()
        .filter(|one| one.get("turn_tokens").is_none());
    assert_eq!(repeated.count(), 1, "{}", stage.tail());
    let titles: Vec<&Value> = stage.all("SESSION_TITLE");
    let titles: Vec<&str> = titles
        .iter()
        .filter_map(|one| one["title"].as_str())
        .collect();
    assert_eq!(titles, ["Fix x", ""], "{}", stage.tail());
    let notices = stage.all("AGENT_NOTICE");
    assert_eq!(notices.len(), 3, "{}", stage.tail());
    assert_eq!(notices[0]["text"], "Quota: nearly used up");
    assert_eq!(notices[0]["severity"], "warning");
    assert!(notices[2]["text"].to_string().contains("no model"));
    let can = sent(&stage, "initialize")[0]["params"]["clientCapabilities"]["session"].clone();
    assert!(
        can["notices"].is_object() && can["compaction"].is_object(),
        "{can}"
    );
}

#[tokio::test]
async fn further_folders_are_told_to_agents_that_take_them_and_to_no_other() {
    at_once(
        [("claude", true), ("codex", true), ("gemini", false)],
        |(shape, takes)| async move {
            let stage = Play::of(shape, HELLO)
                .with(|options, place| {
                    place.write("more/README", "");
                    options.additional_directories = vec![place.path("more")];
                })
                .run()
                .await;
            let more = stage.place.path("more").display().to_string();
            let told = &sent(&stage, "session/new")[0]["params"]["additionalDirectories"];
            match takes {
                true => assert_eq!(told[0], more.as_str(), "{shape}: {told}"),
                false => assert!(told.is_null(), "{shape}: {told}"),
            }
        },
    )
    .await;
}

#[tokio::test]
async fn a_model_is_set_the_older_way_where_the_agent_has_no_other() {
    let stage = Play::of("gemini", HELLO)
        .with(|options, _| {
            options.set.insert("model".to_owned(), "auto".to_owned());
        })
        .run()
        .await;
    let set = sent(&stage, "session/set_model");
    assert_eq!(set.len(), 1, "{}", stage.tail());
    assert_eq!(set[0]["params"]["modelId"], "auto");
    let told = stage.all("SESSION_OPTIONS");
    let last = told.last().expect("options are told").to_string();
    assert!(last.contains("\"auto\""), "{last}");
}

#[tokio::test]
async fn a_start_that_nobody_waits_for_any_more_is_taken_back() {
    let mut stage = Play::of("claude", HELLO).faults("silence@1").start();
    let given_up = async {
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        stage.end().await
    };
    given_up.await;
    let asked = sent(&stage, "initialize")[0]["id"].clone();
    let taken_back = sent(&stage, "$/cancel_request");
    assert_eq!(taken_back.len(), 1, "{}", stage.tail());
    assert_eq!(taken_back[0]["params"]["requestId"], asked);
}

#[tokio::test]
async fn an_agent_that_can_is_told_to_close_its_session_at_the_end() {
    at_once(
        [("claude", 1), ("gemini", 0)],
        |(shape, times)| async move {
            let stage = Play::of(shape, HELLO).run().await;
            let closed = sent(&stage, "session/close");
            assert_eq!(closed.len(), times, "{shape}: {}", stage.tail());
            let session = stage.all("SESSION_STARTED")[0]["agent_session"].clone();
            assert!(
                closed
                    .iter()
                    .all(|one| one["params"]["sessionId"] == session)
            );
        },
    )
    .await;
}

#[tokio::test]
async fn kept_conversations_are_listed_searched_and_exported_for_a_host() {
    let mut stage = Play::of("claude", HELLO).start();
    stage.play("fix the flaky test").await;
    let list = |stage: &Stage, session: u64, query: Option<&str>| {
        stage.send(Command::ListHistory {
            session,
            query: query.map(str::to_owned),
        });
    };
    list(&stage, SESSION, None);
    let all = stage.until("HISTORY").await;
    assert_eq!(all["session"], SESSION);
    let one = all["conversations"][0].clone();
    assert_eq!(one["title"], "fix the flaky test", "{all}");
    assert_eq!(
        (&one["agent"], &one["turns"]),
        (&"claude".into(), &1.into())
    );
    list(&stage, 0, Some("HELLO"));
    let found = stage.until("HISTORY").await;
    assert_eq!(
        (&found["session"], &found["query"]),
        (&0.into(), &"HELLO".into())
    );
    assert_eq!(
        found["conversations"].as_array().map(Vec::len),
        Some(1),
        "{found}"
    );
    list(&stage, 0, Some("nowhere said"));
    let none = stage.until("HISTORY").await;
    assert_eq!(
        none["conversations"].as_array().map(Vec::len),
        Some(0),
        "{none}"
    );
    let conversation = one["id"].as_str().expect("an id").to_owned();
    stage.send(Command::ExportHistory { conversation });
    let page = stage.until("HISTORY_EXPORTED").await;
    assert_eq!(page["conversation"], one["id"]);
    assert!(
        page["markdown"]
            .as_str()
            .is_some_and(|page| page.contains("hello")),
        "{page}"
    );
    let conversation = "ffffffff".to_owned();
    stage.send(Command::ExportHistory { conversation });
    let error = stage.until("ERROR").await;
    assert_eq!(
        (&error["session"], &error["kind"]),
        (&0.into(), &"history".into())
    );
    stage.end().await;
}

#[tokio::test]
async fn agents_are_listed_for_a_host_with_what_is_installed_by_now() {
    let mut bin = String::new();
    let play =
        Play::of("claude", HELLO).with(|_, place| bin = place.path("bin").display().to_string());
    let mut stage = play
        .environment("PATH", &format!("{bin}:/usr/bin:/bin"))
        .start();
    stage.until("SESSION_STARTED").await;
    let list = |stage: &Stage| stage.send(Command::ListAgents);
    let of = |listed: &Value, name: &str| {
        let agents = listed["agents"].as_array().expect("a list");
        let found = agents.iter().find(|one| one["agent"] == name);
        found.expect("a known agent").clone()
    };
    list(&stage);
    let listed = stage.until("AGENTS").await;
    assert_eq!(listed["session"], 0, "{listed}");
    let missing = of(&listed, "vibe");
    assert_eq!(missing["install"], "uv tool install mistral-vibe");
    assert!(missing["program"].is_null(), "{missing}");
    assert!(missing["problem"].is_string(), "{missing}");
    stage.place.write_program("bin/vibe-acp", "exit 0");
    list(&stage);
    let vibe = of(&stage.until("AGENTS").await, "vibe");
    let program = vibe["program"].as_str().expect("it is installed");
    assert!(program.ends_with("vibe-acp"), "{vibe}");
    assert!(vibe["problem"].is_null(), "{vibe}");
    stage.end().await;
}

#[tokio::test]
async fn servers_of_the_users_own_go_to_agents_that_take_them_and_their_secrets_to_nobody_else() {
    // The agent repeats what no name gives away as a secret.
    const TELLS: &str =
        "[[prompt]]\nstep = [{ say = 'The team is hush-crew-7, the place hush-local.' }]";
    const SERVERS: &str = r#"{"mcpServers":{
        "docs": {"type": "http", "url": "https://docs.example.org/mcp", "headers": {"X-Team": "hush-${DOCS_TEAM}"}},
        "feed": {"type": "sse", "url": "https://feed.example.org/sse"},
        "local": {"command": "true", "env": {"PLACE": "hush-local"}},
        "unset": {"url": "https://x.example.org", "headers": {"Key": "${NOT_SET}"}},
        "ide": {"url": "https://ide.example.org"}
    }}"#;
    let cases = [
        ("claude", "docs feed local", "`ide`"),
        ("codex", "docs ide local", "`feed`"),
        ("copilot", "docs feed ide", "`local`"),
        ("vibe", "docs ide local", "`feed`"),
        ("openhands", "local", "`docs`"),
    ];
    at_once(cases, |(shape, gets, lacks)| async move {
        let stage = Play::of(shape, TELLS)
            .with(|_, place| {
                place.write("home/.config/siderail/mcp.json", SERVERS);
            })
            .environment("DOCS_TEAM", "crew-7")
            .run()
            .await;
        let told = sent(&stage, "session/new")[0]["params"]["mcpServers"].clone();
        let names = told.as_array().into_iter().flatten();
        let names = names.filter_map(|server| server["name"].as_str());
        let mut names: Vec<&str> = names.filter(|name| !name.contains("intellij")).collect();
        names.sort_unstable();
        assert_eq!(names.join(" "), gets, "{shape}: {told}");
        let notices = format!("{:?}", stage.all("AGENT_LOG"));
        assert!(notices.contains(lacks), "{shape}: {notices}");
        assert!(notices.contains("NOT_SET is not set"), "{shape}: {notices}");
        let all = [
            stage.place.read("traffic.jsonl"),
            format!("{:?}", stage.seen),
        ];
        for place in all {
            assert!(place.contains("The team is"), "{shape}: {}", stage.tail());
            assert!(!place.contains("hush-"), "{shape}: a secret is told");
        }
    })
    .await;
}

#[tokio::test]
async fn the_examples_of_the_page_about_servers_are_taken_as_they_stand() {
    let page = include_str!("../../../docs/mcp-servers.md");
    let blocks: Vec<&str> = page.split("```json\n").skip(1).collect();
    let examples = blocks.iter().map(|block| block.split("```").next());
    let examples: Vec<String> = examples.flatten().map(str::to_owned).collect();
    // Of the second one its server is switched off, so it is switched on here.
    let switched_on = examples[1].replace("\"disabled\": true", "\"disabled\": false");
    let cases = [
        (examples[0].clone(), "files docs feed"),
        (examples[1].clone(), ""),
        (switched_on, "tickets"),
    ];
    assert_eq!(examples.len(), 2);
    at_once(cases, |(example, gets)| async move {
        let stage = Play::of("claude", HELLO)
            .with(|_, place| {
                place.write("home/.config/siderail/mcp.json", &example);
            })
            .environment("DOCS_TOKEN", "hush-1")
            .environment("TICKETS_KEY", "hush-2")
            .run()
            .await;
        let told = sent(&stage, "session/new")[0]["params"]["mcpServers"].clone();
        let names = told.as_array().into_iter().flatten();
        let names = names.filter_map(|server| server["name"].as_str());
        let names: Vec<&str> = names.filter(|name| !name.contains("intellij")).collect();
        assert_eq!(names.join(" "), gets, "{told}");
        assert!(
            !format!("{:?}", stage.seen).contains("left out"),
            "{:?}",
            stage.seen
        );
    })
    .await;
}

#[tokio::test]
async fn an_image_that_a_prompt_names_goes_along_as_one() {
    let mut stage = Play::of("claude", HELLO).start();
    let image = b"\x89PNG\r\n\x1a\nrest";
    std::fs::write(stage.place.project().join("a shot.png"), image).expect("written");
    stage.play(r#"What is on @"a shot.png"?"#).await;
    stage.end().await;
    let blocks = &sent(&stage, "session/prompt")[0]["params"]["prompt"];
    assert_eq!(blocks[1]["type"], "image", "{blocks}");
    assert_eq!(blocks[1]["mimeType"], "image/png");
    assert_eq!(blocks[1]["data"], "iVBORw0KGgpyZXN0");
}

#[tokio::test]
async fn a_file_that_a_prompt_names_goes_along_as_a_link() {
    let mut stage = Play::of("claude", HELLO).start();
    stage
        .play("Look at @src/App.java, @src/App.java and @nowhere.txt or @../home; me@src/App.java")
        .await;
    stage.end().await;
    let prompt = &sent(&stage, "session/prompt")[0]["params"]["prompt"];
    let links: Vec<&Value> = prompt.as_array().into_iter().flatten().skip(1).collect();
    assert_eq!(links.len(), 1, "{prompt}");
    assert_eq!(
        (&links[0]["type"], &links[0]["name"]),
        (&"resource_link".into(), &"src/App.java".into())
    );
    let uri = links[0]["uri"].as_str().expect("an address");
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/src/App.java"),
        "{uri}"
    );
}
