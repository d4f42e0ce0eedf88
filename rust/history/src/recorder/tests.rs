//! What is on the disk while a message is still on its way.

use super::*;
use crate::Conversation;
use siderail_event::{Plan, PromptOrigin};

struct Disk {
    _folder: tempfile::TempDir,
    archive: Archive,
    recorder: Recorder,
}

impl Disk {
    fn new(secret: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let archive = Archive::of_project(folder.path(), folder.path());
        let mut recorder = Recorder::default();
        let recording = Recording {
            archive: archive.clone(),
            project: folder.path().to_owned(),
            agent: "gemini".to_owned(),
            agent_session: "s".to_owned(),
            redaction: Redaction::new([secret.to_owned()]),
            continues: None,
        };
        assert_eq!(recorder.begin(1, recording), None);
        let text = "tell me".to_owned();
        let origin = PromptOrigin::User;
        let begun = recorder.event(1, 1, &EventBody::TurnStarted(TurnStarted { origin, text }));
        assert_eq!(begun, None);
        Self {
            _folder: folder,
            archive,
            recorder,
        }
    }

    fn say(&mut self, text: &str, message_id: Option<&str>) {
        let text = text.to_owned();
        let message_id = message_id.map(str::to_owned);
        let body = EventBody::AgentMessage(AgentMessage { text, message_id });
        assert_eq!(self.recorder.event(1, 1, &body), None);
    }

    fn wait(&mut self) {
        let due = self.recorder.deadline().expect("something waits");
        assert!(due <= Instant::now() + Duration::from_secs(1), "{due:?}");
        assert_eq!(self.recorder.deadline_passed(due), []);
    }

    fn kept(&self) -> Conversation {
        let written = self.recorder.written().expect("something is recorded");
        written.wait(Duration::from_secs(60));
        self.archive.read("1").expect("it can be read")
    }

    fn messages(&self) -> Vec<String> {
        let said = self
            .kept()
            .entries
            .into_iter()
            .filter_map(|entry| match entry.body {
                EventBody::AgentMessage(AgentMessage { text, .. }) => Some(text),
                _ => None,
            });
        said.collect()
    }
}

#[test]
fn messages_around_a_thought_are_paragraphs() {
    let thought = |text: &str| {
        EventBody::AgentThought(AgentThought {
            text: text.to_owned(),
            message_id: None,
        })
    };
    let mut disk = Disk::new("none-of-them");
    assert_eq!(disk.recorder.event(1, 1, &thought("Hm.")), None);
    disk.say("I lo", None);
    assert_eq!(disk.recorder.event(1, 1, &thought("")), None);
    disk.say("ok.", None);
    for text in ["Hm", "?"] {
        assert_eq!(disk.recorder.event(1, 1, &thought(text)), None);
    }
    disk.say("Found.\n", None);
    disk.wait();
    assert_eq!(disk.recorder.event(1, 1, &thought("Good.")), None);
    disk.say("Done.", None);
    disk.say("Twice.", Some("2"));
    let _ = disk.recorder.finish(1);
    let said = disk.messages();
    assert_eq!(said.len(), 2, "{said:?}");
    let lines: Vec<&str> = said[0].lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["I look.", "Found.", "Done."]);
    assert!(said[0].starts_with("I look.\n\nFound.\n\n"), "{said:?}");
    assert_eq!(said[1], "Twice.");
}

