//! `siderail init` and `siderail config`: the settings file, without an editor and without guessing.

use std::os::unix::fs::PermissionsExt as _;

use rustix::process::{Pid, Signal, kill_process};

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
fn what_else_is_wrong_in_the_file_is_told_when_a_setting_is_changed() {
    let place = Place::new();
    place.config("policy = \"asq\"\n");
    let ended = place.run(&["config", "set", "deny_threshold", "5"]);
    assert_eq!(ended.code, Some(0), "it is set: {ended:?}");
    assert!(
        ended.err.contains("config.toml:1:10: `policy` is \"asq\""),
        "{ended:?}"
    );
    assert_eq!(text(&place), "policy = \"asq\"\ndeny_threshold = 5\n");
    let ended = place.run(&["config", "set", "policy", "ask"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
}

#[test]
fn what_get_prints_set_takes() {
    let values = [
        ("agent", "none"),
        ("policy", "redirect"),
        ("hide", "on"),
        ("deny_threshold", "3"),
        ("mode", "the agent's profile"),
        ("consent", "none"),
        ("keep_consent", "none"),
        ("tools_off", "none"),
        ("reason_on_reject", "none"),
        ("agent", "claude"),
        ("mode", "{ claude = \"plan\", codex = \"read-only\" }"),
        ("consent", "openhands, codex"),
        ("tools_off", "run_command"),
    ];
    for (key, value) in values {
        let place = Place::new();
        // Where the file sets it already, and where it does not.
        for _ in 0..2 {
            let ended = place.run(&["config", "set", key, value]);
            assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{key}: {ended:?}");
            let ended = place.run(&["config", "get", key]);
            assert_eq!(ended.out, format!("{value}\n"), "{key}");
        }
    }
}

#[test]
fn a_setting_goes_back_to_a_default_that_no_file_can_say() {
    let place = Place::new();
    place.config("agent = \"claude\" # mine\nhide = true\nconsent = [\n  \"codex\",\n]\n");
    for (key, value) in [("agent", "none"), ("consent", "none")] {
        let ended = place.run(&["config", "set", key, value]);
        assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{key}: {ended:?}");
    }
    assert_eq!(text(&place), "hide = true\nconsent = []\n");
    // That of a table is not a line to take out.
    place.config("[mode]\nclaude = \"plan\"\n");
    let ended = place.run(&["config", "set", "mode", "the agent's profile"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_eq!(text(&place), "[mode]\nclaude = \"plan\"\n");
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
            ("consent", "nosuch", "known agents are "),
            ("consent", "codex,cluade", "did you mean `claude`?"),
            ("keep_consent", "nosuch", "known agents are "),
            (
                "tools_off",
                "rocket,run_command",
                "`rocket` is not a tool; nothing was changed",
            ),
            ("tools_off", "rocket", "the tools are intellij_read_file"),
            (
                "tools_off",
                "git_log,run_comand",
                "did you mean `run_command`?",
            ),
            ("tools_off", "[\"serch_text\"]", "`serch_text` is not"),
            ("mode", "{ cluade = \"plan\" }", "did you mean `claude`?"),
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
    let mut command = place.siderail(&["config", "edit"]);
    command.envs([("VISUAL", ""), ("EDITOR", "touch")]);
    let ended = Ended::of(command.output().expect("it runs"));
    assert!(
        !ended.err.contains("the editor"),
        "an empty variable counts as not set: {ended:?}"
    );
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

#[test]
fn init_offers_what_the_file_says_and_enter_keeps_it() {
    for (agent, row) in [("gemini", "Enter for 2] "), ("codex", "Enter for 3] ")] {
        let place = Place::new();
        let before =
            format!("# mine\nagent = \"{agent}\"\npolicy = \"ask\"  # for now\nhistory = false\n");
        place.config(&before);
        let path = crate::defaults::install(&place, &["gemini", "copilot"]);
        let mut terminal = Terminal::start(&place, &["init"], &[("PATH", &path)]);
        terminal.until(row);
        terminal.keys("\n");
        terminal.until("[1 to 4; Enter for 2] ");
        terminal.keys("\n");
        terminal.until("[1 to 2; Enter for 2] ");
        terminal.keys("\n");
        assert_eq!(terminal.end_cooked(), Some(0));
        assert_eq!(text(&place), before);
    }
}

#[test]
fn init_stops_at_a_file_with_a_mistake_and_says_where_it_is() {
    let place = Place::new();
    let path = crate::defaults::install(&place, &["gemini"]);
    for (before, mistake) in [
        ("hide = true\nhistory = \n", "config.toml:2:"),
        (
            "policy = \"aks\"\n",
            "config.toml:1:10: `policy` is \"aks\"",
        ),
    ] {
        place.config(before);
        let mut terminal = Terminal::start(&place, &["init"], &[("PATH", &path)]);
        terminal.until(mistake);
        terminal.until("siderail config edit");
        assert_eq!(terminal.end_cooked(), Some(2));
        assert_eq!(text(&place), before);
    }
    let file = place.path("home/.config/siderail/config.toml");
    std::fs::write(&file, b"policy = \"\xff\"\n").expect("written");
    let mut terminal = Terminal::start(&place, &["init"], &[("PATH", &path)]);
    terminal.until("config.toml cannot be read");
    assert_eq!(terminal.end_cooked(), Some(4));
}

#[test]
fn an_interrupt_at_a_question_cancels_it_with_6() {
    let place = Place::new();
    let path = crate::defaults::install(&place, &["gemini", "copilot"]);
    for (words, said) in [
        (&["init"][..], "nothing was changed"),
        (&["run", "go"], "no agent was chosen"),
    ] {
        let mut terminal = Terminal::start(&place, words, &[("PATH", &path)]);
        terminal.until("[1 to 2; Enter ");
        terminal.until("] ");
        let pid = Pid::from_raw(terminal.id().cast_signed()).expect("a process");
        kill_process(pid, Signal::INT).expect("it runs");
        terminal.until(said);
        assert_eq!(terminal.end_cooked(), Some(6), "{words:?}");
        assert_eq!(text(&place), "");
    }
}

#[test]
fn changes_that_are_made_at_the_same_time_are_all_there() {
    let changes = [
        ("policy", "\"ask\""),
        ("hide", "false"),
        ("inactivity_s", "60"),
        ("deny_threshold", "7"),
        ("bell", "false"),
    ];
    for round in 0..6 {
        let place = Place::new();
        let set = |(key, value): &(&str, &str)| {
            let mut command = place.siderail(&["config", "set", key, value]);
            command.spawn().expect("it starts")
        };
        let all: Vec<_> = changes.iter().map(set).collect();
        for child in all {
            let ended = Ended::of(child.wait_with_output().expect("it ends"));
            assert_eq!(ended.code, Some(0), "{ended:?}");
        }
        let text = text(&place);
        for (key, value) in changes {
            let line = format!("{key} = {value}\n");
            assert!(text.contains(&line), "round {round}: {key} is lost: {text}");
        }
        assert_eq!(entries(&place.path("home/.config/siderail")).len(), 1);
    }
}

#[test]
fn a_link_stays_one_also_where_nothing_is_behind_it_yet() {
    let place = Place::new();
    let folder = place.path("home/.config/siderail");
    std::fs::create_dir_all(&folder).expect("made");
    let link = folder.join("config.toml");
    std::os::unix::fs::symlink("dotfiles.toml", &link).expect("linked");
    for (policy, wanted) in [
        ("ask", "policy = \"ask\"\n"),
        ("observe", "policy = \"observe\"\n"),
    ] {
        let ended = place.run(&["config", "set", "policy", policy]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(link.is_symlink(), "the link is gone");
        let behind = std::fs::read_to_string(folder.join("dotfiles.toml")).expect("written");
        assert_eq!(behind, wanted);
    }
}

#[test]
fn line_ends_and_mode_of_the_file_stay() {
    let place = Place::new();
    place.config("# mine\r\npolicy = \"ask\"  # for now\r\n\r\n[mode]\r\nclaude = \"plan\"\r\n");
    let file = place.path("home/.config/siderail/config.toml");
    let mode = || {
        std::fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    for wanted in [0o644, 0o600, 0o440] {
        let permissions = std::fs::Permissions::from_mode(wanted);
        std::fs::set_permissions(&file, permissions).expect("set");
        for (key, value) in [("policy", "observe"), ("hide", "off")] {
            let ended = place.run(&["config", "set", key, value]);
            assert_eq!(ended.code, Some(0), "{ended:?}");
        }
        assert_eq!(mode(), wanted, "{:o}", mode());
    }
    assert_eq!(
        text(&place),
        "# mine\r\npolicy = \"observe\"  # for now\r\n\r\nhide = false\r\n[mode]\r\nclaude = \"plan\"\r\n"
    );
}
