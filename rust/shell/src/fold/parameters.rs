//! Variables and what `${…}` does with them.

use super::Folding;
use super::operations::changed;
use crate::analysis::Dialect;
use crate::budget::DEPTH_LIMIT;
use crate::ir::{Arg, Origin, Pattern, UNKNOWN};
use crate::judge::Judge;
use crate::scope::Variable;
use ecow::EcoString;
use siderail_syntax::bash;
use siderail_syntax::tree::{Operation, Parameter, Part, Word};
use std::rc::Rc;

/// What a name stands for.
enum Lookup {
    Unset,
    /// Set to nothing, which the operator takes for unset.
    Empty,
    One(Arg),
    Many(Rc<[Arg]>),
}

impl Judge<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        folding: &mut Folding<'_>,
        whole: bool,
    ) {
        let index = parameter.index.as_ref().map(|word| self.fold_one(word));
        if let Some(index) = &index {
            self.evaluate(&index.text);
        }
        let found = match self.lookup(&parameter.name, index.as_ref()) {
            Lookup::One(value) if parameter.empty_is_unset && value.text.is_empty() => {
                Lookup::Empty
            }
            found => found,
        };
        let quoted = parameter.quoted || whole;
        match (parameter.operation, found) {
            (Operation::Plain | Operation::Required, found) => {
                self.fold_one(&parameter.argument);
                self.fold_found(parameter, found, quoted, folding);
            }
            (Operation::Assign, Lookup::Unset | Lookup::Empty) => {
                let value = self.fold_one(&parameter.argument);
                self.scope
                    .set(&parameter.name, Variable::Scalar(value.clone()));
                self.fold_value(&value, quoted, folding);
            }
            (Operation::Default, Lookup::Unset | Lookup::Empty) => {
                self.fold_argument(&parameter.argument, quoted, folding);
            }
            (Operation::Alternative, Lookup::Empty) => {
                folding.begun |= quoted;
            }
            (Operation::Alternative, Lookup::Unset) => {
                // It may come from the environment, so its value may be there.
                let value = self.fold_one(&parameter.argument);
                if folding.begun || !quoted {
                    return;
                }
                folding.unknown(value.unknown.unwrap_or(Origin::Variable));
            }
            (Operation::Alternative, _) => {
                self.fold_argument(&parameter.argument, quoted, folding);
            }
            (Operation::Default | Operation::Assign, found) => {
                self.fold_one(&parameter.argument);
                self.fold_found(parameter, found, quoted, folding);
            }
            (_, Lookup::One(value)) => self.fold_changed(parameter, value, quoted, folding),
            (Operation::Slice, Lookup::Many(list)) => {
                let argument = self.fold_one(&parameter.argument);
                self.evaluate(&argument.text);
                let of_arguments = matches!(parameter.name.as_str(), "@" | "*");
                match argument
                    .known()
                    .and_then(|text| part_of(&list, text, of_arguments))
                {
                    Some(part) => self.fold_list(part, quoted, folding),
                    None => folding.unknown(Origin::Variable),
                }
            }
            (_, found) => {
                self.fold_one(&parameter.argument);
                let origin = match found {
                    Lookup::Many(list) => list.iter().filter_map(|arg| arg.unknown).max(),
                    _ => None,
                };
                folding.unknown(origin.unwrap_or(Origin::Variable));
            }
        }
    }

    /// What an operation makes of a value.
    fn fold_changed(
        &mut self,
        parameter: &Parameter,
        value: Arg,
        quoted: bool,
        folding: &mut Folding<'_>,
    ) {
        match parameter.operation {
            Operation::Indirect => {
                self.evaluate_name(&value.text);
                let found = self.lookup(&value.text, None);
                return self.fold_found(parameter, found, quoted, folding);
            }
            Operation::Prompt => return self.fold_prompt(&value, quoted, folding),
            _ => {}
        }
        let argument = self.fold_one(&parameter.argument);
        if parameter.operation == Operation::Slice {
            self.evaluate(&argument.text);
        }
        match changed(parameter, &value, &argument) {
            Some(text) => self.fold_value(
                &Arg {
                    text: text.into(),
                    ..value
                },
                quoted,
                folding,
            ),
            None => folding.unknown(value.unknown.unwrap_or(Origin::Variable)),
        }
    }

    /// A value in which expansions are live.
    fn fold_prompt(&mut self, value: &Arg, quoted: bool, folding: &mut Folding<'_>) {
        let depth = self.budget.depth();
        match bash::parse_text(&value.text, depth, DEPTH_LIMIT) {
            Ok(word) if self.budget.pay(value.text.len()) => {
                let text = self.fold_one(&word);
                self.fold_value(&text, quoted, folding);
            }
            _ => folding.unknown(Origin::Variable),
        }
    }

    /// What follows `:-` and `:+`: its own quotes count, its blanks end words.
    fn fold_argument(&mut self, argument: &Word, quoted: bool, folding: &mut Folding<'_>) {
        if quoted {
            let value = self.fold_one(argument);
            return self.fold_value(&value, true, folding);
        }
        let separators = self.separators();
        for part in &argument.parts {
            match part {
                Part::Bare(text) => {
                    let unknown = text.contains(UNKNOWN).then_some(self.text_origin);
                    folding.split(&Arg::partly(text.as_str(), unknown), &separators);
                }
                part => {
                    let word = Word {
                        parts: [part.clone()].into(),
                    };
                    self.fold_parts(&word, folding, false);
                }
            }
        }
    }

    fn fold_found(
        &mut self,
        parameter: &Parameter,
        found: Lookup,
        quoted: bool,
        folding: &mut Folding<'_>,
    ) {
        match found {
            Lookup::Unset if self.is_no_argument(parameter, folding) => {}
            Lookup::Empty => folding.begun |= quoted,
            Lookup::Unset => folding.unknown(Origin::Variable),
            Lookup::One(value) if quoted && is_element(parameter) => {
                self.fold_value(&expanded(&value), quoted, folding);
            }
            Lookup::One(value) => self.fold_value(&value, quoted, folding),
            // In quotes each element stays one argument, as it does everywhere in fish.
            Lookup::Many(list) => {
                let keeps = quoted || self.dialect == Dialect::Fish;
                self.fold_list(&list, keeps, folding);
            }
        }
    }

    /// A word that is nothing but the name of a list: all of its elements in zsh, and the first of them in bash.
    pub(super) fn whole_list(&self, parameter: &Parameter) -> Option<Rc<[Arg]>> {
        let plain = parameter.operation == Operation::Plain && parameter.index.is_none();
        if !plain || parameter.quoted || self.dialect != Dialect::Bash {
            return None;
        }
        match self.scope.variable(&parameter.name)? {
            Variable::List(list) => Some(Rc::clone(list)),
            Variable::Scalar(_) | Variable::Reference(_) => None,
        }
    }

    /// Folds the elements of a list as arguments of their own.
    pub(super) fn fold_list(&mut self, list: &[Arg], quoted: bool, folding: &mut Folding<'_>) {
        if !self.budget.pay(10 * list.len()) {
            return;
        }
        for (index, value) in list.iter().enumerate() {
            if index > 0 {
                folding.end_argument();
            }
            if quoted && value.pattern == Pattern::Live {
                self.fold_value(&expanded(value), quoted, folding);
            } else {
                self.fold_value(value, quoted, folding);
            }
        }
    }

    /// A line has no positional parameters of its own: inside of a word they are nothing.
    fn is_no_argument(&self, parameter: &Parameter, folding: &Folding) -> bool {
        let all = matches!(parameter.name.as_str(), "@" | "*");
        let one = parameter.name.bytes().all(|byte| byte.is_ascii_digit()) && !parameter.quoted;
        (all || one) && !folding.current.text.is_empty() && self.scope.arguments().is_none()
    }

    fn fold_value(&mut self, value: &Arg, quoted: bool, folding: &mut Folding<'_>) {
        if !self.budget.pay(value.text.len() / 4) {
            folding.unknown(Origin::Variable);
        } else if quoted || matches!(self.dialect, Dialect::Fish | Dialect::PowerShell) {
            folding.keep(value);
        } else {
            let separators = self.separators();
            folding.split(value, &separators);
        }
    }

    fn separators(&self) -> EcoString {
        match self.scope.variable("IFS") {
            Some(Variable::Scalar(value)) if value.unknown.is_none() => value.text.clone(),
            _ => " \t\n".into(),
        }
    }

    fn lookup(&mut self, name: &str, index: Option<&Arg>) -> Lookup {
        if let Some(variable) = self.scope.variable(name) {
            return element(variable, index, self.dialect);
        }
        // PowerShell has its own names in small letters, and the environment's behind `env:`.
        let upper = match (self.dialect, name.strip_prefix("env:")) {
            (Dialect::PowerShell, Some(name)) => name.to_ascii_uppercase(),
            (Dialect::PowerShell, None) if matches!(name, "home" | "pwd" | "profile") => {
                name.to_ascii_uppercase()
            }
            (Dialect::PowerShell, None) if name == "null" => return Lookup::One(Arg::default()),
            (Dialect::PowerShell, None) if name == "true" => return Lookup::One(Arg::new("True")),
            (Dialect::PowerShell, None) if name == "false" => {
                return Lookup::One(Arg::new("False"));
            }
            (Dialect::PowerShell, None) => String::new(),
            _ => name.to_owned(),
        };
        let text = match upper.as_str() {
            "IFS" => " \t\n".to_owned(),
            "HOME" | "USERPROFILE" => self.places.home().to_owned(),
            "PWD" | "CD" => self.scope.cwd().to_string(),
            "OLDPWD" => self.scope.previous().to_string(),
            "TMPDIR" | "TEMP" | "TMP" => self.places.temporary().to_owned(),
            "SHELL" | "BASH" => "/bin/bash".to_owned(),
            "APPDATA" => format!("{}/AppData/Roaming", self.places.home()),
            "LOCALAPPDATA" => format!("{}/AppData/Local", self.places.home()),
            "WINDIR" | "SYSTEMROOT" => "c:/windows".to_owned(),
            "PROGRAMFILES" => "c:/program files".to_owned(),
            "PROGRAMDATA" => "c:/programdata".to_owned(),
            "PROFILE" => format!("{}/Documents/profile.ps1", self.places.home()),
            "COMSPEC" => "c:/windows/system32/cmd.exe".to_owned(),
            "@" | "*" => return self.scope.arguments().map_or(Lookup::Unset, Lookup::Many),
            _ => return self.positional(name),
        };
        let unknown = text.contains(UNKNOWN).then_some(Origin::Variable);
        Lookup::One(Arg {
            text: text.into(),
            unknown,
            ..Arg::default()
        })
    }

    fn positional(&self, name: &str) -> Lookup {
        let number = name
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        let (Some(number), Some(arguments)) = (number, self.scope.arguments()) else {
            return Lookup::Unset;
        };
        // Behind the last one there is nothing.
        Lookup::One(arguments.get(number).cloned().unwrap_or_default())
    }
}

