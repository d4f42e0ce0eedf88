//! How the end of an agent that nobody asked to end is worded, in a session and in a recording of one.

use siderail_acp::process::Exit;

/// What a person reads of an agent that is gone. `exit`: none where its process was not waited for.
pub fn left(exit: Option<Exit>) -> String {
    let how = match exit.map(|exit| (exit.code, exit.signal)) {
        Some((Some(code), _)) => format!("exited with code {code}"),
        Some((None, Some(signal))) => format!("killed by signal {signal}"),
        Some((None, None)) => "unknown exit status".to_owned(),
        None => return "the agent closed its output".to_owned(),
    };
    format!("the agent ended unexpectedly ({how})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_says_the_code_or_the_signal_as_far_as_they_are_known() {
        for (code, signal, how) in [
            (Some(7), None, "exited with code 7"),
            (None, Some(9), "killed by signal 9"),
            (None, None, "unknown exit status"),
        ] {
            let expected = format!("the agent ended unexpectedly ({how})");
            assert_eq!(left(Some(Exit { code, signal })), expected);
        }
        assert_eq!(left(None), "the agent closed its output");
    }
}
