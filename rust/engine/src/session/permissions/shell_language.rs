//! In which shell's language a command line is written: the tool's name says it, else the platform.
//!
//! Knows no agent. A line that is read in the wrong language is judged for less than it does.

use siderail_guard::Tool;
use siderail_guard::action::Identity;
use siderail_guard::shell::Dialect;
use siderail_os::System;

/// The shell that a tool hands its command line to.
pub(in crate::session) fn dialect_of(tool: &Identity) -> Dialect {
    match tool {
        // The IDE's terminals start what people use.
        Identity::OwnTool(Tool::RunInTerminal) => USUAL,
        // `run_command` starts these, see `tools::command`.
        Identity::OwnTool(_) if System::HERE.is_windows() => Dialect::Cmd,
        Identity::OwnTool(_) => Dialect::Bash,
        Identity::Builtin(_) | Identity::OtherMcp { .. } | Identity::Unknown => {
            named(&tool.label()).unwrap_or(USUAL)
        }
    }
}

/// What agents, and the IDE's terminals, use where nothing says. PowerShell's aliases cover most of what cmd has.
const USUAL: Dialect = if System::HERE.is_windows() {
    Dialect::PowerShell
} else {
    Dialect::Bash
};

/// The shell that a tool is named after: `powershell`, `run_in_bash`, `local/pwsh`.
fn named(tool: &str) -> Option<Dialect> {
    let tool = tool.to_ascii_lowercase();
    let mut words = tool.split(|c: char| !c.is_ascii_alphanumeric());
    words.find_map(|word| match word {
        // A generic word for any shell.
        "sh" => None,
        word => Dialect::from_name(word),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_names_its_shell_is_read_in_that_shells_language() {
        let builtin = |name: &str| dialect_of(&Identity::Builtin(name.to_owned()));
        for (name, expected) in [
            ("powershell", Dialect::PowerShell),
            ("run_pwsh", Dialect::PowerShell),
            ("Bash", Dialect::Bash),
            ("cmd", Dialect::Cmd),
            ("fish", Dialect::Fish),
            ("shell", USUAL),
            ("run_shell_command", USUAL),
            ("command", USUAL),
        ] {
            assert_eq!(builtin(name), expected, "{name}");
        }
        assert_eq!(dialect_of(&Identity::Unknown), USUAL);
        let typed = Identity::OwnTool(Tool::RunInTerminal);
        assert_eq!(dialect_of(&typed), USUAL);
    }
}
