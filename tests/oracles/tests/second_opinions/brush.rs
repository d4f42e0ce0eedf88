//! The commands that brush-parser sees in a bash text, behind [`super::gate`].

use super::gate;
use super::seen::{Opinion, Seen, unescape};
use brush_parser::ast::{
    AndOr, AndOrList, Assignment, AssignmentName, AssignmentValue, Command,
    CommandPrefixOrSuffixItem, CompoundCommand, CompoundList, ExtendedTestExpr,
    IoFileRedirectTarget, IoRedirect, Pipeline, RedirectList, SimpleCommand, Word,
};
use brush_parser::word::{Parameter, ParameterExpr, WordPiece, WordPieceWithSource};
use brush_parser::{ParserOptions, parse_tokens, uncached_tokenize_str, word};

/// How deep texts inside of texts are followed.
const DEPTH: usize = 24;

/// What brush thinks of a text.
pub(crate) fn opinion(text: &str) -> Opinion {
    let mut reader = Reader {
        options: ParserOptions::default(),
        seen: Vec::new(),
        trouble: None,
        depth: 0,
    };
    reader.text(text);
    match reader.trouble {
        None => Opinion::Seen(reader.seen),
        Some(trouble) => Opinion::Refused(trouble),
    }
}

struct Reader {
    options: ParserOptions,
    seen: Vec<Seen>,
    trouble: Option<String>,
    depth: usize,
}

