//! Calls at our server, without a server: who waits for what, and for how long.

use serde_json::{Value, json};

use super::*;

const MANY: Duration = Duration::from_secs(3_600);

/// A table, and the moment at which everything in it happens.
struct Story {
    table: CallTable,
    now: Instant,
    last: u64,
}

impl Story {
    fn new() -> Self {
        Self {
            table: CallTable::default(),
            now: Instant::now(),
            last: 0,
        }
    }

    fn call(&mut self, tool: Tool, arguments: &Value) -> ArrivedCall {
        self.last += 1;
        let key = CallKey::numbered(self.last);
        ArrivedCall {
            tool,
            conn: 7,
            pending: PendingCall::of_nobody(key, tool.name(), arguments.clone()),
        }
    }

    /// A call of this tool is let in, as far as this; its number.
    fn admit(&mut self, tool: Tool, state: State, files: &[&str]) -> u64 {
        let call = self.call(tool, &json!({"n": self.last}));
        let files = files.iter().map(PathBuf::from).collect();
        self.table.admit(self.last, call, state, files, self.now);
        self.last
    }

    fn end(&mut self, number: u64) -> (Option<(PendingCall, Answer)>, Vec<u64>) {
        let own = self.table.take(number).expect("it is open");
        let answer = Answer {
            result: CallResult {
                text: format!("done {number}"),
                is_error: false,
            },
            tells_of: own.denied,
        };
        self.table.end(number, own, answer, self.now)
    }

    fn pass(&mut self, time: Duration) -> Vec<u64> {
        self.now += time;
        self.table.due(self.now)
    }

    fn overdue(&mut self, number: u64) -> Option<Overdue> {
        self.table.overdue(number, self.now)
    }
}

#[test]
fn calls_that_write_one_file_run_one_after_the_other() {
    let mut story = Story::new();
    let one = story.admit(Tool::WriteFile, State::Running, &["a"]);
    let other = story.admit(Tool::MoveFile, State::Running, &["b", "a"]);
    let apart = story.admit(Tool::WriteFile, State::Running, &["c"]);
    assert!(story.table.start(one) && !story.table.start(other) && story.table.start(apart));
    assert_eq!(story.table.run(other), Some(vec!["b".into(), "a".into()]));
    assert_eq!(story.end(apart).1, [0; 0]);
    assert_eq!(story.end(one).1, [other]);
    assert!(!story.table.start(99) && story.table.run(99).is_none());
}

#[test]
fn a_call_made_again_waits_for_the_open_one_and_then_has_its_answer() {
    let mut story = Story::new();
    let asked = story.admit(Tool::WriteFile, State::Asking(5), &[]);
    let same = json!({"n": 0});
    let call = story.call(Tool::WriteFile, &same);
    let new = story.table.join(call, story.now);
    assert!(
        matches!(new, Joined::New(_)),
        "the open one has who waits for it"
    );
    assert_eq!(story.pass(PATIENCE), [asked]);
    let Some(Overdue::ComesBack(first, result)) = story.overdue(asked) else {
        panic!("the agent is told to come back");
    };
    assert!(first.key == CallKey::numbered(1) && !result.is_error);
    let call = ArrivedCall {
        conn: 8,
        ..story.call(Tool::WriteFile, &same)
    };
    assert!(matches!(story.table.join(call, story.now), Joined::Waits));
    assert_eq!(
        story.table.withdrawn(8, CallKey::numbered(story.last)),
        Some(asked)
    );
    assert_eq!(
        story.table.withdrawn(7, CallKey::numbered(story.last)),
        None,
        "another connection"
    );
    story.table.denied(asked, 5);
    let (waiting, _) = story.end(asked);
    let (pending, answer) = waiting.expect("somebody waits");
    assert_eq!(
        (pending.key, answer.tells_of),
        (CallKey::numbered(story.last), Some(5))
    );
    assert!(story.table.is_empty());
}

