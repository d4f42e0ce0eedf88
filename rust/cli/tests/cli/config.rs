//! `siderail init` and `siderail config`: the settings file, without an editor and without guessing.

use crate::process::{Ended, Place, entries};
use crate::terminal::Terminal;

fn text(place: &Place) -> String {
    let file = place.path("home/.config/siderail/config.toml");
    std::fs::read_to_string(file).unwrap_or_default()
}

#[test]
fn a_setting_is_changed_in_its_place_and_everything_else_stays() {
    let place = Place::new();
    place.config("# mine\npolicy = \"ask\"  # for now\nconsent = [\n  \"codex\",\n]\n\n[mode]\nclaude = \"plan\"\n");
    for (key, value) in [
        ("policy", "observe"),
        ("consent", "openhands,codex"),
        ("hide", "off"),
        ("inactivity_s", "60"),
        ("agent", "gemini"),
    ] {
        let ended = place.run(&["config", "set", key, value]);
        assert_eq!(
            (ended.code, ended.err.as_str()),
            (Some(0), ""),
            "{key}: {ended:?}"
        );
    }
    assert_eq!(
        text(&place),
        "# mine\npolicy = \"observe\"  # for now\nconsent = [\"openhands\", \"codex\"]\n\nhide = false\n\
         inactivity_s = 60\nagent = \"gemini\"\n[mode]\nclaude = \"plan\"\n"
    );
    let ended = place.run(&["config", "get", "policy"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "observe\n"));
    let ended = place.run(&["config", "path"]);
    assert!(
        ended
            .out
            .trim_end()
            .ends_with(".config/siderail/config.toml"),
        "{ended:?}"
    );
}

#[test]
fn a_file_that_may_not_grow_stays_what_it_was_and_nothing_lies_beside_it() {
    let place = Place::new();
    place.config("policy = \"ask\"\n");
    let command = place.siderail(&["config", "set", "policy", "observe"]);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\""]);
    shell.arg(command.get_program()).args(command.get_args());
    shell
        .env_clear()
        .envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))));
    shell.current_dir(place.project());
    let ended = Ended::of(shell.output().expect("it starts"));
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(ended.err.contains("cannot be written"), "{ended:?}");
    assert_eq!(text(&place), "policy = \"ask\"\n");
    assert_eq!(entries(&place.path("home/.config/siderail")).len(), 1);
}

#[test]
fn a_wrong_value_changes_nothing_and_a_wrong_name_gets_the_right_one() {
    let place = Place::new();
    for before in [
        "policy = \"ask\"\n",
        "policy = \"broken\"\n",
        "no toml\n",
        "",
    ] {
        place.config(before);
        for (key, value, said) in [
            ("policy", "allow", "valid values: "),
            ("inactivity_s", "soon", "valid values: "),
            ("polcy", "ask", "did you mean `policy`?"),
            ("agent", "cluade", "did you mean `claude`?"),
        ] {
            let ended = place.run(&["config", "set", key, value]);
            assert_eq!(ended.code, Some(2), "{ended:?}");
            assert!(ended.err.contains(said), "{said}: {ended:?}");
            assert_eq!(text(&place), before);
        }
    }
    assert_eq!(place.run(&["config", "get", "nothing"]).code, Some(2));
}

#[test]
fn an_editor_opens_the_file_and_what_is_wrong_afterwards_is_listed() {
    let place = Place::new();
    let edit = |editor: &str| {
        let mut command = place.siderail(&["config", "edit"]);
        crate::process::Ended::of(command.env("EDITOR", editor).output().expect("it runs"))
    };
    assert_eq!(edit("touch").code, Some(0));
    let ended = edit("sh -c 'echo policy = 5 > \"$0\"'");
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("policy"), "{ended:?}");
    let ended = edit("false");
    assert_eq!(ended.code, Some(4), "{ended:?}");
    assert!(
        ended.err.contains("set EDITOR to one that works"),
        "{ended:?}"
    );
}

#[test]
fn init_asks_three_questions_and_writes_the_answers() {
    let place = Place::new();
    let path = crate::defaults::install(&place, &["gemini", "copilot"]);
    let mut terminal = Terminal::start(&place, &["init"], &[("PATH", &path)]);
    terminal.until("Which agent");
    terminal.until("[1 to 2; Enter for 1] ");
    terminal.keys("9\n2\n");
    terminal.until("What may agents do");
    terminal.keys("\n");
    terminal.until("Save conversations");
    terminal.keys("no\n");
    terminal.until("Written to");
    assert_eq!(terminal.end_cooked(), Some(0));
    assert_eq!(
        text(&place),
        "agent = \"gemini\"\npolicy = \"redirect\"\nhistory = false\n"
    );
    let ended = place.run(&["init"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("config set"), "{ended:?}");
}

#[test]
fn init_that_is_left_early_changes_nothing() {
    let place = Place::new();
    let path = crate::defaults::install(&place, &["gemini"]);
    let mut terminal = Terminal::start(&place, &["init"], &[("PATH", &path)]);
    terminal.until("Enter for 1] ");
    terminal.keys("\n");
    terminal.until("Enter for 1] ");
    terminal.keys("\x04");
    assert_eq!(terminal.end_cooked(), Some(6));
    assert_eq!(text(&place), "");
}
