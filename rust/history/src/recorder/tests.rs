//! What stands on the disk while a message is still on its way.

use super::*;
use crate::Conversation;
use siderail_event::PromptOrigin;

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
        let begun = recorder.event(1, 1, &EventBody::TurnStarted { origin, text });
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
        let body = EventBody::AgentMessage { text, message_id };
        assert_eq!(self.recorder.event(1, 1, &body), None);
    }

    fn wait(&mut self) {
        let due = self.recorder.deadline().expect("something waits");
        assert!(due <= Instant::now() + Duration::from_secs(1), "{due:?}");
        assert_eq!(self.recorder.deadline_passed(due), []);
    }

    fn kept(&self) -> Conversation {
        self.archive.read("1").expect("it can be read")
    }

    fn messages(&self) -> Vec<String> {
        let said = self
            .kept()
            .entries
            .into_iter()
            .filter_map(|entry| match entry.body {
                EventBody::AgentMessage { text, .. } => Some(text),
                _ => None,
            });
        said.collect()
    }
}

#[tokio::test]
async fn a_kill_in_the_middle_of_a_long_message_loses_no_more_than_its_last_second() {
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
        .event(1, 1, &EventBody::Plan { entries: vec![] });
    disk.say("Another.", Some("b"));
    disk.wait();
    disk.say(" third.", Some("c"));
    disk.recorder
        .event(1, 1, &EventBody::Plan { entries: vec![] });
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

#[tokio::test]
async fn a_secret_in_a_message_that_is_written_in_pieces_is_not_kept_in_halves() {
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
        .event(1, 1, &EventBody::Plan { entries: vec![] });
    assert_eq!(disk.messages(), ["it is [hidden], and A_KEY= [hidden] "]);
    let file = std::fs::read_to_string(disk.kept().listed.file).expect("a file");
    assert!(!file.contains("hush") && !file.contains("abc123"), "{file}");
}
