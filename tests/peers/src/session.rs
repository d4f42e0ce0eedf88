//! `siderail run` as a whole: how soon the prompt is out, and what a million updates do to its memory.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use crate::figures::{Aim, Report, Series};
use crate::{Failure, Orders, machine, program};

const UPDATES: usize = 1_000_000;
/// Updates from one look at the memory to the next.
const LOOK: usize = 2_000;
const STARTS: usize = 10;

pub(crate) fn measure(orders: &Orders, report: &mut Report) -> Result<(), Failure> {
    start(orders, report)?;
    million(orders, report)
}

/// From the command's start to the event that says that the prompt was sent.
fn start(orders: &Orders, report: &mut Report) -> Result<(), Failure> {
    let mut series = Series::default();
    for round in 0..=orders.rounds {
        for _ in 0..STARTS {
            let started = Instant::now();
            let mut run = Run::start(orders, "{ say = 'Done.' }")?;
            run.read_to("TURN_STARTED")?;
            if round > 0 {
                series.push(started.elapsed().as_secs_f64() * 1e3);
            }
            run.read_to("SUMMARY")?;
        }
    }
    report.heading("`siderail run`: from its start to the first prompt, in ms");
    report.row("with the scripted agent", &series);
    Ok(())
}

/// Memory while the first tenth of the updates goes through, and while the last one does. It goes up and down
/// with what waits in queues, so each is the median of many looks.
fn million(orders: &Orders, report: &mut Report) -> Result<(), Failure> {
    let script = format!("{{ flood = {UPDATES} }}");
    let mut run = Run::start(orders, &script)?;
    run.read_to("TURN_STARTED")?;
    let pid = run.process.id();
    let started = Instant::now();
    let [mut first, mut all, mut last] = [const { Series::new() }; 3];
    let mut n_updates = 0;
    while n_updates < UPDATES {
        let line = run.line()?.ok_or("the run ended early")?;
        if !line.contains("\"event\":\"AGENT_MESSAGE\"") {
            continue;
        }
        n_updates += 1;
        if n_updates % LOOK == 0 {
            let (now, _) = machine::memory(pid).ok_or("siderail is gone")?;
            let megabytes = now as f64 / 1e3;
            all.push(megabytes);
            match n_updates * 10 / UPDATES {
                0 => first.push(megabytes),
                9 | 10 => last.push(megabytes),
                _ => {}
            }
        }
    }
    let rate = UPDATES as f64 / started.elapsed().as_secs_f64();
    run.read_to("SUMMARY")?;
    report.heading("`siderail run --json`: memory in a session of a million updates, in MB");
    report.row("the first tenth of the updates", &first);
    report.row("the last tenth", &last);
    report.row("all", &all);
    report.figure("updates per second, printed as events", rate);
    let growth = last.median() / first.median();
    let name = "memory, last tenth of a million updates to the first";
    report.aim(name, growth, Aim::Below(1.1));
    Ok(())
}

/// A running `siderail run --json` with the scripted agent.
struct Run {
    process: Child,
    lines: BufReader<ChildStdout>,
    text: String,
    _home: TempDir,
}

impl Run {
    fn start(orders: &Orders, step: &str) -> Result<Self, Failure> {
        let home = tempfile::Builder::new().prefix("peers").tempdir()?;
        let folder = |name: &str| -> Result<PathBuf, Failure> {
            let path = home.path().join(name);
            fs::create_dir(&path)?;
            Ok(path)
        };
        let (project, run_folder) = (folder("project")?, folder("run")?);
        let script = home.path().join("script.toml");
        fs::write(
            &script,
            format!("shape = 'copilot'\n[[prompt]]\nstep = [ {step} ]\n"),
        )?;
        let siderail = program(&orders.programs, "siderail")?;
        let agent = format!(
            "'{}' scripted-agent --script '{}'",
            siderail.display(),
            script.display()
        );
        let mut command = Command::new(&siderail);
        command
            .args(["run", "--json", "--agent", "copilot", "--hide", "off"])
            .args(["--agent-command", &agent, "--project"])
            .arg(&project)
            .arg("go")
            .env("HOME", home.path())
            .env("XDG_RUNTIME_DIR", run_folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn()?;
        let output = process.stdout.take().ok_or("stdout is piped")?;
        Ok(Self {
            process,
            lines: BufReader::with_capacity(1 << 16, output),
            text: String::new(),
            _home: home,
        })
    }

    fn line(&mut self) -> Result<Option<&str>, Failure> {
        self.text.clear();
        let n_read = self.lines.read_line(&mut self.text)?;
        Ok((n_read > 0).then_some(self.text.as_str()))
    }

    fn read_to(&mut self, event: &str) -> Result<(), Failure> {
        let wanted = format!("\"event\":\"{event}\"");
        while let Some(line) = self.line()? {
            if line.contains("\"event\":\"ERROR\"") {
                return Err(line.to_owned().into());
            }
            if line.contains(&wanted) {
                return Ok(());
            }
        }
        Err(format!("the run ended before {event}").into())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
