//! A disk that gives no answer: whoever asks it is not held up, and what is not known is not allowed.

use std::sync::mpsc as std_mpsc;

use siderail_guard::decision::Verdict;

use super::super::permissions::judge::Judge;
use super::super::worker::{HURRY, Sight, once};
use super::*;

/// Looks that hang until they are let go.
pub(super) struct Hanging(pub(super) Vec<std_mpsc::Sender<()>>);

impl Hanging {
    /// The session looks at something; what was found is reported as an event.
    pub(super) fn look(&mut self, stage: &mut Stage, name: &'static str) {
        let (sender, receiver) = std_mpsc::channel::<()>();
        self.0.push(sender);
        let receiver = Mutex::new(receiver);
        let find = move |sight| {
            if sight == Sight::Clear {
                let _ = receiver.lock().recv_timeout(LIMIT);
            }
            sight
        };
        let Stage {
            session, shared, ..
        } = stage;
        session.look_up(shared, find, move |session, sight, shared| {
            session.notice(&format!("{name} {sight:?}"), shared);
        });
    }

    fn let_go(self) {
        drop(self.0);
    }
}

impl Stage {
    fn told(&self) -> Vec<String> {
        let log = self.all("AGENT_LOG");
        let text = |event: &Value| event["text"].as_str().unwrap_or_default().to_owned();
        log.iter().map(text).collect()
    }

    fn later(&mut self, name: &'static str) {
        self.session.in_turn(
            move |session, shared| session.notice(name, shared),
            &mut self.shared,
        );
    }

    pub(super) fn overdue(&mut self) {
        let due = self.session.deadline().expect("something is waited for");
        self.session.deadline_passed(due, &mut self.shared);
    }
}

#[tokio::test]
async fn what_comes_while_the_disk_is_waited_for_is_taken_in_its_order() {
    let mut stage = Stage::new().await;
    let mut hanging = Hanging(Vec::new());
    hanging.look(&mut stage, "first");
    stage.later("second");
    hanging.look(&mut stage, "third");
    stage.later("fourth");
    assert!(stage.told().is_empty(), "all of it waits");
    let early = stage.session.deadline().unwrap() - Duration::from_millis(1);
    stage.session.deadline_passed(early, &mut stage.shared);
    assert!(stage.told().is_empty(), "its time is not over");
    stage.overdue();
    assert_eq!(stage.told(), ["first Blind"]);
    hanging.let_go();
    stage.settle();
    assert_eq!(
        stage.told(),
        ["first Blind", "third Clear", "second", "fourth"],
        "a late answer of the first is none of the third"
    );
}

/// The loop may hear of the deadline first, above all on a busy machine.
#[tokio::test]
async fn what_was_found_by_the_deadline_counts_though_nobody_has_heard_of_it() {
    let mut stage = Stage::new().await;
    let (sender, found) = std_mpsc::channel();
    let find = move |sight| {
        let _ = sender.send(());
        sight
    };
    let Stage {
        session, shared, ..
    } = &mut stage;
    session.look_up(shared, find, |session, sight, shared| {
        session.notice(&format!("{sight:?}"), shared);
    });
    found.recv_timeout(LIMIT).expect("it was looked at");
    let end = Instant::now() + LIMIT;
    while stage.session.worker.deadline().is_some() {
        assert!(Instant::now() < end, "what is done is still given up");
        tokio::task::yield_now().await;
    }
    let late = Instant::now() + LIMIT;
    stage.session.worker_overdue(late, &mut stage.shared);
    assert!(stage.told().is_empty());
    stage.settle();
    assert_eq!(stage.told(), ["Clear"]);
}

#[tokio::test]
async fn a_cancel_waits_for_the_disk_no_longer_than_a_moment() {
    let mut stage = Stage::new().await;
    let mut hanging = Hanging(Vec::new());
    hanging.look(&mut stage, "look");
    let until = |stage: &Stage| stage.session.deadline().expect("a look") - Instant::now();
    assert!(until(&stage) > Duration::from_secs(1));
    stage.session.hurry();
    assert!(until(&stage) <= HURRY);
    hanging.look(&mut stage, "next");
    stage.overdue();
    assert!(until(&stage) <= HURRY, "this one, too");
    stage.overdue();
    assert_eq!(stage.told(), ["look Blind", "next Blind"]);
    hanging.look(&mut stage, "later");
    assert!(until(&stage) > Duration::from_secs(1), "it is over");
}