impl Reader {
    fn text(&mut self, text: &str) {
        if let Some(why) = gate::refuses(text) {
            self.trouble.get_or_insert(format!("gate: {why}"));
            return;
        }
        if self.depth > DEPTH {
            self.trouble.get_or_insert("gate: depth".to_owned());
            return;
        }
        self.depth += 1;
        let tokens = uncached_tokenize_str(text, &self.options.tokenizer_options());
        let program = match tokens {
            Ok(tokens) => parse_tokens(&tokens, &self.options).map_err(|_| "syntax"),
            Err(_) => Err("tokens"),
        };
        match program {
            Ok(program) => program
                .complete_commands
                .iter()
                .for_each(|list| self.list(list)),
            Err(why) => {
                self.trouble.get_or_insert(why.to_owned());
            }
        }
        self.depth -= 1;
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.and_or(&item.0);
        }
    }

    fn and_or(&mut self, list: &AndOrList) {
        self.pipeline(&list.first);
        for next in &list.additional {
            match next {
                AndOr::And(pipeline) | AndOr::Or(pipeline) => self.pipeline(pipeline),
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        pipeline
            .seq
            .iter()
            .for_each(|command| self.command(command));
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.compound(compound);
                self.redirects(redirects.as_ref());
            }
            Command::Function(function) => {
                self.compound(&function.body.0);
                self.redirects(function.body.1.as_ref());
            }
            Command::ExtendedTest(test, redirects) => {
                self.test(&test.expr);
                self.redirects(redirects.as_ref());
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::Arithmetic(arithmetic) => self.pieces_of(&arithmetic.expr.value),
            CompoundCommand::ArithmeticForClause(clause) => {
                for part in [&clause.initializer, &clause.condition, &clause.updater]
                    .into_iter()
                    .flatten()
                {
                    self.pieces_of(&part.value);
                }
                self.list(&clause.body.list);
            }
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(clause) => {
                clause
                    .values
                    .iter()
                    .flatten()
                    .for_each(|word| self.word(word));
                self.list(&clause.body.list);
            }
            CompoundCommand::CaseClause(clause) => {
                self.word(&clause.value);
                for case in &clause.cases {
                    case.patterns.iter().for_each(|word| self.word(word));
                    case.cmd.iter().for_each(|list| self.list(list));
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| self.list(list));
                    self.list(&other.body);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0);
                self.list(&clause.1.list);
            }
            CompoundCommand::Coprocess(coprocess) => self.command(&coprocess.body),
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr) {
        match test {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner)
            }
            ExtendedTestExpr::UnaryTest(_, word) => self.word(word),
            ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.word(left);
                self.word(right);
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let mut words = Vec::new();
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        prefix.for_each(|item| self.item(item, &mut words));
        words.extend(simple.word_or_name.iter().map(|word| self.folded(word)));
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        suffix.for_each(|item| self.item(item, &mut words));
        if !words.is_empty() {
            self.seen.push(Seen(words));
        }
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: &mut Vec<Option<String>>) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect),
            CommandPrefixOrSuffixItem::Word(word) => {
                let folded = self.folded(word);
                words.push(folded);
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => self.assignment(assignment),
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                self.list(&subshell.list);
                words.push(None);
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        if let AssignmentName::ArrayElementName(_, index) = &assignment.name {
            self.pieces_of(index);
        }
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(items) => {
                for (index, word) in items {
                    index.iter().for_each(|word| self.word(word));
                    self.word(word);
                }
            }
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>) {
        redirects
            .iter()
            .flat_map(|list| &list.0)
            .for_each(|redirect| self.redirect(redirect));
    }

    fn redirect(&mut self, redirect: &IoRedirect) {
        match redirect {
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.list(&subshell.list)
            }
            IoRedirect::File(
                _,
                _,
                IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word),
            )
            | IoRedirect::HereString(_, word)
            | IoRedirect::OutputAndError(word, _) => self.word(word),
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => {}
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                match word::parse_heredoc(&document.doc.value, &self.options) {
                    Ok(pieces) => self.pieces(&pieces),
                    Err(_) => self.trouble = Some("document".to_owned()),
                }
            }
            IoRedirect::HereDocument(..) => {}
        }
    }

    fn word(&mut self, word: &Word) {
        self.pieces_of(&word.value);
    }

    fn pieces_of(&mut self, text: &str) {
        match word::parse(text, &self.options) {
            Ok(pieces) => self.pieces(&pieces),
            Err(_) => self.trouble = Some("word".to_owned()),
        }
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource]) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    self.pieces(inner);
                }
                WordPiece::CommandSubstitution(text)
                | WordPiece::BackquotedCommandSubstitution(text) => self.text(text),
                WordPiece::ArithmeticExpression(expression) => self.pieces_of(&expression.value),
                WordPiece::ParameterExpansion(expansion) => self.expansion(expansion),
                _ => {}
            }
        }
    }

    fn expansion(&mut self, expansion: &ParameterExpr) {
        use ParameterExpr as P;
        let (parameter, texts): (Option<&Parameter>, Vec<&str>) = match expansion {
            P::UseDefaultValues {
                parameter,
                default_value: text,
                ..
            }
            | P::AssignDefaultValues {
                parameter,
                default_value: text,
                ..
            }
            | P::IndicateErrorIfNullOrUnset {
                parameter,
                error_message: text,
                ..
            }
            | P::UseAlternativeValue {
                parameter,
                alternative_value: text,
                ..
            }
            | P::RemoveSmallestSuffixPattern {
                parameter,
                pattern: text,
                ..
            }
            | P::RemoveLargestSuffixPattern {
                parameter,
                pattern: text,
                ..
            }
            | P::RemoveSmallestPrefixPattern {
                parameter,
                pattern: text,
                ..
            }
            | P::RemoveLargestPrefixPattern {
                parameter,
                pattern: text,
                ..
            }
            | P::UppercaseFirstChar {
                parameter,
                pattern: text,
                ..
            }
            | P::UppercasePattern {
                parameter,
                pattern: text,
                ..
            }
            | P::LowercaseFirstChar {
                parameter,
                pattern: text,
                ..
            }
            | P::LowercasePattern {
                parameter,
                pattern: text,
                ..
            } => (Some(parameter), text.as_deref().into_iter().collect()),
            P::Substring {
                parameter,
                offset,
                length,
                ..
            } => {
                let length = length.iter().map(|length| length.value.as_str());
                (
                    Some(parameter),
                    [offset.value.as_str()].into_iter().chain(length).collect(),
                )
            }
            P::ReplaceSubstring {
                parameter,
                pattern,
                replacement,
                ..
            } => (
                Some(parameter),
                [pattern.as_str()]
                    .into_iter()
                    .chain(replacement.as_deref())
                    .collect(),
            ),
            P::Parameter { parameter, .. }
            | P::ParameterLength { parameter, .. }
            | P::Transform { parameter, .. } => (Some(parameter), Vec::new()),
            P::VariableNames { .. } | P::MemberKeys { .. } => (None, Vec::new()),
        };
        texts.into_iter().for_each(|text| self.pieces_of(text));
        if let Some(Parameter::NamedWithIndex { index, .. }) = parameter {
            self.pieces_of(index);
        }
    }

    /// Walks a word of a command, and gives its text where that is constant.
    fn folded(&mut self, word: &Word) -> Option<String> {
        match word::parse(&word.value, &self.options) {
            Ok(pieces) => {
                self.pieces(&pieces);
                constant(&pieces, false)
            }
            Err(_) => {
                self.trouble = Some("word".to_owned());
                None
            }
        }
    }
}

fn constant(pieces: &[WordPieceWithSource], quoted: bool) -> Option<String> {
    let mut text = String::new();
    for piece in pieces {
        match &piece.piece {
            WordPiece::Text(part) if quoted || !part.contains(['*', '?', '[', '{']) => {
                text.push_str(part)
            }
            WordPiece::SingleQuotedText(part) => text.push_str(part),
            WordPiece::AnsiCQuotedText(part) => text.push_str(&unescape(part)?),
            WordPiece::DoubleQuotedSequence(inner) => text.push_str(&constant(inner, true)?),
            WordPiece::EscapeSequence(part) => match part.strip_prefix('\\') {
                Some("\n") => {}
                Some(escaped) => text.push_str(escaped),
                None => return None,
            },
            _ => return None,
        }
    }
    Some(text)
}
