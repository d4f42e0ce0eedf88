//! As busy as a turn can be: stray children of the agent (one in a session of its own), a large file that our tools
//! rewrite again and again, and commands of ours that leave children, too.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::kill::task::{Left, Start, Work, prompted};
use crate::place::{Place, paths_below};

/// Lines of each version of the file that is rewritten.
const LINES: usize = 4_000;
/// Versions that a run writes.
const VERSIONS: usize = 4;
/// Unfinished files are swept once they are this old.
const SETTLED: Duration = Duration::from_millis(2_200);

/// Rewriting a file.
pub(super) struct Rewriting;

impl Work for Rewriting {
    fn prepare(&mut self, place: &Place, _program: &Path, _shape: &str) -> Result<(), String> {
        place.write("project/src/App.java", &version(0));
        place.write("script.toml", &busy_script());
        place.write("next.toml", NEXT_SCRIPT);
        Ok(())
    }

    fn busy(&self) -> Start {
        prompted("script.toml")
    }

    fn next(&self) -> Start {
        prompted("next.toml")
    }

    fn has_come(&self, place: &Place) -> bool {
        unfinished(place).next().is_some()
    }

    fn killed(&mut self, left: &Left<'_>) -> Result<Option<&'static str>, String> {
        let is_torn = unfinished(left.place).next().is_some();
        let text = left.place.read("project/src/App.java");
        if !(0..=VERSIONS).any(|number| text == version(number)) {
            let bytes = text.len();
            return Err(format!("the file is no whole version: {bytes} bytes"));
        }
        if is_torn {
            std::thread::sleep(SETTLED);
        }
        Ok(is_torn.then_some("writes torn"))
    }

    fn mended(&self, left: &Left<'_>) -> Result<(), String> {
        match unfinished(left.place).next() {
            Some(path) => Err(format!("an unfinished file stays: {}", path.display())),
            None => Ok(()),
        }
    }
}

fn unfinished(place: &Place) -> impl Iterator<Item = PathBuf> + use<> {
    let is_unfinished = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains(".siderail-")
    };
    paths_below(&place.path("project"))
        .into_iter()
        .filter(is_unfinished)
}

/// A whole text of the file that is rewritten.
pub(super) fn version(number: usize) -> String {
    format!("// version {number}\n").repeat(LINES)
}

fn busy_script() -> String {
    let step = |number: usize| {
        let text = version(number).replace('\n', "\\n");
        format!(
            "{{ call = 'intellij_write_file', arguments = {{ path = 'src/App.java', content = \"{text}\" }} }},\n\
             {{ call = 'run_command', arguments = {{ command = 'sleep 60 & (setsid sleep 60 &) ; sleep 0.1' }} }},\n"
        )
    };
    let steps: String = (1..=VERSIONS).map(step).collect();
    format!("[[prompt]]\nstep = [{{ spawn_grandchild = true }},\n{steps}{{ sleep = 1 }}]\n")
}

/// A call of ours, so that the host looks for what was left, and time for that.
const NEXT_SCRIPT: &str = "\
[[prompt]]
step = [
  { call = 'intellij_read_file', arguments = { path = 'src/App.java', line = 1, limit = 3 } },
  { sleep = 0.5 },
]
";
