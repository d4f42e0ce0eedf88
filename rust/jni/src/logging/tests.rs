//! Who hears a record, and that nobody waits for it. One test, because listeners are of the whole process.

use super::*;
use crate::callbacks::CallbackError;

#[derive(Default)]
struct Heard {
    lines: Mutex<Vec<String>>,
    /// How long it takes over a record.
    pause: Duration,
}

impl Callbacks for Heard {
    fn events(&self, _: &[u8]) -> Result<(), CallbackError> {
        Ok(())
    }

    fn start(&self, _: u64, _: &[u8]) -> Result<(), CallbackError> {
        Ok(())
    }

    fn cancel(&self, _: u64) -> Result<(), CallbackError> {
        Ok(())
    }

    fn log(&self, level: u8, _: &str, text: &str) {
        std::thread::sleep(self.pause);
        self.lines.lock().push(format!("{level} {text}"));
    }

    fn closed(&self) {}
}

impl Heard {
    fn wait_for(&self, wanted: &str) {
        for _ in 0..1_000 {
            if self.lines.lock().iter().any(|line| line.contains(wanted)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("nothing of `{wanted}` in {:?}", self.lines.lock());
    }
}

#[test]
fn records_go_to_the_youngest_listener_and_none_is_waited_for() {
    let (first, second) = (Arc::new(Heard::default()), Arc::new(Heard::default()));
    assert!(add(Arc::clone(&first) as Arc<dyn Callbacks>, Some("loud")).is_err());
    let listening = add(Arc::clone(&first) as Arc<dyn Callbacks>, None).expect("a level");
    tracing::info!(number = 7, "to the first");
    first.wait_for("3 to the first number=7");
    tracing::debug!("too fine");
    tracing::info!(target: "elsewhere", "of others only what is wrong");

    let younger = add(Arc::clone(&second) as Arc<dyn Callbacks>, Some("debug")).expect("a level");
    tracing::debug!("to the second");
    second.wait_for("4 to the second");
    drop(younger);
    tracing::warn!("{}", "é".repeat(LONGEST));
    first.wait_for("…");

    let held = SPEAKING.lock();
    for number in 0..WAITING * 2 {
        tracing::info!(number, "nobody takes these");
    }
    drop(held);
    first.wait_for("records are missing here");
    drop(listening);
    tracing::error!("after the end");
    assert_eq!(Arc::strong_count(&first), 1, "nothing holds a listener");
    let lines = first.lines.lock();
    for unwanted in ["too fine", "of others", "to the second", "after the end"] {
        assert!(
            !lines.iter().any(|line| line.contains(unwanted)),
            "{unwanted}"
        );
    }

    let slow = Arc::new(Heard {
        pause: Duration::from_millis(5),
        ..Heard::default()
    });
    let listening = add(Arc::clone(&slow) as Arc<dyn Callbacks>, None).expect("a level");
    for number in 0..20 {
        tracing::info!(number, "just before the end");
    }
    drop(listening);
    assert_eq!(slow.lines.lock().len(), 20, "what waited is heard");
}