#[tokio::test]
async fn a_disk_that_hangs_again_and_again_is_not_asked_any_more_until_it_answers() {
    let mut stage = Stage::new().await;
    let mut hanging = Hanging(Vec::new());
    for _ in 0..4 {
        hanging.look(&mut stage, "hung");
        stage.overdue();
    }
    hanging.look(&mut stage, "not begun");
    let due = stage.session.deadline().expect("a look");
    assert!(due <= Instant::now(), "nothing is pending");
    stage.overdue();
    assert_eq!(stage.told().len(), 5);
    hanging.let_go();
    // The threads end when they are let go.
    let end = Instant::now() + LIMIT;
    loop {
        let mut again = Hanging(Vec::new());
        again.look(&mut stage, "again");
        again.let_go();
        // None where the thread has looked already.
        let due = stage.session.deadline();
        match due.is_some_and(|due| due <= Instant::now()) {
            true => stage.overdue(),
            false => break stage.settle(),
        }
        assert!(Instant::now() < end, "the threads are still counted");
    }
    assert_eq!(stage.told().last().map(String::as_str), Some("again Clear"));
}

#[tokio::test]
async fn a_session_whose_disk_hangs_ends_and_leaves_its_folder() {
    let mut stage = Stage::new().await;
    let mut hanging = Hanging(Vec::new());
    for _ in 0..4 {
        hanging.look(&mut stage, "hung");
        stage.overdue();
    }
    stage.session.end_in_order(None, &mut stage.shared);
    assert!(stage.all("SUMMARY").is_empty());
    stage.overdue();
    stage.one("SUMMARY");
    assert!(stage.session.is_over() && stage.session.folders.folder.exists());
}

#[tokio::test]
async fn what_cannot_be_looked_at_is_never_allowed_where_it_else_would_not_be() {
    let mut stage = Stage::new().await;
    let write = |path: &str| json!({"path": path, "content": "x"});
    let command = |line: &str| json!({"command": line});
    let calls = [
        (Tool::ReadFile, json!({"path": "a.txt"})),
        (Tool::ReadFile, json!({"path": ".git/config"})),
        (Tool::WriteFile, write("a.txt")),
        (Tool::WriteFile, write(".git/config")),
        (Tool::WriteFile, write("/etc/passwd")),
        (Tool::MoveFile, json!({"path": "a.txt", "to": "b.txt"})),
        (Tool::GitStatus, json!({})),
        (Tool::RunCommand, command("cargo test > out.txt")),
        (Tool::RunCommand, command("rm -rf target")),
        (Tool::RunCommand, command("ls")),
        (Tool::RunCommand, command("cat link.txt")),
    ];
    let root = stage.session.root();
    std::fs::create_dir(root.join(".git")).expect("made");
    std::fs::write(root.join(".git/config"), "x").expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink(".git/config", root.join("link.txt")).expect("made");
    use siderail_guard::Policy;
    let policies = [Policy::Redirect, Policy::Ask, Policy::Observe, Policy::Yolo];
    for policy in policies {
        Arc::make_mut(&mut stage.session.agent_facts).policy = policy;
        let judge = stage.session.judge(&stage.shared);
        let blind = judge.with(Sight::Blind);
        for (tool, arguments) in &calls {
            let clear = judge.gate(*tool, arguments).verdict;
            let verdict = blind.gate(*tool, arguments).verdict;
            let is_looser = verdict == Verdict::Allow && clear != Verdict::Allow;
            assert!(!is_looser, "{policy:?}: {tool} {arguments}");
        }
    }
    // Of a write nobody knows then where it goes.
    Arc::make_mut(&mut stage.session.agent_facts).policy = Policy::Redirect;
    let blind = stage.session.judge(&stage.shared).with(Sight::Blind);
    let judged = blind.call(Tool::WriteFile, &write("a.txt"));
    assert_ne!(judged.judged.decision.verdict, Verdict::Allow);
    assert!(judged.judged.requested.remember.is_none(), "not for good");
}