#[test]
fn what_comes_while_the_writer_rests_is_written_although_nobody_waits_for_it() {
    let mut disk = Disk::new("none-of-them");
    let plan = EventBody::Plan(Plan { entries: vec![] });
    for n_kept in 1..=3 {
        assert_eq!(disk.recorder.event(1, 1, &plan), None);
        let end = Instant::now() + Duration::from_secs(60);
        let is_kept = || {
            let kept = disk.archive.read("1").map(|kept| kept.entries);
            let plans = |entry: &Entry| matches!(entry.body, EventBody::Plan(_));
            kept.is_ok_and(|kept| kept.into_iter().filter(plans).count() == n_kept)
        };
        while !is_kept() {
            assert!(Instant::now() < end, "plan {n_kept} is not written");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[test]
fn a_kill_in_the_middle_of_a_long_message_loses_no_more_than_its_last_second() {
    let mut disk = Disk::new("none-of-them");
    disk.say("The first ", None);
    disk.say("piece, and the sec", None);
    assert_eq!(disk.messages(), [""; 0]);
    disk.wait();
    assert_eq!(disk.messages(), ["The first piece, and the "]);
    assert_eq!(disk.recorder.deadline(), None, "nothing new to write");
    disk.say("ond one", None);
    disk.wait();
    disk.say(" and the end.", None);
    disk.recorder
        .event(1, 1, &EventBody::Plan(Plan { entries: vec![] }));
    disk.say("Another.", Some("b"));
    disk.wait();
    disk.say(" third.", Some("c"));
    disk.recorder
        .event(1, 1, &EventBody::Plan(Plan { entries: vec![] }));
    assert_eq!(
        disk.messages(),
        [
            "The first piece, and the second one and the end.",
            "Another.",
            " third."
        ]
    );
    assert_eq!(disk.kept().damaged, 0);
    let found = disk.archive.search("the second one").expect("searched");
    assert_eq!(found.len(), 1, "across the pieces: {found:?}");
}

#[test]
fn a_secret_in_a_message_that_is_written_in_pieces_is_not_kept_in_halves() {
    let mut disk = Disk::new("hush hush 7f2b");
    for piece in [
        "it is hush ",
        "hush ",
        "7f",
        "2b, and ",
        "A_KEY= ",
        "abc123 ",
    ] {
        disk.say(piece, None);
        if disk.recorder.deadline().is_some() {
            disk.wait();
        }
    }
    disk.recorder
        .event(1, 1, &EventBody::Plan(Plan { entries: vec![] }));
    assert_eq!(disk.messages(), ["it is [hidden], and A_KEY= [hidden] "]);
    let file = std::fs::read_to_string(disk.kept().listed.file).expect("a file");
    assert!(!file.contains("hush") && !file.contains("abc123"), "{file}");
}

fn recording(archive: &Archive, continues: Option<&str>) -> Recording {
    Recording {
        archive: archive.clone(),
        project: "/p".into(),
        agent: "gemini".to_owned(),
        agent_session: "s".to_owned(),
        redaction: Redaction::default(),
        continues: continues.map(str::to_owned),
    }
}

fn prompt() -> EventBody {
    EventBody::TurnStarted(TurnStarted {
        origin: PromptOrigin::User,
        text: "go on".to_owned(),
    })
}

impl Disk {
    /// What is reported once all is written.
    fn news(&mut self) -> Vec<String> {
        let written = self.recorder.written().expect("something is recorded");
        written.wait(Duration::from_secs(60));
        let told = self.recorder.news().into_iter().map(|told| told.text);
        told.collect()
    }
}

#[test]
fn what_is_said_last_is_on_the_disk_when_the_end_has_waited_for_it() {
    let mut disk = Disk::new("none-of-them");
    disk.say("half a sen", None);
    let (written, told) = disk.recorder.finish(1);
    assert_eq!(told, None);
    written
        .expect("it is recorded")
        .wait(Duration::from_secs(60));
    let kept = disk.archive.read("1").expect("it can be read");
    assert_eq!(kept.entries.len(), 2);
    assert!(
        disk.recorder.finish(7).0.is_none(),
        "nobody records that one"
    );
}

#[test]
fn a_session_knows_its_conversation_and_may_begin_it_again() {
    let mut disk = Disk::new("none-of-them");
    let id = disk
        .recorder
        .conversation(1)
        .expect("before the disk says so");
    assert_eq!(disk.news(), [""; 0]);
    assert_eq!(disk.kept().listed.head.id, id);
    let again = recording(&disk.archive, Some(&id));
    assert_eq!(disk.recorder.begin(1, again), None);
    assert_eq!(disk.recorder.conversation(1), None, "nothing is said yet");
    disk.recorder.event(1, 1, &prompt());
    assert_eq!(disk.news(), [""; 0], "its own lock is in nobody's way");
    assert_eq!(disk.recorder.conversation(1), Some(id));
    assert_eq!(disk.kept().listed.prompts, 2);
}

#[test]
fn a_conversation_that_another_session_writes_is_told_and_a_new_one_begins() {
    let mut disk = Disk::new("none-of-them");
    disk.news();
    let id = disk.recorder.conversation(1).expect("it is known");
    disk.recorder.begin(2, recording(&disk.archive, Some(&id)));
    disk.recorder.event(2, 1, &prompt());
    let told = disk.news();
    assert!(
        told.len() == 1 && told[0].contains("in use by another siderail"),
        "{told:?}"
    );
    let other = disk.recorder.conversation(2).expect("a new one");
    assert_ne!(other, id);
    assert_eq!(disk.archive.list().expect("a list").len(), 2);
}

#[test]
fn what_cannot_be_written_is_told_once_and_the_others_go_on() {
    let mut disk = Disk::new("none-of-them");
    disk.news();
    let file = disk.archive.folder().join("a file");
    std::fs::write(&file, "").expect("a file");
    let nowhere = Archive::of_project(&file, &file);
    disk.recorder.begin(2, recording(&nowhere, None));
    disk.recorder.event(2, 1, &prompt());
    let told = disk.news();
    assert!(
        told.len() == 1 && told[0].contains("no longer saved"),
        "{told:?}"
    );
    assert_eq!(disk.recorder.event(2, 1, &prompt()), None);
    assert_eq!(disk.recorder.conversation(2), None);
    disk.say("goes on", None);
    disk.wait();
    assert_eq!(disk.messages(), ["goes "]);
    assert_eq!(disk.news(), [""; 0]);
}

#[test]
fn who_lets_go_of_the_recorder_has_everything_written() {
    let mut disk = Disk::new("none-of-them");
    for n in 0..500 {
        disk.say(&format!("message {n} "), Some(&n.to_string()));
    }
    let last = disk.recorder.finish(1);
    drop((last, std::mem::take(&mut disk.recorder)));
    let kept = disk.archive.read("1").expect("it can be read");
    assert_eq!(kept.entries.len(), 501);
}
