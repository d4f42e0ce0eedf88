//! Texts of any size that are hard on an analysis: one thing over and over, or inside of itself; and short texts
//! that mean very much.

mod pieces;

use siderail_shell::Dialect;
use std::fmt::Write;

/// A way to make a text of any size.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What it is, for people.
    pub name: &'static str,
    /// The shell that would run it.
    pub dialect: Dialect,
    unit: Unit,
}

#[derive(Clone, Copy, Debug)]
enum Unit {
    /// A text again and again.
    Repeated(&'static str),
    /// A text again and again between two others.
    Between(&'static str, &'static str, &'static str),
    /// An opening as often as its closing, around a command.
    Nested(&'static str, &'static str),
    /// A text with a number of its own in place of each `@`; `~` is the number before, and `^` counts down.
    Numbered(&'static str),
}

/// As many digits as all numbers have that are counted down in a text of a few megabytes.
const COUNT_FROM: usize = 9_999_999;

impl Shape {
    /// The text of about this many bytes.
    pub fn text(&self, bytes: usize) -> String {
        match self.unit {
            Unit::Repeated(unit) => unit.repeat(bytes / unit.len()),
            Unit::Between(before, unit, behind) => {
                format!("{before}{}{behind}", unit.repeat(bytes / unit.len()))
            }
            Unit::Nested(open, close) => {
                let depth = bytes / (open.len() + close.len());
                format!("{}cat a{}", open.repeat(depth), close.repeat(depth))
            }
            Unit::Numbered(unit) => {
                let mut text = String::new();
                for number in 1_usize.. {
                    if text.len() >= bytes {
                        break;
                    }
                    let unit = unit.replace('@', &number.to_string());
                    let unit = unit.replace('~', &(number - 1).to_string());
                    text.push_str(&unit.replace('^', &(COUNT_FROM - number).to_string()));
                }
                text
            }
        }
    }
}

const fn shape(name: &'static str, dialect: Dialect, unit: Unit) -> Shape {
    Shape {
        name,
        dialect,
        unit,
    }
}

/// All shapes.
pub fn all() -> Vec<Shape> {
    use Dialect::{Bash, Cmd, Fish, PowerShell};
    use Unit::{Between, Nested, Numbered, Repeated};
    let bash = |name, unit| shape(name, Bash, unit);
    let mut shapes = vec![
        bash("subshells, open", Repeated("(")),
        bash("subshells", Nested("( ", " )")),
        bash("substitutions, open", Repeated("$(")),
        bash("substitutions in quotes", Nested("\"$(", ")\"")),
        bash("arithmetic, open", Repeated("$((")),
        bash("arithmetic or not", Nested("$((", ") )")),
        bash("arithmetic loops", Repeated("for((")),
        bash("backticks", Repeated("`a ")),
        bash("escaped backticks", Repeated("\\`")),
        bash("quotes", Repeated("\"'")),
        bash("ANSI quotes", Repeated("$'\\x61'")),
        bash("escaped line breaks", Repeated("a\\\n")),
        bash("parameters, open", Repeated("${a:-")),
        bash("parameters", Nested("${a:-", "}")),
        bash("subscripts", Repeated("a[")),
        bash("here-documents", Repeated("cat <<E\nx\nE\n")),
        bash("here-documents of one line", Repeated("<<E ")),
        bash(
            "here-documents inside of each other",
            Numbered("cat <<E@\n$("),
        ),
        bash("here-strings", Repeated("<<<a ")),
        bash("here-strings, shared", Repeated("<<<a 3<&0 ")),
        bash("braces, open", Repeated("{a,")),
        bash("braces", Nested("{a,", "}")),
        bash("braces, many", Repeated("{a,b} ")),
        bash("brace ranges", Repeated("{1..9}")),
        bash("groups", Nested("{ ", "; }")),
        bash("case", Repeated("case x in x) ")),
        bash("case items", Repeated("case x in x) a;; esac; ")),
        bash("if", Repeated("if a; then ")),
        bash("elif", Repeated("if a; then b; elif c; then ")),
        bash("loops", Repeated("for i in 1 2 3; do ")),
        bash("functions inside of each other", Repeated("f() { ")),
        bash(
            "functions that call the last one",
            Numbered("f@() { f~; }; "),
        ),
        bash("redirections", Repeated("<a >b ")),
        bash("process substitutions", Repeated("<(a ")),
        bash("lists", Repeated("a&&a||")),
        bash("pipes", Repeated("a|")),
        bash("commands", Repeated("a;")),
        bash("findings", Repeated("cat a;")),
        bash("findings, all different", Numbered("cat a@;")),
        bash("searches", Repeated("find . -exec ")),
        bash("wrappers", Repeated("env ")),
        bash("wrappers with options", Repeated("sudo -u a nice -n 1 ")),
        bash("xargs", Repeated("xargs -I{} ")),
        bash("xargs in a pipe", Repeated("echo a | xargs ")),
        bash("eval", Repeated("eval ")),
        bash("shells", Repeated("bash -c \"")),
        bash("a long word", Repeated("a")),
        bash("long patterns", Repeated("*?[a")),
        bash("many words", Repeated("a ")),
        bash("variables that grow", Repeated("a=$a$a;")),
        bash("variables of variables", Numbered("a@=$a~;")),
        bash("variables, names descending", Numbered("a^=;")),
        bash("variables, used", Repeated("$a")),
        bash("folders", Repeated("cd a;")),
        bash("folders up", Repeated("cd ..;")),
        bash("tests", Repeated("[[ a && ")),
        bash("comments", Repeated("# a\n")),
        bash("scripts of python", Repeated("python -c '")),
        bash("one script of python", Nested("open(", ")")),
        bash("noise", Repeated("\u{fffd}\"$(`{<")),
        shape("PowerShell brackets", PowerShell, Repeated("(")),
        shape("PowerShell blocks", PowerShell, Nested("& { ", " }")),
        shape("PowerShell strings", PowerShell, Repeated("\"$(")),
        shape("PowerShell pipes", PowerShell, Repeated("a|%{")),
        shape("PowerShell here-strings", PowerShell, Repeated("@'\n")),
        shape("PowerShell variables", PowerShell, Repeated("$a=$a+$a;")),
        shape("PowerShell commands", PowerShell, Repeated("gc a;")),
        shape("cmd brackets", Cmd, Repeated("(")),
        shape("cmd carets", Cmd, Repeated("^")),
        shape("cmd variables", Cmd, Repeated("%a%")),
        shape("cmd loops", Cmd, Repeated("for %i in (a) do ")),
        shape("cmd commands", Cmd, Repeated("type a&")),
        shape("fish brackets", Fish, Repeated("(")),
        shape("fish blocks", Fish, Nested("begin; ", "; end")),
        shape("fish variables", Fish, Repeated("set a $a $a;")),
        shape("fish commands", Fish, Repeated("cat a;")),
    ];
    let alone = pieces::ALONE.iter();
    shapes.extend(alone.map(|&(dialect, unit)| shape(unit, dialect, Repeated(unit))));
    let between = pieces::BETWEEN.iter();
    shapes
        .extend(between.map(|&(before, unit, behind)| bash(before, Between(before, unit, behind))));
    shapes
}

/// Short texts that unfold into very much, with their names.
pub fn bombs() -> Vec<(&'static str, String)> {
    let mut variables = "a=xx;".to_owned();
    let mut functions = "f0() { cat a; };".to_owned();
    let mut aliases = "alias a0=cat\n".to_owned();
    for number in 1..40 {
        variables.push_str("a=$a$a$a$a;");
        let before = number - 1;
        // Writing to a String cannot fail.
        let _ = write!(
            functions,
            "f{number}() {{ f{before}; f{before}; f{before}; }};"
        );
        let _ = writeln!(aliases, "alias a{number}='a{before}; a{before}; a{before}'");
    }
    let loops = "for i in 1 2 3 4 5 6 7 8 9; do ".repeat(40);
    vec![
        ("variables that grow", format!("{variables} echo $a")),
        ("functions that call", format!("{functions} f39")),
        ("aliases of aliases", format!("{aliases}a39")),
        (
            "loops in loops",
            format!("{loops} cat a; {}", "done; ".repeat(40)),
        ),
        (
            "braces times braces",
            format!("echo {}", "{1..9}".repeat(40)),
        ),
        ("a long range", "echo {1..999999999}".to_owned()),
        (
            "lists that grow",
            "a=(x x); ".to_owned() + &"a=(\"${a[@]}\" \"${a[@]}\"); ".repeat(60) + "echo ${a[@]}",
        ),
        (
            "arguments that grow",
            "set -- x x; ".to_owned() + &"set -- \"$@\" \"$@\"; ".repeat(60) + "cat $@",
        ),
        (
            "eval of what grows",
            "a='echo x;';".to_owned() + &"a=\"$a$a\";".repeat(40) + "eval \"$a\"",
        ),
        (
            "printf of what grows",
            "a=xx;".to_owned() + &"a=$(printf %s%s \"$a\" \"$a\");".repeat(40) + "echo $a",
        ),
        (
            "a function of itself",
            "f() { f | f; f & f; }; f".to_owned(),
        ),
        ("a function of itself, for ever", ":(){ :|:& };:".to_owned()),
        (
            "functions in a ring",
            "f(){ g; g; }; g(){ h; h; }; h(){ i; i; }; i(){ j; j; }; j(){ f; f; }; f".to_owned(),
        ),
        (
            "aliases of themselves",
            "alias a='a a a'; alias b='a b a b'; a b a b".to_owned(),
        ),
        (
            "a variable of itself",
            "X='eval \"$X\"'; eval \"$X\"".to_owned(),
        ),
        (
            "a trap in a trap",
            "trap 'trap \"trap x EXIT\" EXIT' EXIT".to_owned(),
        ),
        (
            "arithmetic of itself",
            "x='x[x]+x[x]+x[x]'; y='x+x+x+y+y[x]'; echo $((y))".to_owned(),
        ),
        (
            "subscripts that are none",
            "x='a[a[a[a[a[a['; ".to_owned() + &"echo $((x+x+x+x)); ".repeat(60),
        ),
        (
            "folders that grow",
            "cd a; ".to_owned() + &"cd $PWD/$PWD; ".repeat(60) + "cat a",
        ),
        (
            "replaced text that grows",
            "a=xx;".to_owned() + &"a=${a//x/xx};".repeat(60) + "echo $a",
        ),
    ]
}