#[tokio::test]
async fn what_is_known_without_the_disk_is_judged_as_with_a_look() {
    let mut stage = Stage::new().await;
    let root = stage.session.root().to_owned();
    std::fs::create_dir(root.join(".git")).expect("made");
    for file in ["a.txt", ".git/config"] {
        std::fs::write(root.join(file), "x").expect("written");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.txt", root.join("link.txt")).expect("made");
    let path = |path: &str| json!({"path": path, "content": "y"});
    let absolute = root.join("a.txt").display().to_string();
    // A mount that changes anywhere meanwhile makes the kernel say that it does not know.
    let often = |judge: &Judge, tool, arguments: &Value| {
        (0..100).find_map(|_| judge.call_at_once(tool, arguments))
    };
    let judge = stage.session.judge(&stage.shared);
    let tells = often(&judge, Tool::ReadFile, &path("a.txt")).is_some();
    let knows = siderail_os::files::is_there_by_memory(&root).is_some();
    assert!(
        tells || !knows,
        "the system tells, and nothing is made of it"
    );
    use siderail_guard::Policy;
    for policy in [Policy::Redirect, Policy::Ask, Policy::Observe, Policy::Yolo] {
        Arc::make_mut(&mut stage.session.agent_facts).policy = policy;
        for (tool, arguments, is_simple) in [
            (Tool::ReadFile, path("a.txt"), true),
            (Tool::ReadFile, path("./a.txt"), true),
            (Tool::ReadFile, path("\"a.txt\""), true),
            (Tool::WriteFile, path(&absolute), true),
            (
                Tool::MoveFile,
                json!({"path": "a.txt", "to": "a.txt"}),
                false,
            ),
            (Tool::ReadFile, path("link.txt"), false),
            (Tool::ReadFile, path("x/../a.txt"), false),
            (Tool::WriteFile, path("~/a.txt"), false),
            (Tool::WriteFile, path(".git/config"), false),
            (Tool::WriteFile, path("/etc/passwd"), false),
            (
                Tool::MoveFile,
                json!({"path": "a.txt", "to": "/etc/a"}),
                false,
            ),
            (
                Tool::MoveFile,
                json!({"path": "a.txt", "to": "a.txt", "overwrite": true}),
                false,
            ),
            (
                Tool::ReadFile,
                json!({"path": "a.txt", "file_path": "/etc/passwd"}),
                false,
            ),
            (Tool::ReadFile, json!({"paths": vec!["a.txt"; 9]}), false),
            (Tool::DeleteFile, path("a.txt"), false),
            (Tool::GitStatus, json!({}), false),
            (Tool::RunCommand, json!({"command": "ls"}), false),
        ] {
            let judge = stage.session.judge(&stage.shared);
            let looked = judge.call(tool, &arguments);
            let known = often(&judge, tool, &arguments);
            let case = format!("{policy:?}: {tool} {arguments}");
            assert_eq!(known.is_some(), is_simple && tells, "{case}");
            let Some(known) = known else { continue };
            assert_eq!(known.files, looked.files, "{case}");
            assert_eq!(known.judged.decision, looked.judged.decision, "{case}");
            let (known, looked) = (known.judged.requested, looked.judged.requested);
            assert_eq!(known.paths, looked.paths, "{case}");
            // Nobody is shown what is allowed, and no file is read for it.
            assert!(known.shown.diffs.is_empty() && looked.shown.diffs.is_empty());
        }
    }
}

/// The worker may hang after it has found something: what is done again on the loop does not go on from there.
#[tokio::test]
async fn without_a_look_nothing_counts_that_a_look_has_found() {
    let mut stage = Stage::new().await;
    let root = stage.session.root().to_owned();
    std::fs::write(root.join("a.txt"), "x").expect("written");
    Arc::make_mut(&mut stage.session.agent_facts).policy = siderail_guard::Policy::Ask;
    let arguments = json!({"path": "a.txt", "content": "y"});
    let judge = stage.session.judge(&stage.shared);
    assert_eq!(judge.call(Tool::WriteFile, &arguments).files.len(), 1);
    let blind = judge.with(Sight::Blind).call(Tool::WriteFile, &arguments);
    assert!(blind.files.is_empty());
    let diffs = blind.judged.requested.shown.diffs;
    assert!(diffs.iter().all(|diff| diff.old_text.is_none()));
}

/// Another process may hold the lock of what is always allowed for a second.
#[tokio::test]
async fn a_lock_that_another_process_holds_is_waited_for_beside_the_loop() {
    let mut stage = Stage::new().await;
    let folder = stage.shared.config.state_dir.join("always");
    siderail_state::private::make_folder(&folder).expect("made");
    let lock = siderail_state::private::lock(&folder.join("lock")).expect("free");
    Arc::make_mut(&mut stage.session.agent_facts).policy = siderail_guard::Policy::Ask;
    let ask = |id: &str| {
        json!({
            "jsonrpc": "2.0", "id": id, "method": "session/request_permission",
            "params": {
                "sessionId": "s",
                "toolCall": {"toolCallId": id, "kind": "execute", "title": "run", "rawInput": {"command": "uname"}},
                "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
            },
        })
    };
    stage.agent_says(&ask("p1"));
    let request = stage.one("PERMISSION_REQUEST");
    assert_eq!(request["may_be_remembered"], true, "{request}");
    let number = request["request_id"].as_u64().expect("a number");
    let began = Instant::now();
    let always = PermissionAnswer::Always;
    stage.session.answered(number, always, &mut stage.shared);
    let took = began.elapsed();
    assert!(took < Duration::from_millis(500), "{took:?}");
    stage.settle();
    drop(lock);
    let told = stage.told();
    assert!(
        told.iter().any(|text| text.contains("cannot be saved")),
        "{told:?}"
    );
    stage.agent_says(&ask("p2"));
    let approved = stage.all("PERMISSION_APPROVED");
    assert_eq!(approved[1]["by"], "always", "it counts all the same");
}

/// The session's end puts files back, which only one may do; the loop does not wait until the worker has done it.
#[tokio::test]
async fn what_a_hanging_worker_has_taken_is_not_waited_for() {
    let (begins, begun) = std_mpsc::channel();
    let (hold, held) = std_mpsc::channel::<()>();
    let held = Mutex::new(held);
    let work = Arc::new(once("one", move |left, sight| {
        if sight == Sight::Clear {
            let _ = begins.send(());
            let _ = held.lock().recv_timeout(LIMIT);
        }
        left
    }));
    let worker = std::thread::spawn({
        let work = Arc::clone(&work);
        move || work(Sight::Clear)
    });
    begun.recv_timeout(LIMIT).expect("it has begun");
    let (done, seen) = std_mpsc::channel();
    std::thread::spawn(move || done.send(work(Sight::Blind)));
    assert_eq!(seen.recv_timeout(LIMIT / 3), Ok(None));
    drop(hold);
    assert_eq!(worker.join().expect("it ends"), Some("one"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_session_whose_files_cannot_be_put_back_in_time_ends_all_the_same() {
    use std::os::unix::fs::PermissionsExt;

    let mut stage = Stage::new().await;
    let folder = stage.shared.config.state_dir.join("consent");
    siderail_state::private::make_folder(&folder).expect("made");
    let lock = siderail_state::private::lock(&folder.join("lock")).expect("free");
    // The thread closes the folder to others before it waits for the lock.
    let mode = || folder.metadata().expect("it is there").permissions().mode() & 0o777;
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&folder, open).expect("it is ours");
    stage.session.folders.consented = true;
    stage.session.end_in_order(None, &mut stage.shared);
    let end = Instant::now() + LIMIT;
    while mode() == 0o755 {
        assert!(Instant::now() < end, "the thread does not begin");
        std::thread::sleep(Duration::from_millis(1));
    }
    stage.overdue();
    let told = stage.told();
    assert!(told[0].contains("are not restored yet"), "{told:?}");
    drop(lock);
    stage.settle();
    stage.one("SUMMARY");
}
