//! Searching and listing a project, beside ripgrep and fd as an agent would start them.
//!
//! Theirs is the time of a process from its start to its end, since that is what an agent waits for; ours that of the
//! call. All of them find the same lines, on the same warm files; `fd` is asked for hidden files, which we list, too.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use siderail_workspace::cancel::CancelFlag;
use siderail_workspace::questions::NobodyToAsk;
use siderail_workspace::tools::{FileTools, Tool};

use crate::Failure;
use crate::figures::{Aim, Report, Series};

/// A word that few files hold, and a form that some lines have.
const PLAIN: &str = "needle_in_the_hay";
const FORM: &str = r"fn \w+_of_hay\(";
/// Debian calls it by another name.
const FD: [&str; 2] = ["fd", "fdfind"];

pub(crate) fn measure(rounds: usize, report: &mut Report) -> Result<(), Failure> {
    let rg = is_there("rg").then_some("rg");
    let fd = FD.into_iter().find(|fd| is_there(fd));
    for name in [("rg", rg), ("fd", fd)] {
        if name.1.is_none() {
            println!("\n{} is left out: it is not installed", name.0);
        }
    }
    for n_files in [8_000, 50_000] {
        let project = tempfile::tempdir()?;
        // The tools refuse a project with a link on its path, as macOS has for temporary folders.
        let folder = &project.path().canonicalize()?;
        make(folder, n_files, "rs")?;
        let search = |query: &str, regex| json!({"query": query, "regex": regex});
        for (what, query, regex) in [("a word", PLAIN, false), ("an expression", FORM, true)] {
            report.heading(&format!("searching {n_files} files for {what}, in ms"));
            let arguments = search(query, regex);
            let theirs = rg.map(|rg| (rg, vec!["-n", "-i", query, "."]));
            let ratio = turns(
                rounds,
                report,
                folder,
                (Tool::SearchText, &arguments),
                theirs,
            )?;
            aim(
                report,
                &format!("search of {n_files} for {what} over rg"),
                ratio,
                1.2,
            );
        }
        report.heading(&format!("listing {n_files} files, in ms"));
        let theirs = fd.map(|fd| (fd, vec!["--type", "f", "--hidden", ".", "."]));
        let call = (Tool::ListProjectFiles, &json!({}));
        let ratio = turns(rounds, report, folder, call, theirs)?;
        aim(report, &format!("list of {n_files} over fd"), ratio, 1.0);
    }
    Ok(())
}

fn aim(report: &mut Report, name: &str, ratio: Option<f64>, most: f64) {
    if let Some(ratio) = ratio {
        report.aim(name, ratio, Aim::Below(most));
    }
}

/// Ours and theirs in turn; how many times theirs ours takes.
fn turns(
    rounds: usize,
    report: &Report,
    folder: &Path,
    (tool, arguments): (Tool, &Value),
    theirs: Option<(&str, Vec<&str>)>,
) -> Result<Option<f64>, Failure> {
    let tools = FileTools::new(Arc::new(NobodyToAsk));
    let [mut ours, mut other] = [const { Series::new() }; 2];
    // The first round warms up.
    for round in 0..=rounds * 3 {
        let started = Instant::now();
        tools
            .run(folder, tool, arguments, &CancelFlag::new(), &|_| {})
            .map_err(|failure| failure.to_string())?;
        let took = started.elapsed().as_secs_f64() * 1e3;
        if round > 0 {
            ours.push(took);
        }
        if let Some((program, words)) = &theirs {
            let started = Instant::now();
            let output = Command::new(program)
                .args(words)
                .current_dir(folder)
                .stdin(Stdio::null())
                .output()?;
            let took = started.elapsed().as_secs_f64() * 1e3;
            if !output.status.success() || output.stdout.is_empty() {
                return Err(format!("{program} found nothing").into());
            }
            if round > 0 {
                other.push(took);
            }
        }
    }
    report.row(tool.name(), &ours);
    let Some((program, _)) = theirs else {
        return Ok(None);
    };
    report.row(program, &other);
    Ok(Some(ours.median() / other.median()))
}

fn is_there(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").output();
    asked.is_ok_and(|output| output.status.success())
}

/// The same sources, for whoever measures elsewhere: a new folder, how many files, and the ending of their
/// names.
pub(crate) fn make_for(words: &[String]) -> Result<(), Failure> {
    let [folder, n_files, ending] = words else {
        return Err("make-sources needs a folder, a number and an ending".into());
    };
    fs::create_dir_all(folder)?;
    make(Path::new(folder), n_files.parse()?, ending)
}

/// Sources of a few hundred bytes to some forty kilobytes, twenty to a folder.
fn make(root: &Path, n_files: usize, ending: &str) -> Result<(), Failure> {
    fs::create_dir(root.join(".git"))?;
    fs::write(root.join(".gitignore"), "target/\n*.log\nnode_modules/\n")?;
    // A row of numbers that is the same on every machine.
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    for n in 0..n_files {
        let folder = root.join(format!("module{}/src/part{}", n / 400, n / 20 % 20));
        if n % 20 == 0 {
            fs::create_dir_all(&folder)?;
        }
        let mut text = String::new();
        for line in 0..12 + next(30) * next(35) {
            let [one, other] = [next(5_000), next(5_000)];
            match next(4_000) {
                0 => text.push_str(&format!("    {PLAIN}({one});\n")),
                1 => text.push_str(&format!("fn load{one}_of_hay(value: u64) -> u64 {{\n")),
                _ if line % 9 == 0 => {
                    text.push_str(&format!(
                        "pub fn item{one}(&self) -> Option<&Item{other}> {{\n"
                    ));
                }
                _ => text.push_str(&format!(
                    "    let value{one} = self.part{other}.get({line})?;\n"
                )),
            }
        }
        fs::write(folder.join(format!("file{n}.{ending}")), text)?;
    }
    Ok(())
}
