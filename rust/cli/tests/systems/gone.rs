//! A run that is killed without a warning leaves no process behind, and the next one works.
//!
//! On Windows no program can be removed while a process runs it. So each round runs a copy of the command, as client,
//! relay and agent alike, and is over when that copy can be removed.

#![cfg(windows)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::place::{Place, run_of, siderail};

/// More on demand: an hour of them is for endurance runs.
const ROUNDS: u64 = 20;
const PATIENCE: Duration = Duration::from_secs(60);
/// Until then a run has come to its long sleep.
const ENOUGH: Duration = Duration::from_secs(4);

/// Reads, is denied, writes by our tool and then sleeps, with a program in a shell that sleeps, too.
const SCRIPT: &str = r#"
shape = "claude"
really = true

[[prompt]]
step = [
  { edit = "src/App.java", old = "x = 1", new = "x = 2" },
  { call = "intellij_write_file", arguments = { path = "src/App.java", old_text = "x = 1", new_text = "x = 2" } },
  { shell = "ping -n 600 127.0.0.1", description = "Wait" },
  { sleep = 600.0 },
]
"#;

/// Whether the copy could be removed: no process runs it.
fn is_gone(copy: &Path) -> bool {
    std::fs::remove_file(copy).is_ok()
}

#[test]
fn nothing_outlives_a_killed_client() {
    let original = &siderail();
    let rounds = std::env::var("SIDERAIL_ROUNDS").ok();
    let rounds = rounds.and_then(|text| text.parse().ok()).unwrap_or(ROUNDS);
    let mut slowest = Duration::ZERO;
    for round in 0..rounds {
        let place = Place::new();
        let copy = place.path("siderail-copy.exe");
        std::fs::copy(original, &copy).unwrap();
        let script = place.path("script.toml");
        std::fs::write(&script, SCRIPT).unwrap();
        let script = script.display().to_string();
        let words = run_of(&copy, "claude", &["--shape", "claude", "--script", &script]);
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.push("Go on.");
        let mut child = place.command(&copy, &words).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // A moment of its own in each round, from the start to the long sleep.
        let n_events = usize::try_from(round * 3 % 30).unwrap();
        let (seen, events) = std::sync::mpsc::channel();
        let reading = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = seen.send(line);
            }
        });
        let enough = Instant::now() + ENOUGH;
        for _ in 0..n_events {
            let left = enough.saturating_duration_since(Instant::now());
            if events.recv_timeout(left).is_err() {
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(round * 7 % 20));
        assert!(!is_gone(&copy), "round {round}: it does not run");
        child.kill().unwrap();
        child.wait().unwrap();
        let killed = Instant::now();
        while !is_gone(&copy) {
            assert!(
                killed.elapsed() < PATIENCE,
                "round {round}: something still runs"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        slowest = slowest.max(killed.elapsed());
        reading.join().unwrap();
        let text = std::fs::read_to_string(place.path("project/src/App.java")).unwrap();
        assert!(text.ends_with("}\n") && text.contains("int x = "), "{text}");
        if round % 5 == 4 {
            let next = place
                .command(original, &["demo", "--json"])
                .output()
                .unwrap();
            assert_eq!(next.status.code(), Some(0), "{next:?}");
        }
    }
    println!("{rounds} kills, everything gone after {slowest:?} at most");
}
