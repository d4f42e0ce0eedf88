//! The guardian role: runs a program and leaves nothing of it behind.
//!
//! An agent starts shells, language servers and daemons of its own; some of them leave their process group, some ignore
//! a polite signal, and the engine may die without a word. So every agent runs below a guardian, which adopts whatever
//! its descendants leave behind (a child subreaper on Linux) and, when it is asked to stop or its own parent is gone,
//! ends them all. It never reads or writes the program's pipes. It is three processes: the front, which others know and
//! may kill, the keeper behind it, which has no other name, and the witness, which is not an ancestor of the program
//! and ends, by a mark, the processes that the other two leave when both are killed at once. Start it in a process
//! group of its own, so that an interrupt typed at the terminal does not reach it. [`tree`] finds the processes,
//! [`sys`] holds the system calls.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, parent_id};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

mod mark;
mod sys;
mod tree;
mod witness;

use self::mark::Mark;
use self::sys::{Forked, Pid, Signal, Signals, Waited};
use crate::{EXIT_ENGINE_GONE, usage_error};

/// Status for a program that cannot be started, as shells have it.
const EXIT_NOT_STARTED: u8 = 127;
/// How often the parent is looked at where its death is not reported by a signal.
const TICK: Duration = Duration::from_millis(150);
/// Time for a program to end by itself after the end of its standard input.
const EOF_GRACE: Duration = Duration::from_millis(500);
/// Time between the polite signal and the certain one.
const TERM_GRACE: Duration = Duration::from_secs(1);
/// Of that, what the rest of the tree still has once the program itself is gone.
const REST_GRACE: Duration = Duration::from_millis(500);
/// Processes that cannot be killed (another user's, or stuck in the kernel) are given up after this.
const KILL_LIMIT: Duration = Duration::from_secs(5);
/// Between two looks at who is left, unless a child ends.
const PAUSE: Duration = Duration::from_millis(5);

/// Starts the program and returns its status once nothing of it is left. Has to be called before
/// this process has a second thread.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let order = match Order::parse(args) {
        Ok(order) => order,
        Err(what) => return usage_error(what),
    };
    if parent_id() != order.parent {
        eprintln!(
            "siderail-relay: process {} is not the parent, or has ended already",
            order.parent
        );
        return ExitCode::from(EXIT_ENGINE_GONE);
    }
    // Before anything runs behind it that could say that it does, or a signal would find nobody to hand it on.
    let signals = match prepare_front() {
        Ok(signals) => signals,
        Err(error) => return not_started(&order.program, &error),
    };
    let front = std::process::id();
    let mark = Mark::fresh();
    // Its other end closes when the keeper is gone, in whatever way.
    let (life, keeper_lives) = match UnixStream::pair() {
        Ok(ends) => ends,
        Err(error) => return not_started(&order.program, &error),
    };
    match sys::fork() {
        Ok(Forked::Parent { child }) => {
            drop(keeper_lives);
            // Without it the two are as good as they were.
            if let Ok(Forked::Child) = sys::fork() {
                return witness::watch(front, child, &life, mark);
            }
            stand_in_front(order.parent, child, signals)
        }
        Ok(Forked::Child) => {
            drop(life);
            let (status, left) = keep(front, order, mark);
            // Elsewhere a daemon that nobody adopts may be left.
            if cfg!(target_os = "linux") && left == Left::Nothing {
                witness::dismiss(&keeper_lives);
            }
            drop(keeper_lives);
            status
        }
        Err(error) => not_started(&order.program, &error),
    }
}

fn not_started(program: &OsStr, error: &io::Error) -> ExitCode {
    // The file itself is there, or we would not have been asked to run it.
    let is_there = error.kind() == io::ErrorKind::NotFound && Path::new(program).is_file();
    let hint = match is_there {
        true => "; the interpreter that its first line names is missing, install it",
        false => "",
    };
    eprintln!(
        "siderail-relay: cannot start {}: {error}{hint}",
        program.display()
    );
    ExitCode::from(EXIT_NOT_STARTED)
}

