//! Splits arguments into options and operands by a tool's own grammar.

use super::ir::Arg;
use smallvec::SmallVec;
use std::borrow::Cow;

/// Which options of a tool take a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Grammar {
    /// Letters whose value is attached or the next argument.
    pub(super) short: &'static str,
    /// Letters whose value can only be attached.
    pub(super) attached: &'static str,
    /// Long options whose value may be the next argument.
    pub(super) long: &'static [&'static str],
    /// Options end at the first operand, as wrappers have it.
    pub(super) operands_last: bool,
    /// Long options may be abbreviated.
    pub(super) gnu: bool,
}

/// An option as given.
#[derive(Clone, Debug)]
pub(super) struct Flag<'a> {
    /// Without dashes.
    pub(super) name: &'a str,
    is_long: bool,
    gnu: bool,
    pub(super) value: Option<Cow<'a, Arg>>,
    /// The index of the first argument behind it and its value.
    pub(super) behind: usize,
}

/// Options in their order.
type Flags<'a> = SmallVec<[Flag<'a>; 2]>;

#[derive(Debug, Default)]
pub(super) struct Options<'a> {
    pub(super) flags: Flags<'a>,
    pub(super) operands: &'a [Arg],
    mixed: SmallVec<[&'a Arg; 4]>,
    /// How many operands are in front of `--`, where it is.
    pub(super) n_before_dashes: Option<usize>,
}

impl Grammar {
    pub(super) const fn of(short: &'static str, long: &'static [&'static str]) -> Self {
        Self {
            short,
            attached: "",
            long,
            operands_last: false,
            gnu: false,
        }
    }

    /// The grammar of a tool whose long options may be abbreviated.
    pub(super) const fn gnu(short: &'static str, long: &'static [&'static str]) -> Self {
        Self {
            gnu: true,
            ..Self::of(short, long)
        }
    }

    /// The grammar of a tool that runs its operands as a command.
    pub(super) const fn wrapper(short: &'static str, long: &'static [&'static str]) -> Self {
        Self {
            operands_last: true,
            gnu: true,
            ..Self::of(short, long)
        }
    }

    pub(super) fn split<'a>(&self, args: &'a [Arg]) -> Options<'a> {
        let mut options = Options::default();
        let mut index = 0;
        while let Some(arg) = args.get(index) {
            index += 1;
            let n_flags = options.flags.len();
            let text = arg.text.as_str();
            if text == "--" {
                options.n_before_dashes = Some(options.mixed.len());
                options.mixed.extend(&args[index..]);
                break;
            }
            if let Some(name) = text.strip_prefix("--") {
                index +=
                    usize::from(self.long_flag(name, arg, args.get(index), &mut options.flags));
            } else if text.len() > 1 && text.starts_with('-') {
                index += usize::from(self.letters(arg, args.get(index), &mut options.flags));
            } else if self.operands_last {
                index -= 1;
                break;
            } else {
                options.mixed.push(arg);
            }
            for flag in &mut options.flags[n_flags..] {
                flag.behind = index;
            }
        }
        options.operands = if self.operands_last {
            &args[index.min(args.len())..]
        } else {
            &[]
        };
        options
    }

    /// Takes a long option and says whether the next argument is its value.
    fn long_flag<'a>(
        &self,
        name: &'a str,
        arg: &Arg,
        next: Option<&'a Arg>,
        flags: &mut Flags<'a>,
    ) -> bool {
        if let Some((name, value)) = name.split_once('=') {
            let value = Cow::Owned(arg.with_text(value));
            flags.push(self.flag(name, true, Some(value)));
            return false;
        }
        let takes = self.long.iter().any(|long| names(name, long, self.gnu));
        let value = next.filter(|_| takes).map(Cow::Borrowed);
        let taken = value.is_some();
        flags.push(self.flag(name, true, value));
        taken
    }

    fn flag<'a>(&self, name: &'a str, is_long: bool, value: Option<Cow<'a, Arg>>) -> Flag<'a> {
        Flag {
            name,
            is_long,
            gnu: self.gnu,
            value,
            behind: 0,
        }
    }

    /// Takes a bundle of letters and says whether the next argument is the value of the last one.
    fn letters<'a>(&self, arg: &'a Arg, next: Option<&'a Arg>, flags: &mut Flags<'a>) -> bool {
        let text = &arg.text[1..];
        for (at, letter) in text.char_indices() {
            let rest = &text[at + letter.len_utf8()..];
            let name = &text[at..at + letter.len_utf8()];
            if self.attached.contains(letter) {
                let value = (!rest.is_empty()).then(|| Cow::Owned(arg.with_text(rest)));
                flags.push(self.flag(name, false, value));
                return false;
            }
            if self.short.contains(letter) {
                let attached = !rest.is_empty();
                let value = if attached {
                    Some(Cow::Owned(arg.with_text(rest)))
                } else {
                    next.map(Cow::Borrowed)
                };
                flags.push(self.flag(name, false, value));
                return !attached && next.is_some();
            }
            flags.push(self.flag(name, false, None));
            // The rest of a very long argument is no bundle of letters.
            if at > 64 {
                break;
            }
        }
        false
    }
}

impl<'a> Options<'a> {
    /// The operands of a tool that allows options behind them.
    pub(super) fn files(&self) -> &[&'a Arg] {
        &self.mixed
    }

    pub(super) fn has(&self, short: &str, long: &str) -> bool {
        self.flags.iter().any(|flag| flag.is(short, long))
    }

    /// Whether an option holds that a later `--no-…` may take back.
    pub(super) fn holds(&self, short: &str, long: &str) -> bool {
        let mut flags = self.flags.iter().rev();
        let last = flags.find(|flag| flag.is(short, long) || flag.undoes(long));
        last.is_some_and(|flag| !flag.undoes(long))
    }

    pub(super) fn value(&self, short: &str, long: &str) -> Option<&Arg> {
        self.flags
            .iter()
            .rev()
            .find(|flag| flag.is(short, long))
            .and_then(|flag| flag.value.as_deref())
    }

    pub(super) fn values<'s>(
        &'s self,
        short: &'s str,
        long: &'s str,
    ) -> impl Iterator<Item = &'s Arg> {
        self.flags
            .iter()
            .filter(move |flag| flag.is(short, long))
            .filter_map(|flag| flag.value.as_deref())
    }
}

impl Flag<'_> {
    /// `--no-long`
    fn undoes(&self, long: &str) -> bool {
        self.is_long && self.name.strip_prefix("no-") == Some(long)
    }

    /// Whether this is the option with one of these letters, or this long name.
    pub(super) fn is(&self, short: &str, long: &str) -> bool {
        if self.is_long {
            names(self.name, long, self.gnu)
        } else {
            short.contains(self.name)
        }
    }
}

/// Whether a long option may be written like this.
fn names(name: &str, long: &str, gnu: bool) -> bool {
    !long.is_empty() && (name == long || (gnu && name.len() >= 3 && long.starts_with(name)))
}
