//! Random nested bash programs whose commands are known, and properties over the labelled lines: quoting,
//! wrappers and separators change no verdict.
//!
//! Each program reads files `f0`, `f1`, … of the project, each in one command that would run, and mentions
//! decoys `d0`, `d1`, … only as text. The analysis must name exactly the files. The seed is fresh and printed;
//! `SIDERAIL_SEED` brings one back and `SIDERAIL_PROGRAMS` sets the number. `bash -n`, where there is a bash,
//! says whether a program that is judged wrongly is one at all.

use siderail_guard::shell::{Dialect, FindingKind, ShellInput, analyse};
use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::process::{Command, Stdio};

struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 1) as usize
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() % bound
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Where a piece of program stands, which decides how it may be spelled.
#[derive(Clone, Copy)]
struct Place {
    /// No backslashes and no backticks: the text stands between backticks.
    plain: bool,
    /// It must stay on one line.
    one_line: bool,
    depth: usize,
}

impl Place {
    fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    fn plain(self) -> Self {
        Self {
            plain: true,
            one_line: true,
            ..self.deeper()
        }
    }

    fn one_line(self) -> Self {
        Self {
            one_line: true,
            ..self.deeper()
        }
    }
}

struct Generator {
    random: Random,
    n_files: usize,
    n_decoys: usize,
    n_names: usize,
}

impl Generator {
    fn file(&mut self) -> String {
        self.n_files += 1;
        format!("f{}", self.n_files - 1)
    }

    fn decoy(&mut self) -> String {
        self.n_decoys += 1;
        format!("cat d{}", self.n_decoys - 1)
    }

    fn name(&mut self) -> String {
        self.n_names += 1;
        format!("n{}", self.n_names - 1)
    }

    /// A command that reads one file, in one of many spellings.
    fn reading(&mut self, place: Place) -> String {
        let file = self.file();
        let plain = [
            "cat",
            "'cat'",
            "\"cat\"",
            "ca''t",
            "c\"a\"t",
            "/bin/cat",
            "/usr/bin/../bin/cat",
            "head",
            "tac",
        ];
        let escaped = [
            "c\\at",
            "\\cat",
            "$'cat'",
            "$'\\x63at'",
            "\\h\\e\\a\\d",
            "ca\\\nt",
        ];
        let n_spellings = if place.plain { 1 } else { 2 };
        let name = match self.random.below(n_spellings) {
            0 => self.random.pick(&plain).to_owned(),
            _ => {
                let name = self.random.pick(&escaped);
                if place.one_line {
                    name.replace("\\\n", "")
                } else {
                    name.to_owned()
                }
            }
        };
        let file = match self.random.below(5) {
            0 => format!("'{file}'"),
            1 => format!("\"{file}\""),
            2 => format!("./{file}"),
            3 => format!("/proj/x/../{file}"),
            _ => file,
        };
        match self.random.below(9) {
            0 => format!("< {file} {name}"),
            1 => format!("{name} {file} 2>/dev/null"),
            2 => format!("{} {name} {file}", self.wrapper()),
            3 => format!("V=1 {name} {file}"),
            _ => format!("{name} {file}"),
        }
    }

