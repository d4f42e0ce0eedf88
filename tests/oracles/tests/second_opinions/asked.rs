//! Asks both parsers about many texts in a process of their own, which may hang, panic, abort or eat memory.
//!
//! The process is this test program again, run with one test that answers the texts on its standard input.

use super::seen::Opinion;
use super::{brush, tree};
use rustix::process::{Resource, Rlimit, setrlimit};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const VARIABLE: &str = "SIDERAIL_ORACLES_ANSWER";
/// Marks the lines of the answering process among those of its test harness.
const ANSWER: &str = "answer:";
const PATIENCE: Duration = Duration::from_secs(20);
const MEMORY: u64 = 2 << 30;

/// What both say of a text.
#[derive(Clone, Debug)]
pub(crate) struct Opinions {
    pub(crate) brush: Opinion,
    pub(crate) tree: Opinion,
}

/// The part of the answering process; called from the test of that name and nowhere else.
pub(crate) fn answer() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let limit = Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    // Where the system has no such limit, the deadline is left.
    let _ = setrlimit(Resource::As, limit);
    std::panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("lines of JSON");
        let text: String = serde_json::from_str(&line).expect("a text as JSON");
        let brush = std::panic::catch_unwind(|| brush::opinion(&text));
        let brush = brush.unwrap_or(Opinion::Refused("panic".to_owned()));
        let tree = tree::opinion(&text);
        println!("\n{ANSWER}{}", json!([brush.to_json(), tree.to_json()]));
    }
}

/// The opinions on each text, in order.
pub(crate) fn ask(texts: &[String]) -> Vec<Opinions> {
    let mut answers = Vec::new();
    while answers.len() < texts.len() {
        let mut process = Answering::start();
        for text in &texts[answers.len()..] {
            match process.ask(text) {
                Ok(opinions) => answers.push(opinions),
                Err(why) => {
                    let refused = || Opinion::Refused(why.to_owned());
                    answers.push(Opinions {
                        brush: refused(),
                        tree: refused(),
                    });
                    break;
                }
            }
        }
        process.end();
    }
    answers
}

struct Answering {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Answering {
    fn start() -> Self {
        let program = std::env::current_exe().expect("the path of this test program");
        let mut child = Command::new(program)
            .args([
                "the_answering_process",
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("this test program can be started again");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let answer = line.strip_prefix(ANSWER).map(str::to_owned);
                if answer.is_some_and(|answer| sender.send(answer).is_err()) {
                    break;
                }
            }
        });
        Self {
            child,
            stdin,
            lines,
        }
    }

    fn ask(&mut self, text: &str) -> Result<Opinions, &'static str> {
        let line = format!("{}\n", json!(text));
        let stdin = self.stdin.as_mut().expect("open until the end");
        stdin.write_all(line.as_bytes()).map_err(|_| "died")?;
        let answer = self
            .lines
            .recv_timeout(PATIENCE)
            .map_err(|_| "died or hung")?;
        let answer: Value = serde_json::from_str(&answer).map_err(|_| "garbled")?;
        Ok(Opinions {
            brush: Opinion::from_json(&answer[0]),
            tree: Opinion::from_json(&answer[1]),
        })
    }

    fn end(mut self) {
        drop(self.stdin.take());
        // It may hang; if it has ended already there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
