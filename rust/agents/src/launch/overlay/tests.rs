//! Overlays over a home of a few files, with an agent that writes through links, beside them and in their place.

use super::*;

struct Scene {
    dir: tempfile::TempDir,
    home: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let home = dir.path().join("home");
        fs::create_dir_all(&home).expect("a folder");
        let scene = Self { dir, home };
        scene.write("config.toml", "mine");
        scene.write("hooks.toml", "# my hooks");
        scene
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.home.join(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.home.join(name)).expect("a file")
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    fn overlay(&self) -> Overlay {
        let text = extended(&self.home, "hooks.toml", "[[hooks]]").expect("TOML");
        Overlay::fill(
            self.home.clone(),
            &[("hooks.toml", Ours::Text(&text))],
            &self.state(),
        )
        .expect("an overlay")
    }
}

/// A home whose folder `.agent` has an overlay, and so has the home around it.
fn whole_home(scene: &Scene) -> Overlay {
    let folder = scene.home.join(".agent");
    let ours = [("hooks.json", Ours::Text("{}"))];
    let mut overlay = Overlay::fill(folder, &ours, &scene.state()).expect("an overlay");
    let of_home = Overlay::fill_home(&scene.home, ".agent", &overlay.stand_in(), &scene.state());
    overlay.of_home = Some(Box::new(of_home.expect("an overlay")));
    overlay
}

#[test]
fn a_whole_home_is_seen_through_and_gets_back_what_is_new() {
    for is_crash in [false, true] {
        let scene = Scene::new();
        fs::create_dir(scene.home.join(".agent")).unwrap();
        scene.write(".agent/token", "old");
        scene.write(".bashrc", "# mine");
        let overlay = whole_home(&scene);
        let home = overlay.of_home.as_ref().unwrap().stand_in();
        assert_eq!(
            fs::read_to_string(home.join("config.toml")).unwrap(),
            "mine"
        );
        assert_eq!(
            fs::read_to_string(home.join(".agent/hooks.json")).unwrap(),
            "{}"
        );
        replace(&home.join(".agent/token"), "refreshed");
        replace(&home.join("config.toml"), "changed");
        fs::create_dir(home.join(".cache")).unwrap();
        fs::write(home.join(".cache/1"), "new").unwrap();
        if is_crash {
            // Its locks are free, its folders are left.
            let mut overlay = overlay;
            let mut of_home = overlay.of_home.take().unwrap();
            (overlay.place.lock, of_home.place.lock) = (None, None);
            drop((overlay, of_home));
            assert_eq!(scene.read(".agent/token"), "old");
            assert_eq!(sweep(&scene.state()), [] as [String; 0]);
        } else {
            assert_eq!(overlay.bring_home().unwrap(), [] as [PathBuf; 0]);
        }
        assert_eq!(scene.read(".agent/token"), "refreshed");
        assert_eq!(scene.read("config.toml"), "changed");
        assert_eq!(scene.read(".cache/1"), "new");
        assert_eq!(scene.read(".bashrc"), "# mine");
        assert!(!scene.home.join(".agent").is_symlink());
        assert!(!scene.home.join(".agent/hooks.json").exists());
        assert!(entries(&scene.state().join(FOLDER)).unwrap().is_empty());
    }
}

#[cfg(unix)]
#[test]
fn a_shell_in_a_home_that_is_stood_in_for_has_the_real_one() {
    let scene = Scene::new();
    scene.write(".bashrc", "MINE=read");
    let overlay = whole_home(&scene);
    let shell = std::process::Command::new("/bin/bash")
        .args(["-ic", "echo $MINE $HOME"])
        .env("HOME", overlay.of_home.as_ref().unwrap().stand_in())
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&shell.stdout);
    assert_eq!(said.trim(), format!("read {}", scene.home.display()));
}

/// As many programs save a file.
fn replace(file: &Path, text: &str) {
    let new = file.with_extension("tmp");
    fs::write(&new, text).expect("a file");
    fs::rename(new, file).expect("a name");
}

#[test]
fn the_users_folder_is_seen_through_and_gets_back_what_is_new() {
    let scene = Scene::new();
    scene.write("token", "old");
    let overlay = scene.overlay();
    let agents = overlay.stand_in();
    fs::write(agents.join("config.toml"), "written through").unwrap();
    replace(&agents.join("token"), "refreshed");
    fs::create_dir_all(agents.join("logs/session")).unwrap();
    fs::write(agents.join("logs/session/1"), "line").unwrap();
    let hooks = fs::read_to_string(agents.join("hooks.toml")).unwrap();
    assert!(hooks.starts_with("# my hooks") && hooks.ends_with("[[hooks]]"));
    assert_eq!(overlay.bring_home().unwrap(), [] as [PathBuf; 0]);
    assert_eq!(scene.read("config.toml"), "written through");
    assert_eq!(scene.read("token"), "refreshed");
    assert_eq!(scene.read("logs/session/1"), "line");
    assert_eq!(scene.read("hooks.toml"), "# my hooks");
    assert!(entries(&scene.state().join(FOLDER)).unwrap().is_empty());
}

