//! `siderail acp config`: a client's own file, of which nothing but one entry changes.

use std::fs;

use serde_json::Value;

use crate::process::{Ended, Place};

const ZED: &str = "home/.config/zed/settings.json";
const JETBRAINS: &str = "home/.jetbrains/acp.json";

fn config(place: &Place, words: &[&str]) -> Ended {
    place.run(&[&["acp", "config", "--agent", "claude"], words].concat())
}

fn put(place: &Place, file: &str, text: &str) {
    let path = place.path(file);
    fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    fs::write(path, text).expect("it can be written");
}

#[test]
fn each_client_is_told_the_same_command_in_its_own_words() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_siderail");
    for (client, pointer, file) in [
        ("zed", "/agent_servers/Siderail (claude)", Some(ZED)),
        (
            "jetbrains",
            "/agent_servers/Siderail (claude)",
            Some(JETBRAINS),
        ),
        ("generic", "", None),
    ] {
        let ended = config(&place, &["--client", client]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let value: Value = serde_json::from_str(&ended.out).expect("JSON alone on stdout");
        let entry = value.pointer(pointer).expect(client);
        assert_eq!(entry["command"], program, "{client}");
        assert_eq!(
            entry["args"],
            serde_json::json!(["acp", "--agent", "claude"]),
            "{client}"
        );
        if let Some(file) = file {
            let path = place.path(file);
            assert!(ended.err.contains(&path.display().to_string()), "{ended:?}");
            assert!(!path.exists(), "nothing is written unasked");
        }
    }
    let acpx: Value =
        serde_json::from_str(&config(&place, &["--client", "acpx"]).out).expect("JSON");
    assert_eq!(
        acpx["agents"]["siderail-claude"]["command"],
        format!("{program} acp --agent claude")
    );
    let toad = config(&place, &["--client", "toad"]);
    assert_eq!(
        toad.out,
        format!("toad acp '{program} acp --agent claude'\n")
    );
    let unknown = place.run(&["acp", "config", "--client", "zed", "--agent", "cluade"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(
        unknown.err.contains("did you mean `claude`?"),
        "{unknown:?}"
    );
}

#[test]
fn what_was_written_is_taken_back_to_the_byte() {
    let place = Place::new();
    let before = "// my settings\n{\n  \"font_size\": 14, // larger\n  \"agent_servers\": {\n    \"mine\": { \"command\": \"x\" },\n  },\n}\n";
    put(&place, ZED, before);
    let refused = config(&place, &["--client", "zed", "--write"]);
    assert_eq!(refused.code, Some(2), "nobody can be asked: {refused:?}");
    let read = |file: &str| fs::read_to_string(place.path(file)).expect("it is there");
    assert_eq!(read(ZED), before);
    for _ in 0..2 {
        let written = config(&place, &["--client", "zed", "--write", "--yes"]);
        assert_eq!(written.code, Some(0), "{written:?}");
    }
    let with = read(ZED);
    for kept in [
        "// my settings",
        "// larger",
        "\"mine\"",
        "Siderail (claude)",
    ] {
        assert!(with.contains(kept), "{with}");
    }
    assert_eq!(read(&format!("{ZED}.before-siderail")), before);
    let removed = config(&place, &["--client", "zed", "--remove", "--yes"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(read(ZED), before);
    assert!(!place.path(&format!("{ZED}.before-siderail")).exists());

    // Where there was no file, there is none afterwards.
    let written = config(&place, &["--client", "jetbrains", "--write", "--yes"]);
    assert_eq!(written.code, Some(0), "{written:?}");
    assert!(read(JETBRAINS).contains("Siderail (claude)"));
    let removed = config(&place, &["--client", "jetbrains", "--remove", "--yes"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert!(!place.path(JETBRAINS).exists());
}

#[test]
fn a_change_of_the_users_own_in_between_stays() {
    let place = Place::new();
    put(&place, JETBRAINS, "{\"agent_servers\": {}}");
    config(&place, &["--client", "jetbrains", "--write", "--yes"]);
    let with = fs::read_to_string(place.path(JETBRAINS)).expect("it is there");
    put(&place, JETBRAINS, &with.replacen('{', "{\n  // later\n", 1));
    let removed = config(&place, &["--client", "jetbrains", "--remove", "--yes"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let left = fs::read_to_string(place.path(JETBRAINS)).expect("it is there");
    assert!(
        left.contains("// later") && !left.contains("Siderail"),
        "{left}"
    );
}

#[test]
fn an_entry_that_is_another_one_is_replaced_and_kept() {
    let place = Place::new();
    let mine = "{\"agent_servers\": {\"Siderail (claude)\": {\"command\": \"mine\", \"env\": {\"A\": \"b\"}}}}";
    put(&place, JETBRAINS, "{}");
    config(&place, &["--client", "jetbrains", "--write", "--yes"]);
    put(&place, JETBRAINS, mine);
    let written = config(&place, &["--client", "jetbrains", "--write", "--yes"]);
    assert_eq!(written.code, Some(0), "{written:?}");
    assert!(
        written.err.contains("Replaced `Siderail (claude)`") && !written.err.contains("Added"),
        "{written:?}"
    );
    let kept = format!("{JETBRAINS}.replaced-by-siderail");
    assert!(written.err.contains(".replaced-by-siderail"), "{written:?}");
    let kept = fs::read_to_string(place.path(&kept)).expect("it is kept");
    assert_eq!(kept, mine);
}

#[test]
fn entries_that_are_written_at_once_are_all_there() {
    const AGENTS: [&str; 6] = ["claude", "codex", "copilot", "gemini", "qwen", "vibe"];
    let place = Place::new();
    put(&place, JETBRAINS, "{}");
    std::thread::scope(|scope| {
        for agent in AGENTS {
            let place = &place;
            scope.spawn(move || {
                let words = ["acp", "config", "--agent", agent, "--client", "jetbrains"];
                let written = place.run(&[&words[..], &["--write", "--yes"]].concat());
                assert_eq!(written.code, Some(0), "{written:?}");
            });
        }
    });
    let text = fs::read_to_string(place.path(JETBRAINS)).expect("it is there");
    for agent in AGENTS {
        assert!(
            text.contains(&format!("Siderail ({agent})")),
            "{agent}: {text}"
        );
    }
}

#[test]
fn a_file_that_is_broken_or_a_link_is_left_and_the_entry_printed() {
    let place = Place::new();
    put(&place, JETBRAINS, "{ \"agent_servers\": ");
    let ended = config(&place, &["--client", "jetbrains", "--write", "--yes"]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.err.contains("was left as it is"), "{ended:?}");
    assert!(ended.out.contains("\"Siderail (claude)\""), "{ended:?}");
    let text = fs::read_to_string(place.path(JETBRAINS)).expect("it is there");
    assert_eq!(text, "{ \"agent_servers\": ");
    #[cfg(unix)]
    {
        put(&place, "home/dotfiles.json", "{}");
        fs::create_dir_all(place.path("home/.acpx")).expect("it can be made");
        std::os::unix::fs::symlink(
            place.path("home/dotfiles.json"),
            place.path("home/.acpx/config.json"),
        )
        .expect("a link");
        let ended = config(&place, &["--client", "acpx", "--write", "--yes"]);
        assert_eq!(ended.code, Some(4), "{ended:?}");
        assert!(ended.err.contains("it is a link"), "{ended:?}");
        assert_eq!(
            fs::read_to_string(place.path("home/dotfiles.json")).expect("it is there"),
            "{}"
        );
    }
    let toad = config(&place, &["--client", "toad", "--write", "--yes"]);
    assert_eq!(toad.code, Some(2), "{toad:?}");
}