#[test]
fn an_answer_that_nobody_waits_for_is_kept_for_the_same_call_and_then_forgotten() {
    for comes_back in [true, false] {
        let mut story = Story::new();
        let asked = story.admit(Tool::AskUser, State::Running, &[]);
        story.pass(PATIENCE);
        assert!(matches!(story.overdue(asked), Some(Overdue::ComesBack(..))));
        assert!(story.end(asked).0.is_none());
        assert!(story.table.is_answered() && !story.table.is_empty());
        assert_eq!(story.table.waits_for().count(), 0);
        if comes_back {
            let call = story.call(Tool::AskUser, &json!({"n": 0}));
            let joined = story.table.join(call, story.now);
            assert!(
                matches!(joined, Joined::Answered(_, answer) if answer.result.text == "done 1")
            );
        } else {
            assert_eq!(story.pass(MANY), [asked]);
            assert!(story.overdue(asked).is_none());
        }
        assert!(story.table.is_empty());
    }
}

#[test]
fn a_call_whose_time_is_up_is_given_up_and_what_waits_for_it_was_not_begun() {
    let mut story = Story::new();
    let runs = story.admit(Tool::GitCommit, State::Running, &["git"]);
    let waits = story.admit(Tool::GitStage, State::Running, &["git"]);
    assert!(story.table.start(runs) && !story.table.start(waits));
    story.table.run(runs);
    // A commit may have a hook that takes long: its agent comes back for it.
    assert_eq!(story.pass(PATIENCE), [waits, runs]);
    let Some(Overdue::GivenUp(GivenUp { effects, failed })) = story.overdue(waits) else {
        panic!("it is given up");
    };
    assert!(effects.is_empty(), "nobody is at it");
    let why = failed.text;
    assert!(why.starts_with("git_stage waited") && why.contains("not begun"));
    assert!(why.contains("git_commit, which is still running"));
    assert!(matches!(story.overdue(runs), Some(Overdue::ComesBack(..))));
    assert_eq!(story.pass(MANY), [waits, runs]);
    let Some(Overdue::GivenUp(GivenUp { effects, failed })) = story.overdue(runs) else {
        panic!("it is given up");
    };
    assert!(matches!(effects[..], [Effect::CancelCall(call)] if call == runs));
    assert!(failed.text.contains("busy or hangs"));
    let cancel = &story.table.get(runs).expect("it is open").cancel;
    assert!(cancel.is_cancelled());
}

#[test]
fn what_waits_at_a_file_is_not_begun_by_the_end_of_all() {
    let mut story = Story::new();
    let one = story.admit(Tool::WriteFile, State::Running, &["a"]);
    let other = story.admit(Tool::WriteFile, State::Running, &["a"]);
    let asked = story.admit(Tool::DeleteFile, State::Asking(3), &[]);
    story.table.start(one);
    story.table.start(other);
    story.table.run(one);
    let words: Vec<String> = story.table.waits_for().collect();
    assert_eq!(
        words,
        [
            "intellij_write_file is still running",
            "intellij_write_file waits for another write of that file",
            "a person is asked about delete_file"
        ]
    );
    assert_eq!(story.table.stop(), [one, other, asked]);
    let mut given_up = |number| story.table.give_up(number, DeniedBy::Cancel, "over");
    let stopped = given_up(one).expect("it runs");
    assert!(matches!(stopped[..], [Effect::StopCall(call)] if call == one));
    assert!(given_up(other).expect("it waits").is_empty());
    let closed = given_up(asked).expect("it is asked about");
    let [
        Effect::CloseQuestion {
            request_id,
            by,
            why,
        },
    ] = &closed[..]
    else {
        panic!("its question is closed");
    };
    assert_eq!(
        (*request_id, *by, why.as_str()),
        (3, DeniedBy::Cancel, "over")
    );
    assert!(given_up(99).is_none());
    assert_eq!(story.end(one).1, [0; 0]);
}

#[test]
fn what_the_host_was_told_to_give_up_may_have_been_done_until_it_says_so_once() {
    let mut story = Story::new();
    let by_host = story.admit(Tool::MoveFile, State::Running, &[]);
    let here = story.admit(Tool::RunCommand, State::Running, &[]);
    for number in [by_host, here] {
        story.table.give_up(number, DeniedBy::Cancel, "over");
        story.end(number);
    }
    assert_eq!(story.table.given_up().collect::<Vec<_>>(), [by_host]);
    let replied = [by_host, by_host, here].map(|call| story.table.given_up_replied(call));
    assert_eq!(replied, [Some(Tool::MoveFile), None, None]);
}
