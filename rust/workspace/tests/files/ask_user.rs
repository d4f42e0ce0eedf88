//! `ask_user`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::outcome::ToolErrorCode as Code;
use siderail_workspace::questions::{Answer, Question, QuestionKind, Questioner};
use siderail_workspace::tools::{FileTools, Tool};

use crate::fixture::Project;

const ASK: &str = "ask_user";

/// A person who answers when told to.
struct Scripted {
    asked: Mutex<Vec<Question>>,
    n_asked: AtomicUsize,
    n_withdrawn: AtomicUsize,
    answers: Mutex<Receiver<Answer>>,
}

impl Scripted {
    fn new() -> (Arc<Self>, Sender<Answer>) {
        let (sender, answers) = channel();
        let person = Self {
            asked: Mutex::default(),
            n_asked: AtomicUsize::new(0),
            n_withdrawn: AtomicUsize::new(0),
            answers: Mutex::new(answers),
        };
        (Arc::new(person), sender)
    }
}

impl Questioner for Scripted {
    fn ask(&self, question: &Question, cancel: &CancelFlag) -> Answer {
        self.asked.lock().unwrap().push(question.clone());
        self.n_asked.fetch_add(1, Ordering::SeqCst);
        loop {
            let answers = self.answers.lock().unwrap();
            if let Ok(answer) = answers.recv_timeout(Duration::from_millis(20)) {
                return answer;
            }
            if cancel.is_cancelled() {
                self.n_withdrawn.fetch_add(1, Ordering::SeqCst);
                return Answer::Declined("withdrawn".to_owned());
            }
        }
    }
}

fn given(text: &str) -> Answer {
    Answer::Given(text.to_owned())
}

#[test]
fn without_a_person_a_question_is_declined_at_once() {
    let text = Project::new().fails(
        ASK,
        json!({"question_type": "confirmation", "question": "Really?"}),
        Code::NotApplicable,
    );
    assert!(text.contains("nobody can answer"), "{text}");
    assert!(text.contains("say what you assumed"), "{text}");
}

#[test]
fn all_five_kinds_reach_the_person_and_their_answers_the_model() {
    let (person, answers) = Scripted::new();
    let project = Project::asking(person.clone());
    project.put("src/A.java", "");
    for (kind, arguments, answer, said) in [
        (
            QuestionKind::Clarification,
            json!({"question_type": "clarification"}),
            "as you like",
            "as you like",
        ),
        (
            QuestionKind::Confirmation,
            json!({"question_type": "confirmation"}),
            "yes",
            "yes",
        ),
        (
            QuestionKind::Input,
            json!({"question_type": "input", "default": "8080"}),
            "80",
            "80",
        ),
        (
            QuestionKind::Choice,
            json!({"question_type": "choice", "options": ["red", "blue"]}),
            "blue",
            "blue",
        ),
        (
            QuestionKind::FileSelection,
            json!({"question_type": "file_selection"}),
            "./src/A.java",
            "src/A.java",
        ),
    ] {
        let mut arguments: Value = arguments;
        arguments["question"] = "Which?".into();
        answers.send(given(answer)).unwrap();
        let text = project.ok(ASK, arguments);
        assert_eq!(text, format!("The user answered: {said}\n"));
        assert_eq!(person.asked.lock().unwrap().pop().unwrap().kind, kind);
    }
}

#[test]
fn an_optional_question_can_be_passed_over_and_the_model_goes_on() {
    let (person, answers) = Scripted::new();
    let project = Project::asking(person.clone());
    let decline = || answers.send(Answer::Declined(String::new())).unwrap();
    let ask = |more: Value| {
        let mut arguments =
            json!({"question_type": "input", "question": "Port?", "optional": true});
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        arguments
    };
    decline();
    let text = project.ok(ASK, ask(json!({"default": "8080"})));
    assert_eq!(text, "The user skipped the question. Continue with 8080.\n");
    assert!(!person.asked.lock().unwrap().pop().unwrap().required);
    decline();
    let text = project.ok(ASK, ask(json!({})));
    assert!(text.contains("without an answer"), "{text}");
    answers.send(Answer::NobodyThere).unwrap();
    let text = project.ok(ASK, ask(json!({})));
    // The engine reads this apart from a person's own passing over.
    assert_eq!(text, "Nobody can answer. Continue without an answer.\n");
    let hidden = || {
        answers
            .send(Answer::NotShown("no window".to_owned()))
            .unwrap()
    };
    hidden();
    let text = project.ok(ASK, ask(json!({"default": "8080"})));
    assert_eq!(
        text,
        "The question could not be shown: no window. Continue with 8080.\n"
    );
    hidden();
    let text = project.fails(ASK, ask(json!({"optional": false})), Code::NotApplicable);
    assert!(text.contains("not answered: no window"), "{text}");
    decline();
    let text = project.fails(ASK, ask(json!({"optional": false})), Code::NotApplicable);
    assert!(
        text.starts_with("the question was not answered. Choose"),
        "{text}"
    );
    answers.send(Answer::Cancelled).unwrap();
    project.fails(ASK, ask(json!({})), Code::Cancelled);
}

