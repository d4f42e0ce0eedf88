//! What we send is what the schema says, and only what the agent's capabilities allow.

use agent_client_protocol_schema::v1;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests::{
    self, ClientFeatures, McpServer, PromptBlock, SessionSetup, Unsupported,
};

/// The schema's type reads the params and writes them back with nothing lost.
#[track_caller]
fn check<T: DeserializeOwned + Serialize>(params: &Value) {
    let read = serde_json::from_value::<T>(params.clone()).expect("params of the schema");
    assert_eq!(&serde_json::to_value(read).expect("JSON"), params);
}

fn everything() -> AgentCapabilities {
    AgentCapabilities::read(&json!({
        "loadSession": true,
        "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
        "sessionCapabilities": {"additionalDirectories": {}, "systemPrompt": {}},
    }))
}

fn setup() -> SessionSetup {
    SessionSetup {
        cwd: "/project".to_owned(),
        mcp_servers: vec![
            McpServer::Stdio {
                name: "intellij-code-tools".to_owned(),
                command: "/bin/siderail-relay".to_owned(),
                args: vec![],
                env: [("SIDERAIL_SOCKET".to_owned(), "/s".to_owned())].into(),
            },
            McpServer::Http {
                name: "h".to_owned(),
                url: "http://127.0.0.1:1/".to_owned(),
                headers: [].into(),
            },
        ],
        additional_directories: vec!["/more".to_owned()],
        system_prompt: Some("Use the IDE.".to_owned()),
        meta: json!({"claudeCode": {}}),
    }
}

#[test]
fn initialize_asks_for_version_1_and_names_what_is_offered() {
    let all = ClientFeatures {
        read_files: true,
        write_files: true,
        terminal: true,
        elicitation_form: true,
        elicitation_url: true,
        auth_terminal: true,
    };
    let params = requests::initialize("siderail", "Siderail", "0.1.0", all);
    check::<v1::InitializeRequest>(&params);
    assert_eq!(params["protocolVersion"], json!(1));
    let capabilities = &params["clientCapabilities"];
    assert_eq!(
        capabilities["fs"],
        json!({"readTextFile": true, "writeTextFile": true})
    );
    assert_eq!(capabilities["terminal"], json!(true));
    assert_eq!(capabilities["elicitation"], json!({"form": {}, "url": {}}));
    assert_eq!(
        capabilities["session"]["configOptions"],
        json!({"boolean": {}})
    );
    let none = requests::initialize("siderail", "Siderail", "0.1.0", ClientFeatures::default());
    assert_eq!(none["clientCapabilities"].get("elicitation"), None);
    assert_eq!(
        none["clientCapabilities"]["fs"]["writeTextFile"],
        json!(false)
    );
}

#[test]
fn sessions_are_set_up_with_what_the_agent_takes() {
    let params = setup().new_session(&everything());
    assert_eq!(
        params,
        json!({
            "cwd": "/project",
            "additionalDirectories": ["/more"],
            "mcpServers": [
                {"name": "intellij-code-tools", "command": "/bin/siderail-relay", "args": [], "env": [{"name": "SIDERAIL_SOCKET", "value": "/s"}]},
                {"type": "http", "name": "h", "url": "http://127.0.0.1:1/", "headers": []},
            ],
            "systemPrompt": {"mode": "append", "content": [{"type": "text", "text": "Use the IDE."}]},
            "_meta": {"claudeCode": {}},
        })
    );
    let bare = AgentCapabilities::default();
    let params = setup().new_session(&bare);
    check::<v1::NewSessionRequest>(&params);
    assert_eq!(
        (
            params.get("systemPrompt"),
            params.get("additionalDirectories")
        ),
        (None, None)
    );
    let params = setup().load_session("s1", &bare);
    check::<v1::LoadSessionRequest>(&params);
    assert_eq!(params["sessionId"], "s1");
}

#[test]
fn the_small_requests_are_of_the_schema() {
    check::<v1::AuthenticateRequest>(&requests::authenticate("m"));
    check::<v1::DeleteSessionRequest>(&requests::session("s"));
    check::<v1::CloseSessionRequest>(&requests::session("s"));
    check::<v1::CancelNotification>(&requests::session("s"));
    check::<v1::SetSessionModeRequest>(&requests::set_mode("s", "ask"));
    check::<v1::SetSessionConfigOptionRequest>(&requests::set_config_option("s", "model", "m"));
    check::<v1::SetSessionConfigOptionRequest>(&requests::set_boolean_option("s", "fast", true));
}

#[test]
fn prompts_hold_only_blocks_that_the_agent_takes() {
    let link = PromptBlock::ResourceLink {
        uri: "file:///a.rs".to_owned(),
        name: "a.rs".to_owned(),
    };
    let resource = PromptBlock::Resource {
        uri: "file:///b.rs".to_owned(),
        name: "b.rs".to_owned(),
        text: "fn b() {}".to_owned(),
        mime_type: None,
    };
    let image = PromptBlock::Image {
        data: "AA==".to_owned(),
        mime_type: "image/png".to_owned(),
    };
    let audio = PromptBlock::Audio {
        data: "AA==".to_owned(),
        mime_type: "audio/wav".to_owned(),
    };
    let text = PromptBlock::Text("/help me".to_owned());
    let kinds = |params: &Value| {
        let blocks = params["prompt"].as_array().expect("blocks").iter();
        blocks
            .map(|block| block["type"].as_str().expect("a type").to_owned())
            .collect::<Vec<_>>()
    };

    let all = [
        text.clone(),
        link.clone(),
        resource.clone(),
        image.clone(),
        audio.clone(),
    ];
    let params = requests::prompt("s", &all, &everything()).expect("all taken");
    check::<v1::PromptRequest>(&params);
    assert_eq!(
        kinds(&params),
        ["text", "resource_link", "resource", "image", "audio"]
    );

    let bare = AgentCapabilities::default();
    let params = requests::prompt("s", &[text, link, resource], &bare).expect("taken or replaced");
    assert_eq!(kinds(&params), ["text", "resource_link", "resource_link"]);
    assert_eq!(
        params["prompt"][2],
        json!({"type": "resource_link", "name": "b.rs", "uri": "file:///b.rs"})
    );
    assert_eq!(
        requests::prompt("s", &[image], &bare),
        Err(Unsupported("images"))
    );
    assert_eq!(
        requests::prompt("s", &[audio], &bare),
        Err(Unsupported("audio"))
    );
}
