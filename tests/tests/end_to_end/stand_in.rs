//! A stand-in for an agent's home: what the agent writes there is the user's, however the session ends.

use std::process::Stdio;
use std::time::{Duration, Instant};

use siderail_tests::client;
use siderail_tests::place::{Place, paths_below};
use siderail_tests::processes::kill_9;
use siderail_tests::stage::LIMIT;

use crate::play::{Play, siderail};

/// A log in a folder that was not there, and a configuration that is saved by another name.
const WRITES: &str = r#"{ shell = "mkdir $VIBE_HOME/logs && echo line > $VIBE_HOME/logs/1 && echo new > $VIBE_HOME/tmp && mv $VIBE_HOME/tmp $VIBE_HOME/config.toml", expect = "allowed" },"#;

#[tokio::test]
async fn what_an_agent_writes_in_its_stand_in_home_is_at_home_after_the_session() {
    let script = format!("really = true\n[[prompt]]\nstep = [{WRITES}]");
    let stage = Play::of("vibe", &script)
        .policy("ask")
        .answer(true)
        .with(|_, place| place.write("home/.vibe/config.toml", "old\n"))
        .run()
        .await;
    assert_eq!(stage.place.read("home/.vibe/logs/1"), "line\n");
    assert_eq!(stage.place.read("home/.vibe/config.toml"), "new\n");
    assert!(!stage.place.path("home/.vibe/hooks.toml").exists());
    let left = paths_below(&stage.place.path("state"));
    assert!(
        left.iter()
            .all(|path| path.is_dir() || path.iter().any(|name| name == "history")),
        "nothing is left of it: {left:?}"
    );
}

#[tokio::test]
async fn no_home_is_made_for_an_agent_that_writes_nothing_there() {
    let stage = Play::of("vibe", "[[prompt]]\nstep = [{ say = 'hello' }]")
        .run()
        .await;
    assert!(!stage.place.path("home/.vibe").exists());
}

#[test]
fn what_an_agent_wrote_before_its_client_was_killed_is_at_home_after_the_next_start() {
    let place = Place::new();
    place.write("home/.vibe/config.toml", "old\n");
    let script = format!("really = true\n[[prompt]]\nstep = [{WRITES} {{ sleep = 600 }}]");
    place.write("script.toml", &script);
    place.write("next.toml", "[[prompt]]\nstep = [{ say = 'hello' }]");
    let run = |shape: &str, script: &str| {
        let agent = client::agent_command(siderail(), shape, &place.path(script));
        let words = [
            "run",
            "--agent",
            shape,
            "--policy",
            "ask",
            "--answer",
            "allow",
            "--json",
            "--agent-command",
            &agent,
            "go",
        ];
        let mut command = client::siderail(siderail(), &place, &words);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the client starts")
    };
    let mut killed = run("vibe", "script.toml");
    let end = Instant::now() + LIMIT;
    let is_written = || {
        let below = paths_below(&place.path("state"));
        let mut configs = below.iter().filter(|path| path.ends_with("config.toml"));
        configs.any(|path| std::fs::read_to_string(path).is_ok_and(|text| text == "new\n"))
    };
    while !is_written() {
        assert!(Instant::now() < end, "the agent never wrote");
        std::thread::sleep(Duration::from_millis(20));
    }
    kill_9(killed.id().cast_signed());
    client::wait(&mut killed, LIMIT);
    assert_eq!(place.read("home/.vibe/config.toml"), "old\n", "left behind");
    let code = client::wait(&mut run("copilot", "next.toml"), LIMIT);
    assert_eq!(code, Some(0));
    assert_eq!(place.read("home/.vibe/config.toml"), "new\n");
    assert_eq!(place.read("home/.vibe/logs/1"), "line\n");
}

#[tokio::test]
async fn what_an_earlier_run_could_not_put_back_is_told_in_the_next_session() {
    let stage = Play::of("claude", "[[prompt]]\nstep = [{ say = 'hello' }]")
        .with(|_, place| place.write("state/consent/openhands.0.json", "{"))
        .run()
        .await;
    let told = stage.all("AGENT_LOG");
    let is_told = told
        .iter()
        .any(|log| log.to_string().contains("openhands.0.json is damaged"));
    assert!(is_told, "{}", stage.tail());
}