/// What the arguments ask for.
struct Order {
    /// The process whose end is the end of the program.
    parent: u32,
    program: OsString,
    args: Vec<OsString>,
}

impl Order {
    fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Self, &'static str> {
        if args.next().is_none_or(|arg| arg != "--parent") {
            return Err("guardian needs --parent PID");
        }
        let parent = args.next().and_then(|pid| pid.to_str()?.parse().ok());
        let parent = parent.ok_or("--parent needs the number of a process")?;
        if args.next().is_none_or(|arg| arg != "--") {
            return Err("guardian needs -- before the program");
        }
        let program = args.next().ok_or("guardian needs a program to run")?;
        Ok(Self {
            parent,
            program,
            args: args.collect(),
        })
    }
}

/// The half that others know: hands signals to the keeper and takes over its status.
///
/// If it is killed, for want of patience or of memory, nothing that is needed is lost: the keeper sees it end as it
/// would see the engine end. The other way round it adopts what a killed keeper leaves behind, whatever session, group
/// or environment that has given itself, and ends it.
fn stand_in_front(parent: u32, keeper: Pid, mut signals: Signals) -> ExitCode {
    sys::release_stdio();
    while parent_id() == parent {
        match sys::wait_any() {
            // The witness is among them.
            Waited::Ended { pid, status } if pid == keeper => {
                end_orphans(&mut signals);
                return ExitCode::from(status);
            }
            // Adopted before its keeper was collected.
            Waited::Ended { .. } => continue,
            Waited::AllAlive | Waited::NoChildren => {}
        }
        for signal in signals.wait(TICK) {
            sys::send(keeper, signal);
            // One that was stopped would take no notice.
            sys::send(keeper, Signal::CONT);
        }
    }
    sys::send(keeper, Signal::CONT);
    ExitCode::from(EXIT_ENGINE_GONE)
}

fn prepare_front() -> io::Result<Signals> {
    let signals = Signals::catch()?;
    sys::wake_when_parent_ends()?;
    sys::adopt_orphans()?;
    Ok(signals)
}

/// Kills what a keeper left behind that could not end it itself. After one that ended by itself the witness is left at most,
/// and about to end: it has a moment before anybody is looked for, because that means reading all of `/proc`.
fn end_orphans(signals: &mut Signals) {
    let is_anybody_left = || loop {
        match sys::wait_any() {
            Waited::Ended { .. } => {}
            Waited::AllAlive => break true,
            Waited::NoChildren => break false,
        }
    };
    if !is_anybody_left() {
        return;
    }
    let give_up = Instant::now() + KILL_LIMIT;
    signals.wait(PAUSE);
    while is_anybody_left() && Instant::now() < give_up {
        for pid in tree::descendants() {
            sys::send(pid, Signal::KILL);
        }
        signals.wait(PAUSE);
    }
}

/// The half that runs the program and outlives it.
fn keep(front: u32, order: Order, mark: Mark) -> (ExitCode, Left) {
    let signals = match prepare() {
        Ok(signals) => signals,
        Err(error) => return (not_started(&order.program, &error), Left::Nothing),
    };
    let mut command = Command::new(&order.program);
    command.args(order.args).process_group(0);
    sys::end_with_parent(&mut command);
    mark.put_on(&mut command);
    match command.spawn() {
        Ok(child) => {
            // Our copies of the pipes would hide from both sides that the program closed its own.
            sys::release_stdio();
            let guard = Guard {
                program: child.id().cast_signed(),
                status: None,
                parent: front,
                signals,
            };
            let (status, left) = guard.watch();
            (ExitCode::from(status), left)
        }
        Err(error) => (not_started(&order.program, &error), Left::Nothing),
    }
}

fn prepare() -> io::Result<Signals> {
    let signals = Signals::catch()?;
    // Signals to the group of the front are for the front alone.
    sys::leave_group()?;
    sys::adopt_orphans()?;
    sys::wake_when_parent_ends()?;
    Ok(signals)
}

