//! `powershell`, `cmd` and `wsl` called from any shell.

use crate::analysis::Dialect;
use crate::args::Grammar;
use crate::ir::{Arg, Origin, Stream};
use crate::judge::Judge;
use crate::program::Call;

impl Judge<'_> {
    /// Parameters may be shortened as long as they stay unique.
    pub(crate) fn powershell(&mut self, call: Call<'_>, is_core: bool) -> Stream {
        let mut index = 0;
        while let Some(arg) = call.args.get(index) {
            let lower = arg.text.to_ascii_lowercase();
            let Some(name) = lower
                .strip_prefix(['-', '/'])
                .map(|name| name.trim_start_matches('-'))
            else {
                break;
            };
            index += 1;
            let rest = call.args.get(index..).unwrap_or_default();
            match name {
                "" => return self.powershell_input(call),
                _ if "encodedcommand".starts_with(name) || name == "ec" => {
                    return self.encoded_command(rest, call);
                }
                _ if "command".starts_with(name) || name == "commandwithargs" || name == "cwa" => {
                    return self.powershell_text(rest, call);
                }
                _ if name.len() < 2 && name != "f" => {}
                _ if "file".starts_with(name) => return self.powershell_file(rest, call),
                "help" | "version" | "?" => return Stream::printed(Origin::Program),
                _ if VALUED.iter().any(|valued| valued.starts_with(name))
                    || name == "ep"
                    || name == "ex" =>
                {
                    index += 1;
                }
                _ => {}
            }
        }
        let rest = call.args.get(index..).unwrap_or_default();
        if rest.is_empty() {
            return self.powershell_input(call);
        }
        // `powershell text` is a command, `pwsh path` is a file.
        if is_core && rest[0].text.to_ascii_lowercase().ends_with(".ps1") {
            return self.powershell_file(rest, call);
        }
        self.powershell_text(rest, call)
    }

    fn powershell_input(&mut self, call: Call<'_>) -> Stream {
        let input = self.io.stdin.clone();
        self.run_stream(&input, Dialect::PowerShell, call, false)
    }

    fn powershell_file(&mut self, rest: &[Arg], call: Call<'_>) -> Stream {
        match rest.first() {
            Some(file) if file.is("-") => self.powershell_input(call),
            Some(file) => self.script_file(file, call),
            None => Stream::Empty,
        }
    }

    fn powershell_text(&mut self, rest: &[Arg], call: Call<'_>) -> Stream {
        match rest {
            [only] if only.is("-") => self.powershell_input(call),
            [only] if only.block().is_some() => match only.block().cloned() {
                Some(block) => self.block(&block),
                None => Stream::Empty,
            },
            _ => {
                let text = joined(rest, false);
                self.run_code(&text.text, text.unknown, Dialect::PowerShell, call, false)
            }
        }
    }

    fn encoded_command(&mut self, rest: &[Arg], call: Call<'_>) -> Stream {
        let decoded = rest
            .first()
            .filter(|arg| arg.unknown.is_none())
            .and_then(|arg| decode(&arg.text));
        match decoded {
            Some(text) => self.run_code(&text, None, Dialect::PowerShell, call, false),
            None => {
                self.unknown_code(Some(Origin::Decoded), call.text);
                Stream::printed(Origin::Program)
            }
        }
    }

    pub(crate) fn cmd_shell(&mut self, call: Call<'_>) -> Stream {
        let runs = |arg: &Arg| {
            let lower = arg.text.to_ascii_lowercase();
            let switch = lower.trim_start_matches('/');
            lower.starts_with('/') && switch.starts_with(['c', 'k', 'r'])
        };
        let Some(at) = call.args.iter().position(runs) else {
            let input = self.io.stdin.clone();
            return self.run_stream(&input, Dialect::Cmd, call, false);
        };
        let attached = call.args[at]
            .text
            .trim_start_matches('/')
            .get(1..)
            .unwrap_or_default();
        let mut text = joined(call.args.get(at + 1..).unwrap_or_default(), true);
        if !attached.is_empty() {
            text.text = format!("{attached} {}", text.text).into();
        }
        self.run_code(&text.text, text.unknown, Dialect::Cmd, call, false)
    }

    pub(crate) fn wsl(&mut self, call: Call<'_>) -> Stream {
        const LISTS: [&str; 9] = [
            "l", "list", "v", "install", "update", "status", "shutdown", "export", "import",
        ];
        let options = Grammar::wrapper("du", &["distribution", "user", "cd", "shell-type"]);
        let options = options.split(call.args);
        let lists = options.flags.iter().any(|flag| LISTS.contains(&flag.name));
        if lists || options.operands.is_empty() {
            return Stream::printed(Origin::Program);
        }
        let dialect = std::mem::replace(&mut self.dialect, Dialect::Bash);
        let mark = self.scope.mark();
        let output = self.command(options.operands, call.text);
        self.scope.undo_to(mark);
        self.dialect = dialect;
        output
    }
}

/// Parameters of PowerShell that take a value.
#[rustfmt::skip]
const VALUED: [&str; 9] = [
    "executionpolicy", "windowstyle", "inputformat", "outputformat", "workingdirectory",
    "configurationname", "custompipename", "psconsolefile", "settingsfile",
];

/// Arguments as one text again; what holds a blank gets its quotes back.
fn joined(args: &[Arg], quotes: bool) -> Arg {
    let mut text = Arg::default();
    for (index, arg) in args.iter().enumerate() {
        if index > 0 {
            text.text.push(' ');
        }
        let quoted = quotes && args.len() > 1 && arg.text.contains(' ');
        // cmd takes the quotes in front away, unless they are around the path of a program.
        let is_command = index == 0 && !is_path(&arg.text);
        if quoted && !is_command {
            text.join(&Arg {
                text: format!("\"{}\"", arg.text).into(),
                ..arg.clone()
            });
        } else {
            text.join(arg);
        }
    }
    text
}

/// Whether the first word of a text is a path.
fn is_path(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    first.contains('\\') || first.as_bytes().get(1) == Some(&b':')
}

/// Base64 of UTF-16, as `-EncodedCommand` takes it.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut n_bits) = (0_u32, 0);
    for letter in text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=')
    {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push(u8::try_from(bits >> n_bits & 0xff).ok()?);
        }
    }
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    if units.is_empty() || bytes.len() % 2 != 0 {
        return None;
    }
    String::from_utf16(&units)
        .ok()
        .map(|text| text.replace('\0', ""))
}