    fn wrapper(&mut self) -> &'static str {
        self.random.pick(&[
            "env",
            "env A=b",
            "sudo",
            "sudo -u me",
            "command",
            "nohup",
            "nice -n 3",
            "timeout 5",
            "stdbuf -oL",
            "setsid",
            "exec",
            "time -p",
            "sudo env X=1 nice",
            "busybox",
            "ionice -c 3",
            "doas",
            "xargs -r",
        ])
    }

    fn harmless(&mut self) -> String {
        let decoy = self.decoy();
        match self.random.below(8) {
            0 => format!("echo '{decoy}'"),
            1 => format!("echo \"{decoy}; ({decoy})\""),
            2 => "true".to_owned(),
            3 => "make all".to_owned(),
            4 => format!("git tag -m '{decoy}' v1"),
            5 => "cd .".to_owned(),
            6 => format!("printf '%s' '$({decoy})'"),
            _ => format!("test '{decoy}' = x"),
        }
    }

    fn statement(&mut self, place: Place) -> String {
        if place.depth > 4 || self.random.below(5) == 0 {
            return if self.random.below(3) == 0 {
                self.harmless()
            } else {
                self.reading(place)
            };
        }
        let inner = place.deeper();
        match self.random.below(28) {
            0 => format!("( {} )", self.list(inner)),
            1 => {
                let list = self.list(inner);
                // Two brackets in a row would be arithmetic.
                if list.starts_with('(') {
                    format!("( {list} )")
                } else {
                    format!("({list})")
                }
            }
            2 => format!("{{ {}; }}", self.list(inner)),
            3 => format!(
                "if {}; then {}; fi",
                self.statement(inner),
                self.list(inner)
            ),
            4 => format!(
                "if {}; then {}; else {}; fi",
                self.harmless(),
                self.statement(inner),
                self.statement(inner)
            ),
            5 => format!(
                "while {}; do {}; done",
                self.statement(inner),
                self.list(inner)
            ),
            6 => format!(
                "until {}; do {}; done",
                self.statement(inner),
                self.harmless()
            ),
            7 => format!("for i in a b; do {}; done", self.list(inner)),
            8 => format!(
                "case x in a|b) {} ;; *) {} ;; esac",
                self.list(inner),
                self.statement(inner)
            ),
            9 => {
                let name = self.name();
                format!("{name}() {{ {}; }}; {name}", self.list(inner))
            }
            10 => format!("{} && {}", self.statement(inner), self.statement(inner)),
            11 => format!("{} || {}", self.statement(inner), self.statement(inner)),
            12 => format!("{} | sort | uniq -c", self.statement(inner)),
            13 => format!("! {}", self.simple(inner)),
            14 => format!("time {}", self.simple(inner)),
            15 => format!("echo x$({})y", self.spaced(inner)),
            16 => format!("echo \"x $({}) y\"", self.spaced(inner)),
            17 if !place.plain => format!("echo `{}`", self.list(inner.plain())),
            18 => format!("diff <({}) b", self.list(inner)),
            19 => format!("echo ${{x:-$({})}}", self.spaced(inner)),
            20 => format!("echo $(( 1 + $({}) ))", self.spaced(inner)),
            21 => format!("[[ -n $({}) ]]", self.spaced(inner)),
            22 => format!("v=$({})", self.spaced(inner)),
            23 => format!("export v=\"$({})\"", self.spaced(inner)),
            24 if !place.plain => {
                let script = self.list(inner.one_line());
                format!(
                    "{} {}",
                    self.random
                        .pick(&["bash -c", "sh -c", "eval", "sudo bash -xec"]),
                    quoted(&script)
                )
            }
            25 if !place.plain => {
                let script = self.list(inner.one_line());
                format!("echo {} | bash", quoted(&script))
            }
            26 => format!("for i in $({}); do :; done", self.spaced(inner)),
            27 if !place.one_line => self.document(inner),
            _ => self.reading(place),
        }
    }

    /// A list that does not begin with a bracket, which behind `$(` would begin arithmetic.
    fn spaced(&mut self, place: Place) -> String {
        format!(" {} ", self.list(place))
    }

    fn simple(&mut self, place: Place) -> String {
        if self.random.below(2) == 0 {
            self.harmless()
        } else {
            self.reading(place)
        }
    }

    fn list(&mut self, place: Place) -> String {
        let mut text = self.statement(place);
        for _ in 0..self.random.below(2) {
            let separators: &[&str] = if place.one_line || text.contains("<<") {
                &["; "]
            } else {
                &["; ", "\n", " &\n", "; \\\n"]
            };
            text = format!(
                "{text}{}{}",
                self.random.pick(separators),
                self.statement(place)
            );
        }
        text
    }

    /// A here-document, which must be the last thing on its line.
    fn document(&mut self, place: Place) -> String {
        let tag = format!("E{}", self.n_names);
        self.n_names += 1;
        let decoy = self.decoy();
        match self.random.below(4) {
            0 => format!("{{ sort <<'{tag}'\n$({decoy}) `{decoy}` '\n{tag}\n}}"),
            1 => format!(
                "{{ sort <<{tag}\n{decoy} $({})\n{tag}\n}}",
                self.spaced(place.one_line())
            ),
            2 => format!(
                "{{ bash <<'{tag}'\n{}\n{tag}\n}}",
                self.list(place.one_line())
            ),
            _ => format!("{{ sort <<-\"{tag}\"\n\t{decoy}\n\t{tag}\n}}"),
        }
    }

    fn program(&mut self) -> String {
        (self.n_files, self.n_decoys) = (0, 0);
        let place = Place {
            plain: false,
            one_line: false,
            depth: 0,
        };
        let mut lines = Vec::new();
        for _ in 0..=self.random.below(3) {
            let statement = self.statement(place);
            let comment = format!(" # {}", self.decoy());
            let ends = statement.ends_with(|c: char| c.is_ascii_alphanumeric());
            lines.push(if ends && self.random.below(4) == 0 {
                statement + &comment
            } else {
                statement
            });
        }
        lines.join("\n")
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn judge(command: &str) -> siderail_guard::shell::Analysis {
    analyse(&ShellInput {
        command: command.as_bytes(),
        dialect: Dialect::Bash,
        root: "/proj",
        cwd: "/proj",
        home: None,
        tools: None,
    })
}

/// Whether bash takes a text for a program; `None` where there is no bash.
fn bash_accepts(program: &str) -> Option<bool> {
    let mut command = Command::new("bash");
    command
        .args(["-n", "-c", program])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let output = command.stderr(Stdio::piped()).output().ok()?;
    Some(output.status.success() && output.stderr.is_empty())
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn random_programs_are_read_command_by_command() {
    let seed =
        number("SIDERAIL_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish() | 1);
    println!("seed {seed}");
    let mut generator = Generator {
        random: Random(seed),
        n_files: 0,
        n_decoys: 0,
        n_names: 0,
    };
    let (mut n_wrong, mut n_followed) = (0, 0);
    for _ in 0..number("SIDERAIL_PROGRAMS").unwrap_or(4_000) {
        let program = generator.program();
        if generator.n_files > 40 {
            continue;
        }
        let analysis = judge(&program);
        let found: BTreeSet<String> = analysis
            .findings
            .iter()
            .flat_map(|finding| {
                let readings = finding.kind == FindingKind::ReadFile;
                if readings {
                    finding.paths.clone()
                } else {
                    vec![format!("{}: {}", finding.kind, finding.text)]
                }
            })
            .collect();
        let truth: BTreeSet<String> = (0..generator.n_files)
            .map(|n| format!("/proj/f{n}"))
            .collect();
        n_followed += 1;
        if found != truth && bash_accepts(&program) != Some(false) {
            n_wrong += 1;
            let missing: Vec<_> = truth.difference(&found).collect();
            let invented: Vec<_> = found.difference(&truth).collect();
            println!("--- missing {missing:?}, invented {invented:?}\n{program}");
        }
        if n_wrong > 5 {
            break;
        }
    }
    assert!(
        n_wrong == 0,
        "{n_wrong} of {n_followed} programs are misread; seed {seed}"
    );
}

#[test]
fn most_random_programs_are_programs() {
    if bash_accepts("true").is_none() {
        println!("no bash here");
        return;
    }
    let mut generator = Generator {
        random: Random(77),
        n_files: 0,
        n_decoys: 0,
        n_names: 0,
    };
    let programs: Vec<String> = (0..120).map(|_| generator.program()).collect();
    let n_valid = programs
        .iter()
        .filter(|program| bash_accepts(program) == Some(true))
        .count();
    assert!(n_valid > 110, "{n_valid} of {}", programs.len());
}

/// The bash lines of the corpus that are one line and parse.
fn lines() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus");
    let mut lines = Vec::new();
    for file in std::fs::read_dir(folder).expect("the corpus folder") {
        let path = file.expect("a folder entry").path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let other = [
            "fish.txt",
            "cmd.txt",
            "powershell.txt",
            "parse.txt",
            "README.md",
        ];
        if other.contains(&name.as_str()) || !path.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable corpus file");
        let commands = text.lines().take_while(|line| !line.starts_with("% root"));
        let commands = commands.filter(|line| !line.starts_with(['#', '%', ' ']));
        let commands = commands
            .filter_map(|line| line.split_once('|'))
            .map(|(_, command)| command.trim());
        lines.extend(commands.filter(|c| is_whole(c)).map(str::to_owned));
    }
    lines
}

/// A line that means the same inside a function: no comment alone, no arguments of the line itself.
fn is_whole(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#') && !line.contains("$1") && !line.contains("\"$@\"")
}

fn kinds(command: &str) -> BTreeSet<&'static str> {
    judge(command)
        .findings
        .iter()
        .map(|finding| finding.kind.as_str())
        .collect()
}

fn check_variants(lines: &[String], variants: &[fn(&str) -> String]) {
    let mut wrong = Vec::new();
    for line in lines {
        let expected = kinds(line);
        for variant in variants {
            let changed = variant(line);
            let found = kinds(&changed);
            if found != expected {
                wrong.push(format!("{expected:?} became {found:?}: {changed}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} lines change: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(12)]
    );
}

#[test]
fn separators_and_brackets_change_no_finding() {
    check_variants(
        &lines(),
        &[
            |line| format!("true; {line}"),
            |line| format!("{line}\n"),
            |line| format!("true && {line}"),
            |line| format!("\n\n  {line}\n\n"),
            |line| format!("( {line}\n)"),
            |line| format!("{{ {line}\n}}"),
            |line| format!("if true; then\n{line}\nfi"),
            |line| format!("f() {{ {line}\n}}\nf"),
            |line| format!("make\n{line}\nmake"),
        ],
    );
}

#[test]
fn a_shell_around_a_line_changes_no_finding() {
    check_variants(
        &lines(),
        &[
            |line| format!("bash -c {}", quoted(line)),
            |line| format!("sudo bash -lc {}", quoted(line)),
            |line| format!("eval {}", quoted(line)),
            |line| format!("bash <<'END'\n{line}\nEND"),
        ],
    );
}

#[test]
fn wrappers_around_a_plain_command_change_no_finding() {
    let builtin = [
        "cd", "exec", "export", "set", "alias", "source", ".", "eval", "trap", "time", "pushd",
        "read", "type", "command", "builtin", "env", "true", "wait", "declare", "local", "exit",
        "help", "ulimit",
    ];
    let plain = |line: &&String| {
        let word = line.split(' ').next().unwrap_or_default();
        let letters = line
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b" ./_-:@,+".contains(&byte));
        letters && !builtin.contains(&word)
    };
    let lines: Vec<String> = lines().iter().filter(plain).cloned().collect();
    assert!(lines.len() > 300, "{}", lines.len());
    check_variants(
        &lines,
        &[
            |line| format!("sudo {line}"),
            |line| format!("env A=1 {line}"),
            |line| format!("timeout -k 5 30 {line}"),
            |line| format!("nohup nice -n 5 {line}"),
            |line| format!("command {line}"),
            |line| format!("stdbuf -oL time -p {line}"),
            |line| format!("exec {line}"),
        ],
    );
}

#[test]
fn quotes_around_the_words_of_a_plain_command_change_no_finding() {
    let plain = |line: &&String| {
        let letters = line
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b" ./_-:,".contains(&byte));
        letters && line.split(' ').all(|word| !word.is_empty())
    };
    let keywords = ["time", "if", "for", "while"];
    let lines: Vec<String> = lines()
        .iter()
        .filter(plain)
        .filter(|line| !keywords.iter().any(|word| line.starts_with(word)))
        .cloned()
        .collect();
    assert!(lines.len() > 300, "{}", lines.len());
    check_variants(
        &lines,
        &[
            |line| {
                line.split(' ')
                    .map(|word| format!("'{word}'"))
                    .collect::<Vec<_>>()
                    .join(" ")
            },
            |line| {
                line.split(' ')
                    .map(|word| format!("\"{word}\""))
                    .collect::<Vec<_>>()
                    .join("  ")
            },
            |line| {
                line.split(' ')
                    .map(|word| format!("{word}''"))
                    .collect::<Vec<_>>()
                    .join("\t")
            },
            |line| {
                line.split(' ')
                    .map(|word| format!("$'{word}'"))
                    .collect::<Vec<_>>()
                    .join(" \\\n ")
            },
        ],
    );
}
