//! Interpreters: which argument, file or stream is a script, and what an inline script does to files.
//!
//! The scripts are not parsed. Their tokens are scanned for calls that read, write, remove or run
//! something, with the constants that are in their arguments.

mod arguments;
pub(super) mod awk;
mod calls;
mod effects;
mod names;
mod origins;
mod other_languages;
mod outcome;
mod rules;
mod scan;
mod script;
pub(super) mod sed;
mod values;

use super::args::Grammar;
use super::ir::{Arg, Origin, Stream, UNKNOWN};
use super::judge::Judge;
use super::program::{Call, Fact};
use super::streams::{filtered, is_own_text};
pub(super) use scan::Language;

impl Judge<'_> {
    /// `deno eval text`, or a script.
    pub(super) fn deno(&mut self, call: Call<'_>) -> Option<Stream> {
        match call.word(0) {
            "eval" => Some(self.evaluated(call, Language::JavaScript)),
            "run" | "" | "-" | "repl" => Some(self.deno_run(call)),
            _ => None,
        }
    }

    pub(super) fn bun_script(&mut self, call: Call<'_>) -> Option<Stream> {
        let is_script = call.args.is_empty() || call.args.iter().any(is_bun_script);
        is_script.then(|| self.node_js(call))
    }

    pub(super) fn rails_runner(&mut self, call: Call<'_>) -> Option<Stream> {
        let runs = matches!(call.word(0), "runner" | "r");
        runs.then(|| self.evaluated(call, Language::Ruby))
    }

    /// `rake -e text`
    pub(super) fn rake_script(&mut self, call: Call<'_>) -> Option<Stream> {
        let runs = call.has("-e") || call.has("-E");
        runs.then(|| self.perl_like(call, Language::Ruby))
    }

    pub(super) fn python(&mut self, call: Call<'_>) -> Stream {
        let options = Grammar::wrapper("cmXWQ", &["check-hash-based-pycs"]).split(call.args);
        // What follows -c or -m belongs to the script.
        let marker = options.flags.iter().find(|flag| flag.is("cm", ""));
        if let Some(flag) = marker {
            let rest = call.args.get(flag.behind..).unwrap_or_default();
            return match (flag.value.as_deref(), flag.name) {
                (Some(code), "c") => {
                    self.inline(&code.text, code.unknown, rest, Language::Python, call)
                }
                (Some(module), _) => self.python_module(module, rest, call),
                (None, _) => Stream::Empty,
            };
        }
        if options.has("Vh", "version") || options.has("", "help") {
            return Stream::printed(Origin::Program);
        }
        self.script_or_stdin(options.operands, Language::Python, call)
    }

    /// Windows' launcher, which gets the version first: `py -3.12 -c …`.
    pub(super) fn python_launcher(&mut self, call: Call<'_>) -> Stream {
        let is_version = |arg: &&Arg| {
            let rest = arg.text.strip_prefix('-').unwrap_or_default();
            rest.starts_with("V:") || rest.starts_with(|first: char| first.is_ascii_digit())
        };
        let n_versions = call.args.iter().take_while(is_version).count();
        self.python(Call {
            args: &call.args[n_versions..],
            ..call
        })
    }

    /// `ipython -c code`, a script, or what it is fed; its prompt is asked for the lines that are for a shell.
    pub(super) fn ipython(&mut self, call: Call<'_>) -> Stream {
        let options = call.options();
        let code = options.value("c", "c").or(options.value("", "command"));
        let Some(code) = code.cloned() else {
            if options.has("hVm", "help") || options.has("", "version") {
                return Stream::printed(Origin::Program);
            }
            return self.script_or_stdin(options.operands, Language::Python, call);
        };
        self.inline(
            &code.text,
            code.unknown,
            options.operands,
            Language::Python,
            call,
        )
    }

    /// `manage.py shell -c text`
    pub(super) fn django_shell(&mut self, call: Call<'_>) -> Option<Stream> {
        if call.word(0) != "shell" {
            return None;
        }
        let options = Grammar::of("ci", &["command", "interface"]).split(call.args);
        if let Some(code) = options.value("c", "command").cloned() {
            self.inline(&code.text, code.unknown, &[], Language::Python, call);
        }
        Some(Stream::printed(Origin::Program))
    }

    fn python_module(&mut self, module: &Arg, rest: &[Arg], call: Call<'_>) -> Stream {
        let is_program = self.knows(&module.text, Fact::Module);
        let argv: Vec<Arg> = std::iter::once(module.clone())
            .chain(rest.iter().cloned())
            .collect();
        match module.text.as_str() {
            _ if is_program => self.command(&argv, call.text),
            "IPython" | "ipython" => self.named_script("ipython", rest, call),
            // They run another script or module and look on.
            "cProfile" | "profile" | "trace" | "pdb" => {
                let options = Grammar::wrapper("osc", &["file"]).split(rest);
                let modules = options.flags.iter().find(|flag| flag.is("m", ""));
                let inner = modules.map_or(options.operands, |flag| &rest[flag.behind - 1..]);
                self.named_script("python", inner, call)
            }
            "timeit" => {
                for code in rest.iter().filter(|code| !code.text.starts_with('-')) {
                    self.inline(&code.text, code.unknown, &[], Language::Python, call);
                }
                Stream::printed(Origin::Program)
            }
            "unittest" => {
                let argv: Vec<Arg> = std::iter::once(Arg::new("nosetests")).chain(argv).collect();
                self.command(&argv, call.text)
            }
            "django" => self.named_script("manage.py", rest, call),
            _ => Stream::printed(Origin::Program),
        }
    }

    pub(super) fn node_js(&mut self, call: Call<'_>) -> Stream {
        #[rustfmt::skip]
        let long = &[
            "eval", "print", "require", "import", "loader", "input-type", "env-file", "conditions",
        ];
        let asked = call.args.iter().position(|arg| arg.is("-pe"));
        let both: Vec<Arg>;
        let args = match asked {
            // node has no bundles but this one.
            Some(at) => {
                both = [&call.args[..at], &[Arg::new("-e")], &call.args[at + 1..]].concat();
                &both
            }
            None => call.args,
        };
        // `-p` with another option behind it only says that the result is printed.
        let prints = |pair: &[Arg]| {
            matches!(pair[0].text.as_str(), "-p" | "--print") && pair[1].text.starts_with('-')
        };
        let letters = if args.windows(2).any(prints) {
            "erC"
        } else {
            "eprC"
        };
        let options = Grammar::wrapper(letters, long).split(args);
        if options.has("v", "version") || options.has("h", "help") {
            return Stream::printed(Origin::Program);
        }
        let code = options
            .value("ep", "eval")
            .or_else(|| options.value("", "print"))
            .cloned();
        if let Some(code) = code {
            return self.inline(
                &code.text,
                code.unknown,
                options.operands,
                Language::JavaScript,
                call,
            );
        }
        let operands = match options.operands {
            // bun's
            [run, script @ ..] if run.is("run") => script,
            operands => operands,
        };
        if options.has("", "test") {
            return self.named_script("mocha", options.operands, call);
        }
        self.script_or_stdin(operands, Language::JavaScript, call)
    }

    /// A text behind a subcommand.
    fn evaluated(&mut self, call: Call<'_>, language: Language) -> Stream {
        let options = Grammar::wrapper("", &["ext"]).split(call.args.get(1..).unwrap_or_default());
        match options.operands.split_first() {
            Some((code, rest)) => self.inline(&code.text, code.unknown, rest, language, call),
            None => Stream::Empty,
        }
    }

    fn deno_run(&mut self, call: Call<'_>) -> Stream {
        let remote = call
            .args
            .iter()
            .any(|arg| arg.text.starts_with("https://") || arg.text.starts_with("http://"));
        if remote {
            self.unknown_code(Some(Origin::Download), call.text);
            return Stream::printed(Origin::Program);
        }
        let behind = call.args.get(1..).unwrap_or_default();
        let options = Grammar::wrapper("cL", &["config", "import-map", "eval", "ext", "env-file"]);
        let options = options.split(behind);
        if let Some(code) = options.value("", "eval").cloned() {
            return self.inline(&code.text, code.unknown, &[], Language::JavaScript, call);
        }
        let is_fed =
            call.word(0) != "run" || options.operands.first().is_some_and(|arg| arg.is("-"));
        if is_fed {
            return self.script_or_stdin(&[], Language::JavaScript, call);
        }
        Stream::printed(Origin::Program)
    }

    /// perl and ruby share their letters: -e code, -n and -p over files, -i in place.
    pub(super) fn perl_like(&mut self, call: Call<'_>, language: Language) -> Stream {
        let grammar = Grammar {
            attached: "iFCdDtxMm",
            ..Grammar::wrapper("eEIr", &[])
        };
        let plain: Vec<Arg>;
        let args = if language == Language::Perl && call.args.iter().any(is_unicode_bundle) {
            plain = call.args.iter().map(without_unicode).collect();
            &plain
        } else {
            call.args
        };
        let options = grammar.split(args);
        let codes: Vec<Arg> = options.values("eE", "").cloned().collect();
        if codes.is_empty() {
            if options.has("vVhc", "version") || options.has("", "help") {
                return Stream::printed(Origin::Program);
            }
            return self.script_or_stdin(options.operands, language, call);
        }
        let files: Vec<&Arg> = options
            .operands
            .iter()
            .filter(|arg| !arg.is("--"))
            .collect();
        let code = codes
            .iter()
            .map(|code| code.text.as_str())
            .collect::<Vec<_>>()
            .join("\n");
        let unknown = codes.iter().filter_map(|code| code.unknown).max();
        // `<>` and ARGF go over the files as the letters do.
        let own = ["<>", "<<>>", "<ARGV>", "ARGF", "$<"]
            .iter()
            .any(|name| code.contains(name));
        // A script may name the files itself.
        let assigned = if own {
            arguments::assigned_files(&code)
        } else {
            Vec::new()
        };
        let files = if assigned.is_empty() {
            files
        } else {
            assigned.iter().collect()
        };
        let loops = options.has("np", "") || (own && !files.is_empty());
        let output = self.inline(&code, unknown, options.operands, language, call);
        if !loops {
            return output;
        }
        if options.has("i", "") {
            self.edits(call, &files);
            return Stream::Empty;
        }
        self.print_files(call, &files, false)
    }

    pub(super) fn php(&mut self, call: Call<'_>) -> Stream {
        let options = Grammar::wrapper("rfdczBREFS", &["run"]).split(call.args);
        // For each line of the input, before them all and behind them.
        for (short, long) in [
            ("R", "process-code"),
            ("B", "process-begin"),
            ("E", "process-end"),
        ] {
            if let Some(code) = options.value(short, long).cloned() {
                self.inline(
                    &code.text,
                    code.unknown,
                    options.operands,
                    Language::Php,
                    call,
                );
            }
        }
        if let Some(code) = options.value("r", "run").cloned() {
            return self.inline(
                &code.text,
                code.unknown,
                options.operands,
                Language::Php,
                call,
            );
        }
        if options.has("vihRBE", "version") || options.has("", "help") {
            return Stream::printed(Origin::Program);
        }
        self.script_or_stdin(options.operands, Language::Php, call)
    }

    /// A script file, or a script in the input.
    pub(super) fn script_or_stdin(
        &mut self,
        operands: &[Arg],
        language: Language,
        call: Call<'_>,
    ) -> Stream {
        let file = operands.first().filter(|file| !file.is("-"));
        let input = match file {
            None => self.io.stdin.clone(),
            Some(file) if file.stream().is_some() => self.readable(file),
            Some(file) if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0") => {
                self.io.stdin.clone()
            }
            Some(file) => {
                let name = file.text.rsplit(['/', '\\']).next().unwrap_or_default();
                let name = name.trim_end_matches(".js").trim_end_matches(".mjs");
                if self.knows(name, Fact::Script) {
                    return self.named_script(name, &operands[1..], call);
                }
                if name == "setup.py" && operands.get(1).is_some_and(|arg| arg.is("test")) {
                    return self.named_script("pytest", &[], call);
                }
                match self.saved_as(file) {
                    Some(saved) => saved,
                    None => return self.script_file(file, call),
                }
            }
        };
        match input {
            Stream::Text(text) => self.inline(
                &text.text,
                text.unknown,
                operands.get(1..).unwrap_or_default(),
                language,
                call,
            ),
            other => self.run_stream(&other, super::analysis::Dialect::Bash, call, false),
        }
    }

    /// Runs a program by its name.
    pub(super) fn named_script(&mut self, name: &str, rest: &[Arg], call: Call<'_>) -> Stream {
        let argv: Vec<Arg> = std::iter::once(Arg::new(name))
            .chain(rest.iter().cloned())
            .collect();
        self.command(&argv, call.text)
    }

    /// A script that the line itself holds.
    fn inline(
        &mut self,
        code: &str,
        unknown: Option<Origin>,
        args: &[Arg],
        language: Language,
        call: Call<'_>,
    ) -> Stream {
        if !self.budget.pay(code.len()) {
            return Stream::Empty;
        }
        if unknown.is_some() && code.trim().chars().all(|letter| letter == UNKNOWN) {
            self.unknown_code(unknown, call.text);
            return Stream::printed(Origin::Program);
        }
        let args: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        let temporary = self.places.temporary();
        let home = self.places.home().to_owned();
        let surroundings = script::Surroundings {
            args: &args,
            temporary,
            home: &home,
        };
        let effects = calls::effects(code, language, &surroundings);
        self.script_effects(&effects, unknown, call, call.text.clone());
        let input = self.io.stdin.clone();
        if let Stream::File(target) = &input
            && ["stdin", "STDIN", "open(0", "FileSync(0", "gets"]
                .iter()
                .any(|name| code.contains(name))
        {
            self.reads(call.text, std::slice::from_ref(target));
        }
        // A script between pipes is a filter of what some program prints.
        let supplied = !matches!(input, Stream::Text(_)) || is_own_text(&input);
        filtered(None, supplied)
    }
}

fn is_bun_script(arg: &Arg) -> bool {
    matches!(
        arg.text.as_str(),
        "-" | "-e" | "--eval" | "-p" | "--print" | "-pe"
    ) || arg.text.starts_with("--eval=")
        || arg.text.starts_with("--print=")
}

/// perl's `-C` with its letters, behind which others may come: `-CSne`.
fn is_unicode_bundle(arg: &Arg) -> bool {
    arg.text.starts_with("-C") && arg.text.len() > 2
}

fn without_unicode(arg: &Arg) -> Arg {
    match arg.text.strip_prefix("-C") {
        Some(rest) if is_unicode_bundle(arg) => {
            let is_set = |letter: char| "IOEioADSLa".contains(letter) || letter.is_ascii_digit();
            match rest.trim_start_matches(is_set) {
                "" => arg.with_text("-w"),
                letters => arg.with_text(&format!("-{letters}")),
            }
        }
        _ => arg.clone(),
    }
}