#[test]
fn nothing_is_made_in_a_home_in_which_the_agent_wrote_nothing() {
    let scene = Scene::new();
    let home = scene.home.join("not-there");
    let overlay = Overlay::fill(
        home.clone(),
        &[("hooks.toml", Ours::Text(""))],
        &scene.state(),
    )
    .unwrap();
    assert!(!home.exists());
    drop(overlay);
    assert!(!home.exists());
    let overlay = Overlay::fill(
        home.clone(),
        &[("hooks.toml", Ours::Text(""))],
        &scene.state(),
    )
    .unwrap();
    fs::write(overlay.stand_in().join("history"), "new").unwrap();
    drop(overlay);
    assert_eq!(fs::read_to_string(home.join("history")).unwrap(), "new");
}

#[test]
fn of_two_versions_of_a_file_neither_is_lost() {
    let scene = Scene::new();
    let (one, other) = (scene.overlay(), scene.overlay());
    for (overlay, text) in [(&one, "one"), (&other, "the other")] {
        replace(&overlay.stand_in().join("config.toml"), text);
        fs::create_dir(overlay.stand_in().join("logs")).unwrap();
        fs::write(overlay.stand_in().join("logs").join(text), text).unwrap();
    }
    assert_eq!(one.bring_home().unwrap().len(), 0);
    let kept = other.bring_home().unwrap();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let mut texts = [
        scene.read("config.toml"),
        fs::read_to_string(&kept[0]).unwrap(),
    ];
    texts.sort();
    assert_eq!(texts, ["one", "the other"]);
    assert_eq!(scene.read("logs/one"), "one");
    assert_eq!(scene.read("logs/the other"), "the other");
}

#[test]
fn what_cannot_be_brought_home_stays_and_is_brought_at_the_next_start() {
    let scene = Scene::new();
    let overlay = scene.overlay();
    fs::create_dir(overlay.stand_in().join("logs")).unwrap();
    fs::write(overlay.stand_in().join("logs/1"), "line").unwrap();
    let away = scene.dir.path().join("away");
    fs::rename(&scene.home, &away).unwrap();
    fs::write(&scene.home, "in the way").unwrap();
    let why = overlay.bring_home().unwrap_err();
    assert!(why.contains("is still in"), "{why}");
    fs::remove_file(&scene.home).unwrap();
    fs::rename(&away, &scene.home).unwrap();
    assert_eq!(sweep(&scene.state()), [] as [String; 0]);
    assert_eq!(scene.read("logs/1"), "line");
    assert!(entries(&scene.state().join(FOLDER)).unwrap().is_empty());
}

#[test]
fn an_overlay_in_use_is_left_alone_by_another_start() {
    let scene = Scene::new();
    let overlay = scene.overlay();
    fs::write(overlay.stand_in().join("history"), "half").unwrap();
    assert_eq!(sweep(&scene.state()), [] as [String; 0]);
    assert!(overlay.stand_in().join("history").exists());
}

#[cfg(unix)]
#[test]
fn a_link_of_the_users_stays_one() {
    let scene = Scene::new();
    let kept = scene.dir.path().join("dotfiles");
    fs::write(&kept, "mine").unwrap();
    std::os::unix::fs::symlink(&kept, scene.home.join("linked")).unwrap();
    let overlay = scene.overlay();
    replace(&overlay.stand_in().join("linked"), "the agent's");
    overlay.bring_home().unwrap();
    assert!(scene.home.join("linked").is_symlink());
    assert_eq!(fs::read_to_string(kept).unwrap(), "the agent's");
}

#[test]
fn hooks_of_the_users_that_cannot_be_extended_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("hooks.toml");
    let with_ours = || extended(dir.path(), "hooks.toml", "[[hooks]]\n");
    for broken in ["hooks = [ {", "hooks = []\n"] {
        fs::write(&file, broken).unwrap();
        let error = with_ours().unwrap_err().to_string();
        assert!(error.contains("hooks.toml"), "{error}");
    }
    fs::remove_file(&file).unwrap();
    assert!(with_ours().is_ok(), "there is none");
    fs::create_dir(&file).unwrap();
    assert!(with_ours().is_err(), "it is a folder");
}