/// Whether a parameter is an element of a list or an argument.
fn is_element(parameter: &Parameter) -> bool {
    parameter.index.is_some()
        || parameter
            .name
            .starts_with(|first: char| first.is_ascii_digit())
}

/// An element of a list, whose pattern became names when the list was made: quotes do not take that back.
fn expanded(value: &Arg) -> Arg {
    let mut value = value.clone();
    if value.pattern == Pattern::Live {
        value.pattern = Pattern::Carried;
    }
    value
}

fn element(variable: &Variable, index: Option<&Arg>, dialect: Dialect) -> Lookup {
    let list = match (variable, index) {
        (Variable::Scalar(value), _) => return Lookup::One(value.clone()),
        // Names that lead round in a circle.
        (Variable::Reference(_), _) => return Lookup::One(Arg::unknown(Origin::Variable)),
        (Variable::List(list), None) if dialect == Dialect::Fish => {
            return Lookup::Many(Rc::clone(list));
        }
        (Variable::List(list), None) => {
            return list
                .first()
                .map_or(Lookup::Unset, |a| Lookup::One(a.clone()));
        }
        (Variable::List(list), Some(_)) => list,
    };
    let Some(index) = index.and_then(Arg::known_or_star) else {
        return Lookup::One(Arg::unknown(Origin::Variable));
    };
    if index == "@" || index == "*" {
        return Lookup::Many(Rc::clone(list));
    }
    let first = usize::from(dialect == Dialect::Fish);
    let number = index
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(first));
    match number.and_then(|number| list.get(number)) {
        Some(value) => Lookup::One(value.clone()),
        None => Lookup::One(Arg::unknown(Origin::Variable)),
    }
}

/// `offset` or `offset:length` of a list. Arguments are counted from 1, before which the shell's own name comes.
fn part_of<'l>(list: &'l [Arg], slice: &str, of_arguments: bool) -> Option<&'l [Arg]> {
    let (offset, length) = match slice.split_once(':') {
        Some((offset, length)) => (offset, length.trim().parse().ok()?),
        None => (slice, usize::MAX),
    };
    let offset: usize = offset.trim().parse().ok()?;
    let start = if of_arguments {
        offset.checked_sub(1)?
    } else {
        offset
    };
    let rest = list.get(start..).unwrap_or_default();
    Some(&rest[..length.min(rest.len())])
}

impl Arg {
    /// The text of an index, in which a star is no pattern.
    fn known_or_star(&self) -> Option<&str> {
        self.unknown.is_none().then_some(self.text.as_str())
    }
}