/// A running program and what is known about it.
struct Guard {
    /// Also the number of the process group that it started in.
    program: Pid,
    /// Set once the program was reaped; from then on its number may belong to somebody else.
    status: Option<u8>,
    /// The front. When it ends, the program has to.
    parent: u32,
    signals: Signals,
}

/// What happens to the tree next, if nothing else comes first.
enum Phase {
    Running,
    /// The front is gone and most likely the engine too, which ends the program's standard input.
    Orphaned {
        term_at: Instant,
    },
    /// The tree was asked to end.
    Ending {
        kill_at: Instant,
    },
}

impl Phase {
    fn is_ending(&self) -> bool {
        matches!(self, Self::Ending { .. })
    }
}

impl Guard {
    /// The program's status, and whether anything of its tree is left.
    fn watch(mut self) -> (u8, Left) {
        let mut phase = Phase::Running;
        let mut left = Left::Processes;
        while self.status.is_none() || (phase.is_ending() && left == Left::Processes) {
            let now = Instant::now();
            phase = match phase {
                Phase::Running if parent_id() != self.parent => Phase::Orphaned {
                    term_at: now + EOF_GRACE,
                },
                Phase::Orphaned { term_at } if now >= term_at => self.ask_to_end(Signal::TERM),
                Phase::Ending { kill_at } if now >= kill_at => break,
                unchanged => unchanged,
            };
            let pause = match phase {
                Phase::Running => TICK,
                Phase::Orphaned { term_at: at } | Phase::Ending { kill_at: at } => {
                    at.saturating_duration_since(now)
                }
            };
            for signal in self.signals.wait(pause) {
                match &phase {
                    Phase::Ending { .. } => self.pass_on(signal),
                    _ => phase = self.ask_to_end(signal),
                }
            }
            let was_alive = self.status.is_none();
            left = self.reap();
            if let Phase::Ending { kill_at } = &mut phase
                && was_alive
                && self.status.is_some()
            {
                *kill_at = (*kill_at).min(Instant::now() + REST_GRACE);
            }
        }
        let left = self.clear();
        let status = self.status.unwrap_or(128 + Signal::KILL.number());
        (status, left)
    }

    fn ask_to_end(&self, signal: Signal) -> Phase {
        self.pass_on(signal);
        Phase::Ending {
            kill_at: Instant::now() + TERM_GRACE,
        }
    }

    fn pass_on(&self, signal: Signal) {
        for pid in tree::descendants() {
            sys::send(pid, signal);
        }
    }

    /// Kills until nothing is left. One pass is not enough: a process may fork while the tree is read.
    fn clear(&mut self) -> Left {
        // Where orphans are adopted, who has no child has no descendant, and `/proc` need not be read to know it.
        if cfg!(target_os = "linux") && self.reap() == Left::Nothing {
            return Left::Nothing;
        }
        let give_up = Instant::now() + KILL_LIMIT;
        while Instant::now() < give_up {
            // A group dies at once, without a gap to fork in. Its number is safe to use as long as
            // the program that lent it is not reaped; elsewhere it is the only hold on orphans.
            if self.status.is_none() || !cfg!(target_os = "linux") {
                sys::send(-self.program, Signal::KILL);
            }
            self.pass_on(Signal::KILL);
            if self.reap() == Left::Nothing {
                return Left::Nothing;
            }
            self.signals.wait(PAUSE);
        }
        Left::Processes
    }

    /// Collects all who ended: the program, and orphans that nobody else would collect.
    fn reap(&mut self) -> Left {
        loop {
            match sys::wait_any() {
                Waited::Ended { pid, status } if pid == self.program => self.status = Some(status),
                Waited::Ended { .. } => {}
                Waited::AllAlive => return Left::Processes,
                Waited::NoChildren => return Left::Nothing,
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Processes,
    Nothing,
}
