//! Pipelines and the compound commands of bash.

use super::{Parser, Result, Stop};
use crate::tree::{Arm, Loop, Node, Script, Simple, Trouble, Word};
use std::rc::Rc;

#[rustfmt::skip]
const OPENERS: [&str; 9] = ["if", "while", "until", "for", "select", "case", "function", "{", "[["];
#[rustfmt::skip]
const CLOSERS: [&str; 10] = ["then", "else", "elif", "fi", "do", "done", "esac", "}", "in", "]]"];

/// What a function without a name is called here.
const NAMELESS: &str = "(nameless)";

impl Parser<'_> {
    /// Pipelines joined by `&&` and `||`.
    pub(super) fn and_or(&mut self) -> Result<Node> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let Some(joined) = self.take_joined() else {
                break;
            };
            self.skip_to_command()?;
            rest.push((joined, self.pipeline()?));
        }
        Ok(Node::chain(first, rest))
    }

    fn pipeline(&mut self) -> Result<Node> {
        let mut is_negated = false;
        loop {
            self.skip_blanks();
            if self.take_reserved("time") {
                self.skip_blanks();
                if self.reserved_option("-p") {
                    self.skip_blanks();
                }
                if self.at_command_end() {
                    return Ok(Node::Evaluated(Vec::new()));
                }
            } else if self.take_reserved("!") {
                is_negated = !is_negated;
            } else {
                break;
            }
        }
        let node = self.stages()?;
        Ok(if is_negated {
            Node::Negated(Box::new(node))
        } else {
            node
        })
    }

    /// Commands joined by pipes.
    fn stages(&mut self) -> Result<Node> {
        let first = self.command()?;
        let mut stages = Vec::new();
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_at(1) == Some(b'|') {
                break;
            }
            self.position += if self.peek_at(1) == Some(b'&') { 2 } else { 1 };
            self.skip_to_command()?;
            self.take_reserved("!");
            stages.push(self.command()?);
        }
        if stages.is_empty() {
            return Ok(first);
        }
        stages.insert(0, first);
        Ok(Node::Pipe(stages))
    }

    fn reserved_option(&mut self, option: &str) -> bool {
        let after = self.peek_at(option.len());
        let found = self.starts_with(option) && after.is_none_or(|byte| b" \t\n;".contains(&byte));
        if found {
            self.position += option.len();
        }
        found
    }

    pub(super) fn at_command_end(&self) -> bool {
        let ends = |byte| matches!(byte, b'\n' | b';' | b'&' | b'|' | b')');
        self.peek().is_none_or(ends) && !self.at_both_redirect()
    }

    pub(super) fn at_both_redirect(&self) -> bool {
        self.starts_with("&>")
    }

    fn command(&mut self) -> Result<Node> {
        self.enter()?;
        self.skip_blanks();
        let node = match self.reserved() {
            Some("coproc") => self.coproc()?,
            Some(word) if OPENERS.contains(&word) => self.compound(word)?,
            Some(word) if CLOSERS.contains(&word) => {
                return Err(Trouble::Syntax("a reserved word in the wrong place"));
            }
            Some("repeat") => match self.repeat()? {
                Some(node) => node,
                None => self.simple()?,
            },
            _ if self.peek() == Some(b'(') => self.parenthesis()?,
            _ => self.simple()?,
        };
        self.leave();
        Ok(node)
    }

    fn coproc(&mut self) -> Result<Node> {
        self.take_reserved("coproc");
        self.skip_blanks();
        let start = self.position;
        // `coproc NAME { … }` names the pipe; a simple command has no name.
        self.take_name();
        self.skip_blanks();
        let opens = self.reserved().is_some_and(|word| OPENERS.contains(&word));
        if !opens && self.peek() != Some(b'(') {
            self.position = start;
        }
        let node = self.command()?;
        Ok(Node::subshell(Script { nodes: vec![node] }, Vec::new()))
    }

    fn compound(&mut self, word: &str) -> Result<Node> {
        match word {
            "if" => self.conditional(),
            "while" | "until" => self.repetition(word),
            "for" | "select" => self.iteration(word),
            "case" => self.case(),
            "function" => self.function_keyword(),
            "[[" => self.condition(),
            "{" => {
                self.take_reserved("{");
                let script = self.list(Stop::Words(&["}"]))?;
                self.expect_reserved("}", "a group without its end")?;
                self.skip_blanks();
                if self.take_reserved("always") {
                    return self.always(script);
                }
                Ok(Node::group(script, self.redirects()?))
            }
            _ => self.simple(),
        }
    }

    /// zsh's second group, which runs in any case.
    fn always(&mut self, first: Script) -> Result<Node> {
        self.skip_to_command()?;
        let groups = [first, self.braces()?].map(|script| Node::group(script, Vec::new()));
        let script = Script {
            nodes: groups.into(),
        };
        Ok(Node::group(script, self.redirects()?))
    }

    fn braces(&mut self) -> Result<Script> {
        self.expect_reserved("{", "a group without its begin")?;
        let script = self.list(Stop::Words(&["}"]))?;
        self.expect_reserved("}", "a group without its end")?;
        Ok(script)
    }

    fn conditional(&mut self) -> Result<Node> {
        self.take_reserved("if");
        let mut arms = Vec::new();
        loop {
            let condition = self.list(Stop::Words(&["then"]))?;
            if self.reserved() == Some("{") {
                return self.short_conditional(arms, condition);
            }
            self.expect_reserved("then", "an if without then")?;
            let body = self.list(Stop::Words(&["elif", "else", "fi"]))?;
            arms.push(Arm::when(condition, body));
            if !self.take_reserved("elif") {
                break;
            }
        }
        if self.take_reserved("else") {
            arms.push(Arm::otherwise(self.list(Stop::Words(&["fi"]))?));
        }
        self.expect_reserved("fi", "an if without its end")?;
        Ok(Node::conditional(arms, self.redirects()?))
    }

    /// zsh's `if [[ … ]] { … } elif [[ … ]] { … } else { … }`, at the first brace.
    fn short_conditional(&mut self, mut arms: Vec<Arm>, condition: Script) -> Result<Node> {
        arms.push(Arm::when(condition, self.braces()?));
        loop {
            self.skip_blanks();
            if self.take_reserved("else") {
                self.skip_to_command()?;
                arms.push(Arm::otherwise(self.braces()?));
            } else if self.take_reserved("elif") {
                let condition = self.list(Stop::Words(&["then"]))?;
                arms.push(Arm::when(condition, self.braces()?));
                continue;
            }
            return Ok(Node::conditional(arms, self.redirects()?));
        }
    }

    fn repetition(&mut self, word: &str) -> Result<Node> {
        self.take_reserved(word);
        let condition = self.list(Stop::Words(&["do"]))?;
        let body = self.body()?;
        let redirects = self.redirects()?;
        Ok(Node::Loop(Box::new(Loop {
            variable: None,
            condition,
            is_until: word == "until",
            body,
            redirects,
        })))
    }

    fn body(&mut self) -> Result<Script> {
        let (open, stop): (_, &'static [&'static str]) = if self.reserved() == Some("{") {
            ("{", &["}"])
        } else {
            ("do", &["done"])
        };
        self.expect_reserved(open, "a loop without its body")?;
        let body = self.list(Stop::Words(stop))?;
        self.expect_reserved(stop[0], "a loop without its end")?;
        Ok(body)
    }

    fn iteration(&mut self, word: &str) -> Result<Node> {
        self.take_reserved(word);
        self.skip_blanks();
        let mut evaluated = Vec::new();
        let mut is_short = false;
        let variable = if self.starts_with("((") {
            let head = self.double_brackets()?;
            let head = head.ok_or(Trouble::Syntax("arithmetic that never ends"))?;
            evaluated.push(head.evaluated());
            None
        } else {
            let name = self.word()?.literal().unwrap_or_default();
            if name.is_empty() {
                return Err(Trouble::Syntax("a loop without its variable"));
            }
            self.skip_to_command()?;
            let mut words = Vec::new();
            if self.take_reserved("in") {
                words = self.words_to_end()?;
            } else if self.peek() == Some(b'(') {
                // zsh's list in parentheses.
                self.position += 1;
                words = self.array()?;
                is_short = true;
            } else {
                // Without a list it runs over the arguments.
                words.push(self.arguments_word());
            }
            Some((name, words))
        };
        self.skip_blanks();
        if self.peek() == Some(b';') {
            self.position += 1;
        }
        self.skip_to_command()?;
        let has_braces = matches!(self.reserved(), Some("do" | "{"));
        let body = if is_short && !has_braces {
            let nodes = vec![self.and_or()?];
            Script { nodes }
        } else {
            self.body()?
        };
        let condition = Script {
            nodes: vec![Node::Evaluated(evaluated)],
        };
        let redirects = self.redirects()?;
        Ok(Node::Loop(Box::new(Loop {
            variable,
            condition,
            is_until: false,
            body,
            redirects,
        })))
    }

    fn words_to_end(&mut self) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if self.peek() == Some(b'#') {
                self.skip_comment();
            }
            if self.at_command_end() {
                return Ok(words);
            }
            words.push(self.word()?);
        }
    }

    fn case(&mut self) -> Result<Node> {
        self.take_reserved("case");
        self.skip_blanks();
        let words = vec![self.word()?];
        self.skip_to_command()?;
        self.expect_reserved("in", "a case without in")?;
        let mut arms = Vec::new();
        let mut patterns = Vec::new();
        loop {
            self.skip_to_command()?;
            if self.take_reserved("esac") {
                break;
            }
            if self.peek() == Some(b'(') {
                self.position += 1;
            }
            self.case_patterns(&mut patterns)?;
            let mut arm = Arm::otherwise(self.list(Stop::CaseItem)?);
            if self.peek() == Some(b';') {
                // `;&` runs the next arm, `;;&` may.
                arm.falls_through = self.starts_with(";&") || self.starts_with(";;&");
                self.position += 2;
                if self.peek() == Some(b'&') {
                    self.position += 1;
                }
            }
            arms.push(arm);
        }
        let fits_all = |pattern: &Word| pattern.bare() == Some("*");
        let redirects = self.redirects()?;
        Ok(Node::case(words, patterns, arms, fits_all, redirects))
    }

    fn case_patterns(&mut self, patterns: &mut Vec<Word>) -> Result<()> {
        loop {
            self.skip_blanks();
            patterns.push(self.word()?);
            self.skip_blanks();
            match self.peek() {
                Some(b'|') => self.position += 1,
                Some(b')') => break,
                _ => return Err(Trouble::Syntax("a case pattern without its end")),
            }
        }
        self.position += 1;
        Ok(())
    }

    fn function_keyword(&mut self) -> Result<Node> {
        self.take_reserved("function");
        self.skip_blanks();
        let name = self.word()?.literal().unwrap_or_default();
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            self.position += 1;
            self.skip_blanks();
            if self.peek() != Some(b')') {
                return Err(Trouble::Syntax("a function without its body"));
            }
            self.position += 1;
        }
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: String) -> Result<Node> {
        self.skip_to_command()?;
        let opens = self.reserved().is_some_and(|word| OPENERS.contains(&word));
        if !opens && self.peek() != Some(b'(') {
            return Err(Trouble::Syntax("a function without its body"));
        }
        let body = Rc::new(self.command()?);
        Ok(Node::Function { name, body })
    }

    /// zsh's function without a name, which is called at once: `() { … } words`.
    fn nameless_function(&mut self) -> Result<Node> {
        let start = self.position;
        self.position += 2;
        let function = self.function_body(NAMELESS.to_owned())?;
        let mut call = Simple::new(self.excerpt(start, self.position));
        call.words.push(Word::quoted(NAMELESS));
        call.words.extend(self.words_to_end()?);
        let nodes = vec![function, Node::Simple(Box::new(call))];
        Ok(Node::group(Script { nodes }, Vec::new()))
    }

    /// zsh's `repeat number { … }`, if it is one.
    fn repeat(&mut self) -> Result<Option<Node>> {
        let attempt = self.attempt();
        self.take_reserved("repeat");
        self.skip_blanks();
        let number = self.word()?;
        self.skip_blanks();
        let has_body = matches!(self.reserved(), Some("{" | "do"));
        let body = match has_body.then(|| self.body()) {
            Some(Ok(body)) => body,
            Some(Err(Trouble::TooDeep)) => return Err(Trouble::TooDeep),
            // One command, or braces that close without an end of the command in front.
            Some(Err(Trouble::Syntax(_))) | None => {
                self.give_up(attempt)?;
                return Ok(None);
            }
        };
        Ok(Some(Node::Loop(Box::new(Loop {
            variable: None,
            condition: Script {
                nodes: vec![Node::Evaluated(vec![number])],
            },
            is_until: false,
            body,
            redirects: self.redirects()?,
        }))))
    }

    fn parenthesis(&mut self) -> Result<Node> {
        if self.starts_with("()") {
            return self.nameless_function();
        }
        if let Some(word) = self.double_brackets()? {
            self.redirects()?;
            return Ok(Node::Evaluated(vec![word.evaluated()]));
        }
        self.position += 1;
        let script = self.list(Stop::Parenthesis)?;
        self.position += 1;
        Ok(Node::subshell(script, self.redirects()?))
    }

    /// `[[ … ]]`: nothing in it runs but substitutions.
    fn condition(&mut self) -> Result<Node> {
        self.take_reserved("[[");
        let mut words = Vec::new();
        loop {
            self.skip_to_command()?;
            if self.take_reserved("]]") {
                self.redirects()?;
                return Ok(Node::Evaluated(compared(words)));
            }
            match self.peek() {
                None => return Err(Trouble::Syntax("a condition without its end")),
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => words.push(self.word()?),
                Some(b';') => return Err(Trouble::Syntax("a condition without its end")),
                Some(b'(' | b')' | b'|' | b'&' | b'<' | b'>') => self.position += 1,
                Some(_) => words.push(self.word()?),
            }
        }
    }
}

/// Marks the words of a condition that are arithmetic: names behind `-v`, and what is compared as numbers.
fn compared(words: Vec<Word>) -> Vec<Word> {
    let role = |at: usize| words.get(at).and_then(Word::bare).unwrap_or_default();
    let compares = |at: usize| matches!(role(at), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
    let marked: Vec<bool> = (0..words.len())
        .map(|at| compares(at + 1) || at > 0 && (compares(at - 1) || role(at - 1) == "-v"))
        .collect();
    words
        .into_iter()
        .zip(marked)
        .map(|(word, is_arithmetic)| {
            if is_arithmetic {
                word.evaluated()
            } else {
                word
            }
        })
        .collect()
}
