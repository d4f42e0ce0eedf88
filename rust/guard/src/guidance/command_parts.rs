//! Reads the target of a test run and the query of a search out of a command, where that is easy.
//!
//! A guess that is wrong costs a worse suggestion and nothing else, so only the plain cases are
//! read. What a program's operands are is in its row of the shell's tables.

use crate::shell::{Suggestion, suggestion};

/// The words of a simple command, quotes removed; operators and what follows them are cut off.
pub(super) fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_with(String::new);
                for inner in letters.by_ref().take_while(|inner| *inner != c) {
                    word.push(inner);
                }
            }
            '\\' => word.get_or_insert_with(String::new).extend(letters.next()),
            '|' | ';' | '&' | '<' | '>' | '(' | ')' | '\n' => break,
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_with(String::new).push(c),
        }
    }
    words.extend(word);
    words
}

/// What a test command is to run: a class, a file, a pattern.
pub(super) fn test_target(command: &str) -> Option<String> {
    let words = split(command);
    let by_flag = words.iter().enumerate().find_map(|(at, word)| {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), words.get(at + 1).cloned()),
        };
        matches!(
            flag,
            "--tests" | "-Dtest" | "--filter" | "-k" | "-run" | "-t"
        )
        .then_some(value)
        .flatten()
    });
    by_flag
        .or_else(|| by_operand(&words))
        .filter(|target| is_target(target))
}

/// What follows a word whose first operand is what is run: a runner, a subcommand, a module of Python's.
fn by_operand(words: &[String]) -> Option<String> {
    let mut programs = words.iter().map(|word| suggestion(word));
    let has_subcommand = programs.any(|said| said == Some(Suggestion::FirstBehindTest));
    let at = words.iter().position(|word| match base(word) {
        "unittest" => true,
        "test" => has_subcommand,
        name => suggestion(name) == Some(Suggestion::FirstTest),
    })?;
    let operand = words[at + 1..]
        .iter()
        .take_while(|word| *word != "--")
        .next()?;
    (!operand.starts_with('-')).then(|| operand.clone())
}

fn is_target(target: &str) -> bool {
    let is_usual = |c: char| c.is_alphanumeric() || "._-/:*#,@[]".contains(c);
    !target.is_empty() && target.len() <= 120 && target.chars().all(is_usual) && target != "./..."
}

/// What a search command looks for.
pub(super) fn query(command: &str) -> Option<String> {
    let words = split(command);
    let mut words = words.iter().peekable();
    let program = words.next()?;
    if suggestion(base(program)) == Some(Suggestion::QueryBehindFirst) {
        words.next();
    }
    let mut query = None;
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" | "--regexp" | "-Pattern" => return words.next().cloned(),
            "-A" | "-B" | "-C" | "-m" | "-g" | "-t" | "--glob" | "--type" | "--include"
            | "-Path" => {
                words.next();
            }
            word if word.starts_with('-') || (word.starts_with('/') && word.len() == 2) => {}
            _ if query.is_none() => query = Some(word.clone()),
            _ => {}
        }
    }
    query.filter(|query| !query.is_empty())
}

/// True when a search command says that it looks for plain text.
pub(super) fn is_plain_search(command: &str) -> bool {
    let words = split(command);
    let program = words.first().and_then(|word| suggestion(base(word)));
    program == Some(Suggestion::PlainQuery)
        || words
            .iter()
            .any(|word| matches!(word.as_str(), "-F" | "--fixed-strings"))
}

/// The name that a find command looks for.
pub(super) fn file_pattern(command: &str) -> Option<String> {
    let words = split(command);
    let by_flag = words.iter().enumerate().find_map(|(at, word)| {
        matches!(
            word.as_str(),
            "-name" | "-iname" | "-path" | "-Filter" | "-Include" | "-g" | "--glob"
        )
        .then(|| words.get(at + 1).cloned())
        .flatten()
    });
    by_flag.or_else(|| {
        let (program, operands) = words.split_first()?;
        if suggestion(base(program)) != Some(Suggestion::FirstName) {
            return None;
        }
        operands.iter().find(|word| !word.starts_with('-')).cloned()
    })
}

/// The name of a program without its folder.
fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_of_a_test_run_is_read_where_it_is_plain() {
        for (command, want) in [
            ("./gradlew test", None),
            (
                "./gradlew test --tests 'com.x.AppTest'",
                Some("com.x.AppTest"),
            ),
            ("mvn -q -Dtest=AppTest#works test", Some("AppTest#works")),
            ("cargo test parse_line", Some("parse_line")),
            ("cargo test -p wire", None),
            ("cargo test -- --nocapture", None),
            (
                "pytest tests/test_a.py::test_b -q",
                Some("tests/test_a.py::test_b"),
            ),
            ("python -m pytest tests", Some("tests")),
            ("python -m unittest a.B", Some("a.B")),
            ("go test ./pkg/a", Some("./pkg/a")),
            ("go test ./...", None),
            ("npx jest src/a.test.ts", Some("src/a.test.ts")),
            ("dotnet test --filter Name", Some("Name")),
            ("pytest $(cat list)", None),
            ("pytest \"$TARGET\"", None),
            ("npm test", None),
        ] {
            assert_eq!(test_target(command).as_deref(), want, "{command}");
        }
    }

    #[test]
    fn the_query_of_a_search_is_read_where_it_is_plain() {
        for (command, want) in [
            ("grep -rn 'int x' src", Some("int x")),
            ("rg -g '*.rs' foo", Some("foo")),
            ("git grep -n foo", Some("foo")),
            ("grep -e foo a", Some("foo")),
            ("Select-String -Path *.cs -Pattern foo", Some("foo")),
            ("findstr /s foo *.c", Some("foo")),
            ("grep", None),
            ("", None),
        ] {
            assert_eq!(query(command).as_deref(), want, "{command}");
        }
        assert_eq!(
            file_pattern("find . -name '*.rs' -type f").as_deref(),
            Some("*.rs")
        );
        assert_eq!(file_pattern("fd -H main").as_deref(), Some("main"));
        assert_eq!(file_pattern("find ."), None);
    }
}
