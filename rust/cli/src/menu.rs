//! Questions at a terminal before anything runs, answered by a line: a numbered list of which one row is chosen, and
//! yes or no.
//!
//! Ctrl-C ends a question like the end of the input: the command says what was not done, and exits with the code for
//! what the person has cancelled.

use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::exit::{Exit, Failure};
use crate::signals::Signals;
use crate::starting::{beside, no_signals};
use crate::terminal::{print_error, print_error_rows};

/// Asks until a row is chosen, by its number or by `name`; Enter alone takes `preset`, or cancels.
///
/// # Errors
/// The person has cancelled; `not_done` says what is left undone.
pub(crate) fn choose(
    question: &str,
    rows: &[String],
    names: &[&str],
    preset: Option<usize>,
    not_done: &str,
) -> Result<usize, Failure> {
    let mut lines = Lines::listen()?;
    let cancelled = || Failure::new(Exit::Cancelled, not_done);
    print_error(&format!("{question}\n"));
    let width = rows.len().to_string().len();
    for (number, row) in rows.iter().enumerate() {
        print_error_rows(&format!("  {:>width$}  {row}\n", number + 1));
    }
    loop {
        let numbers = match rows.len() {
            1 => "1".to_owned(),
            n => format!("1 to {n}"),
        };
        print_error(&match preset {
            Some(_) if rows.len() == 1 => "[Enter for 1] ".to_owned(),
            Some(preset) => format!("[{numbers}; Enter for {}] ", preset + 1),
            None => format!("[{numbers}; Enter to cancel] "),
        });
        let line = lines.next().ok_or_else(cancelled)?;
        let typed = line.trim();
        let number = typed.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let by_name = || names.iter().position(|name| *name == typed);
        if let Some(chosen) = number.filter(|at| *at < rows.len()).or_else(by_name) {
            return Ok(chosen);
        }
        if typed.is_empty() {
            return preset.ok_or_else(cancelled);
        }
    }
}

/// Asks a question that only `y` or `yes` answers with yes. The end of the input says no.
///
/// # Errors
/// The person has pressed Ctrl-C; `not_done` says what is left undone.
pub(crate) fn says_yes(question: &str, not_done: &str) -> Result<bool, Failure> {
    let mut lines = Lines::listen()?;
    print_error(&format!("{question} [y/N] "));
    let answer = lines.next();
    if lines.is_interrupted {
        return Err(Failure::new(Exit::Cancelled, not_done));
    }
    let answer = answer.unwrap_or_default().trim().to_ascii_lowercase();
    Ok(["y", "yes"].contains(&answer.as_str()))
}

/// What a person types, line by line. From here on signals no longer end the process by themselves: whatever takes time
/// after a question has to listen to them.
struct Lines {
    /// There until the end.
    runtime: Option<Runtime>,
    signals: Signals,
    is_interrupted: bool,
}

impl Lines {
    fn listen() -> Result<Self, Failure> {
        let runtime = beside()?;
        let signals = {
            let _listens_there = runtime.enter();
            Signals::listen().map_err(no_signals)?
        };
        Ok(Self {
            runtime: Some(runtime),
            signals,
            is_interrupted: false,
        })
    }

    /// The next line; none if the input has ended or a signal came.
    fn next(&mut self) -> Option<String> {
        let (sender, line) = oneshot::channel();
        // A read cannot be interrupted. After a signal its thread is left behind, and the command ends.
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = std::io::stdin().read_line(&mut line);
            let _ = sender.send(matches!(read, Ok(1..)).then_some(line));
        });
        let runtime = self.runtime.as_ref()?;
        let signals = &mut self.signals;
        let wait = || {
            runtime.block_on(async {
                tokio::select! {
                    line = line => Ok(line.ok().flatten()),
                    _ = signals.next() => Err(()),
                }
            })
        };
        // on a thread of its own, since `siderail acp` may ask from within a runtime
        let waited = std::thread::scope(|scope| scope.spawn(wait).join());
        self.is_interrupted = matches!(waited, Ok(Err(())));
        let line = waited.ok().and_then(Result::ok).flatten();
        if line.is_none() {
            // the message that follows gets a row of its own
            print_error("\n");
        }
        line
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