#[test]
fn a_question_that_is_asked_again_joins_the_open_one() {
    let (person, answers) = Scripted::new();
    let project = Project::new();
    let tools = FileTools::new(person.clone()).waiting_for_answers(Duration::from_millis(50));
    let ask = || {
        let arguments = json!({"question_type": "input", "question": "Port?"});
        let cancel = CancelFlag::new();
        tools
            .run(project.root(), Tool::AskUser, &arguments, &cancel, &|_| {})
            .unwrap()
            .text
    };
    assert!(ask().contains("Still waiting: call ask_user again"));
    assert!(ask().contains("Still waiting"));
    answers.send(given("80")).unwrap();
    let text = std::iter::repeat_with(ask)
        .take(200)
        .find(|text| !text.contains("Still waiting"));
    assert_eq!(text.unwrap(), "The user answered: 80\n");
    assert_eq!(person.n_asked.load(Ordering::SeqCst), 1);
}

/// How often the person has been asked, and how many of those questions are still on the screen.
fn shown(person: &Scripted) -> (usize, usize) {
    let n_asked = person.n_asked.load(Ordering::SeqCst);
    (n_asked, n_asked - person.n_withdrawn.load(Ordering::SeqCst))
}

/// Waits until so many of the questions are still on the screen.
fn wait_for(person: &Scripted, expected: (usize, usize)) {
    let mut looks = std::iter::repeat_with(|| {
        std::thread::sleep(Duration::from_millis(10));
        shown(person)
    });
    let found = looks.by_ref().take(3_000).any(|found| found == expected);
    assert!(
        found,
        "asked and shown: {:?}, not {expected:?}",
        shown(person)
    );
}

#[test]
fn a_model_that_words_its_question_anew_each_time_does_not_bury_the_person() {
    let (person, _answers) = Scripted::new();
    let project = Project::new();
    let tools = FileTools::new(person.clone()).waiting_for_answers(Duration::from_millis(20));
    let ask = |number: usize| {
        let arguments = json!({"question_type": "input", "question": format!("Port {number}?")});
        let cancel = CancelFlag::new();
        let asked = tools.run(project.root(), Tool::AskUser, &arguments, &cancel, &|_| {});
        assert!(asked.unwrap().text.contains("Still waiting"));
    };
    for number in 1..=8 {
        ask(number);
    }
    wait_for(&person, (8, 8));
    // The first is wanted again, so the second is the one that nobody has missed for the longest.
    ask(1);
    for number in 9..=12 {
        ask(number);
    }
    wait_for(&person, (12, 8));
    ask(1);
    assert_eq!(shown(&person), (12, 8), "the first is still open");
    ask(2);
    wait_for(&person, (13, 8));
}

#[test]
fn a_question_that_no_call_comes_back_for_is_withdrawn() {
    let (person, _answers) = Scripted::new();
    let project = Project::new();
    let tools = FileTools::new(person.clone())
        .waiting_for_answers(Duration::from_millis(10))
        .keeping_questions(Duration::from_millis(50));
    for n_asked in 1..=2 {
        let arguments = json!({"question_type": "input", "question": "Port?"});
        let cancel = CancelFlag::new();
        let asked = tools.run(project.root(), Tool::AskUser, &arguments, &cancel, &|_| {});
        assert!(asked.unwrap().text.contains("Still waiting"));
        // By itself, and the same question is a new one then.
        wait_for(&person, (n_asked, 0));
    }
}

#[test]
fn more_questions_than_a_person_can_have_open_are_refused_while_calls_wait_for_them() {
    let (person, answers) = Scripted::new();
    let project = Project::asking(person.clone());
    let ask = |number: usize| {
        let arguments = json!({"question_type": "input", "question": format!("Port {number}?")});
        let cancel = CancelFlag::new();
        project
            .tools
            .run(project.root(), Tool::AskUser, &arguments, &cancel, &|_| {})
    };
    std::thread::scope(|scope| {
        for number in 1..=8 {
            scope.spawn(move || ask(number).unwrap());
        }
        wait_for(&person, (8, 8));
        let refused = ask(9).unwrap_err();
        assert_eq!(refused.code, Code::NotApplicable);
        assert!(refused.text.contains("8 questions are open"), "{refused}");
        for _ in 1..=8 {
            answers.send(given("80")).unwrap();
        }
    });
}

