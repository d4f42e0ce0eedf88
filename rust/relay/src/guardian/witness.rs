//! The third process of the guardian. It is not an ancestor of the program, so it survives if the program kills both of
//! its ancestors at once: then it ends all processes with the program's mark.

use super::mark::Mark;
use super::sys::{self, Pid, Signal, Signals};
use std::io::{Read, Write as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::parent_id;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

/// How often it looks whether the front is still there.
const LOOK: Duration = Duration::from_millis(500);
/// Before the second look at who is left. Each one behind it waits twice as long, up to a bound: what has ended and is not
/// collected looks like what cannot be killed, and a look reads all of `/proc`.
const PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(160);
/// Time between the polite signal and the certain one.
const GRACE: Duration = Duration::from_millis(500);
/// Processes that cannot be killed are given up after this.
const GIVE_UP: Duration = Duration::from_secs(5);

/// What the keeper says when nothing of the program is left.
const NOTHING_LEFT: u8 = 1;

/// The keeper, about to end, spares the witness its look at all processes.
pub(super) fn dismiss(mut life: &UnixStream) {
    // Without the word it looks for itself.
    let _ = life.write_all(&[NOTHING_LEFT]);
}

/// Waits for the end of the keeper, and sees to it that nothing of the program outlives it.
pub(super) fn watch(front: u32, keeper: Pid, mut life: &UnixStream, mark: Mark) -> ExitCode {
    sys::release_stdio();
    // What is sent to the group of the front is not meant for it, and what is sent to it not for the front.
    let own = Signals::catch();
    let prepared = sys::leave_group().and_then(|()| life.set_read_timeout(Some(LOOK)));
    if own.is_err() || prepared.is_err() {
        return ExitCode::FAILURE;
    }
    let mut word = [0];
    let n_read = loop {
        if let Ok(n_read) = life.read(&mut word) {
            break n_read;
        }
        if parent_id() != front {
            // A keeper that was stopped would not see that its front is gone.
            sys::send(keeper, Signal::CONT);
        }
    };
    if n_read == 0 || word != [NOTHING_LEFT] {
        sweep(mark);
    }
    if parent_id() == front {
        // One that was stopped would never say that it is over.
        sys::send(front.cast_signed(), Signal::CONT);
    }
    ExitCode::SUCCESS
}

/// Asks all who bear the mark to end, and ends those that do not.
fn sweep(mark: Mark) {
    let begun = Instant::now();
    let mut bearers = mark.bearers();
    for pid in &bearers {
        sys::send(*pid, Signal::TERM);
        sys::send(*pid, Signal::CONT);
    }
    let mut pause = PAUSE;
    while !bearers.is_empty() && begun.elapsed() < GIVE_UP {
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(2 * pause);
        bearers = mark.bearers();
        if begun.elapsed() >= GRACE {
            for pid in &bearers {
                sys::send(*pid, Signal::KILL);
            }
        }
    }
}
