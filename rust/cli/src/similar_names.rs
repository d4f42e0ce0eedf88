//! The name that was probably meant, for hints.

/// How alike two names have to be, of 1.
const ALIKE: f64 = 0.75;

/// The known name that is most like what was typed, where one is.
pub(crate) fn meant<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    known
        .map(|name| (strsim::jaro_winkler(&typed, &name.to_lowercase()), name))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}

/// The beginning of a hint: what was probably meant, or nothing.
pub(crate) fn did_you_mean<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> String {
    match meant(typed, known) {
        Some(name) => format!("did you mean `{name}`? "),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = || ["claude", "codex", "gemini", "policy"].into_iter();
        assert_eq!(meant("cluade", known()), Some("claude"));
        assert_eq!(meant("Gemni", known()), Some("gemini"));
        assert_eq!(meant("whatever", known()), None);
    }
}
