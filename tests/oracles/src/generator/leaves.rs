//! The innermost parts: planted commands in many spellings, harmless commands, decoys, and odd syntax.

use super::{Piece, Planted, Writer};
use siderail_shell::FindingKind;

/// A program, what follows its name before and behind the file, and what it is.
const COMMANDS: [(&str, &str, &str, FindingKind); 8] = [
    ("cat", "", "", FindingKind::Read),
    ("head", "-3 ", "", FindingKind::Read),
    ("sed", "-n 1p ", "", FindingKind::Read),
    ("grep", "-n needle ", "", FindingKind::SearchText),
    ("rm", "-f ", "", FindingKind::Destructive),
    ("ls", "-l ", "", FindingKind::ListFolder),
    ("find", "", " -name needle", FindingKind::FindFile),
    ("sed", "-i s/a/b/ ", "", FindingKind::Write),
];

/// Harmless words and characters that parsers stumble over.
const ODD: [&str; 26] = [
    "echo w",
    "true",
    "wc -l ok.txt",
    "echo $((1 << 2))",
    "(( y = 1 << 2 ))",
    "[[ a < b ]]",
    "echo a\\<\\<b",
    "echo \"${x#\\#}\" ${#x}",
    "echo $'it\\'s' \"it's\" 'it\"s'",
    "echo a#b \\# \"#\"",
    "x=${y:-\"a}b\"}",
    "echo {a,b}{1..3}",
    "echo \"$(echo \")\")\"",
    "echo $(echo ')')",
    "echo \"`echo ok`\" `echo a` `echo b`",
    "case y in \"a)\") ;; esac",
    "echo ${x/\\//_} ${x//[)]/}",
    "wc -l <<< \"EOF\"",
    "echo done if then fi esac }",
    "echo \"}\" '{' \\{",
    "echo ${x:+`true`} ${x%%*(y)}",
    "printf '%s\\n' \"${list[@]:1}\"",
    "echo \\\n  w",
    "{ echo w; } 2>&1 >/dev/null",
    "{ ! true; }",
    "x=1 y='a b' true",
];

/// What may be in front of a command. None of it reads: behind a pipe that would feed decoys to the command.
const WRAPPERS: [&str; 13] = [
    "env",
    "sudo",
    "sudo -u me",
    "doas",
    "nohup",
    "stdbuf -oL",
    "setsid",
    "time -p",
    "sudo env X=1 nice",
    "busybox",
    "ionice -c 3",
    "X=1",
    "/usr/bin/env",
];

impl Writer {
    pub(super) fn leaf(&mut self) -> Piece {
        match self.random.below(10) {
            0..5 => self.planted(),
            5 => self.decoy(),
            6 => self.written(),
            _ => Piece::new(*self.random.pick(&ODD)),
        }
    }

    /// Notes a command that is being written, as what it is here, and gives its file.
    fn note(&mut self, name: &'static str, kind: FindingKind, bare: bool) -> String {
        let letter = if self.dead { 'd' } else { 'm' };
        let marker = format!("{}.txt", self.name(letter));
        if !self.dead {
            self.program.planted.push(Planted {
                name,
                marker: marker.clone(),
                kind,
                bare: bare && !self.hidden,
            });
        }
        marker
    }

    fn planted(&mut self) -> Piece {
        let (name, before, behind, kind) = *self.random.pick(&COMMANDS);
        let disguise = self.random.below(26);
        let bare = disguise < 18;
        let marker = self.note(name, kind, bare);
        let (first, rest) = name.split_at(1);
        let spelled = match disguise {
            0..9 => name.to_owned(),
            9 => format!("{first}\\{rest}"),
            10 => format!("'{name}'"),
            11 => format!("\"{name}\""),
            12 => format!("{first}''{rest}"),
            13 => format!("$'{name}'"),
            14 => format!("$'{first}\\x{:02x}'{}", rest.as_bytes()[0], &rest[1..]),
            15 => format!("{first}\\\n{rest}"),
            16 => format!("\\{name}"),
            17 => format!("2>/dev/null {name}"),
            18 => format!("command {name}"),
            19 => format!("env -u X Y=1 {name}"),
            20 => format!("nice -n 5 {name}"),
            21 => format!("timeout 5 {name}"),
            22 | 23 => format!("{} {name}", self.random.pick(&WRAPPERS)),
            24 => {
                let variable = self.name('v');
                let line =
                    format!("{{ {variable}={name}; ${variable} {before}{marker}{behind}; }}");
                return Piece::new(line);
            }
            _ => format!("$(echo {name})"),
        };
        let quoted = match self.random.below(4) {
            0 => format!("\"{marker}\""),
            1 => format!("./{marker}"),
            _ => marker,
        };
        Piece::new(format!("{spelled} {before}{quoted}{behind}"))
    }

    /// Text from the line that goes to a file.
    fn written(&mut self) -> Piece {
        let operator = *self.random.pick(&[">", ">>", ">|", "> "]);
        let marker = self.note("echo", FindingKind::Write, false);
        match self.random.below(3) {
            0 => Piece::new(format!("echo hi {operator}{marker}")),
            1 => Piece::new(format!("{operator}{marker} printf '%s' hi")),
            _ => self.document("cat <<", &format!(" {operator}{marker}"), "hi"),
        }
    }

    /// A command that is only text.
    fn decoy(&mut self) -> Piece {
        let decoy = format!("{}.txt", self.name('d'));
        let (name, before, ..) = *self.random.pick(&COMMANDS);
        let text = format!("{name} {before}{decoy}");
        match self.random.below(10) {
            0 => Piece::new(format!("echo '{text}'")),
            1 => Piece::new(format!("echo \"; {text};\"")),
            2 => Piece::new(format!(": {text}")),
            3 => Piece::new(format!("echo {text}")),
            4 => Piece::new(format!("true # ; {text}\ntrue")),
            5 => Piece::new(format!("x='$({text})'")),
            6 => Piece::new(format!("echo \"\\$({text})\" \\`{text}\\`")),
            7 => Piece::new(format!("echo a\\;{text}")),
            8 => self.document("wc -l <<'", "'", &format!("{text}\n$({text})")),
            _ => self.document("wc -l <<-\"", "\"", &format!("\t{text}\n\t`{text}`")),
        }
    }
}