#[test]
fn a_cancelled_question_is_withdrawn_from_the_person() {
    let (person, _answers) = Scripted::new();
    let project = Project::asking(person.clone());
    let cancel = CancelFlag::new();
    let arguments = json!({"question_type": "input", "question": "Port?"});
    std::thread::scope(|scope| {
        let call = scope.spawn(|| {
            let (tools, root) = (&project.tools, project.root());
            tools.run(root, Tool::AskUser, &arguments, &cancel, &|_| {})
        });
        wait_for(&person, (1, 1));
        cancel.cancel();
        assert_eq!(call.join().unwrap().unwrap_err().code, Code::Cancelled);
    });
    wait_for(&person, (1, 0));
}

#[test]
fn a_cancelled_call_leaves_its_question_to_another_that_waits_for_it() {
    let (person, answers) = Scripted::new();
    let project = Project::asking(person.clone());
    let arguments = json!({"question_type": "input", "question": "Port?"});
    let ask = |cancel: &CancelFlag| {
        project
            .tools
            .run(project.root(), Tool::AskUser, &arguments, cancel, &|_| {})
    };
    let cancel = CancelFlag::new();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| ask(&CancelFlag::new()));
        wait_for(&person, (1, 1));
        let call = scope.spawn(|| ask(&cancel));
        // Long enough for the call to find the question that is open.
        std::thread::sleep(Duration::from_millis(200));
        cancel.cancel();
        assert_eq!(call.join().unwrap().unwrap_err().code, Code::Cancelled);
        // Long enough for the person to notice a question that was withdrawn.
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(shown(&person), (1, 1));
        answers.send(given("80")).unwrap();
        let answered = other.join().unwrap().unwrap();
        assert_eq!(answered.text, "The user answered: 80\n");
    });
}

#[test]
fn a_question_that_was_cancelled_while_no_call_waited_is_asked_anew() {
    let (person, answers) = Scripted::new();
    let project = Project::new();
    let tools = FileTools::new(person.clone()).waiting_for_answers(Duration::from_millis(20));
    let arguments = json!({"question_type": "input", "question": "Port?"});
    let ask = || {
        let cancel = CancelFlag::new();
        let asked = tools.run(project.root(), Tool::AskUser, &arguments, &cancel, &|_| {});
        assert!(asked.unwrap().text.contains("Still waiting"));
    };
    ask();
    answers.send(Answer::Cancelled).unwrap();
    // The person's side has taken it when the thread that asked has ended.
    // The thread that asked holds the person, too, until it has passed the answer on.
    while Arc::strong_count(&person) > 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    ask();
    wait_for(&person, (2, 2));
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let project = Project::new();
    for arguments in [
        json!({"question_type": "riddle", "question": "?"}),
        json!({"question_type": "choice", "question": "Which?"}),
        json!({"question_type": "choice", "question": "Which?", "options": ["one"]}),
        json!({"question_type": "choice", "question": "Which?", "options": [1, 2]}),
        json!({"question_type": "input", "question": "  "}),
    ] {
        project.fails(ASK, arguments, Code::InvalidParam);
    }
    project.fails(ASK, json!({"question": "?"}), Code::MissingParam);
}

#[test]
fn a_mistyped_path_is_asked_for_again_with_the_reason() {
    let (person, answers) = Scripted::new();
    let project = Project::asking(person.clone());
    project.put("src/A.java", "");
    answers.send(given("src/B.java")).unwrap();
    answers.send(given("src/A.java")).unwrap();
    let arguments = json!({"question_type": "file_selection", "question": "Which?"});
    let text = project.ok(ASK, arguments);
    assert_eq!(text, "The user answered: src/A.java\n");
    let asked = person.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].text.starts_with("Which?\n") && asked[1].text.contains("src/B.java"));
}

#[test]
fn a_default_that_is_no_answer_is_refused() {
    let project = Project::new();
    for (kind, default) in [("choice", "blue"), ("confirmation", "maybe")] {
        let arguments = json!({"question_type": kind, "question": "?", "options": ["red", "green"], "default": default});
        let text = project.fails(ASK, arguments, Code::InvalidParam);
        assert!(text.contains(default), "{text}");
    }
}
