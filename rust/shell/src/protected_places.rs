//! Files and folders that are asked about even through our own tools, however their names are spelled.
//!
//! By name alone: where a path leads is not its business.

/// True for what is asked about even through our own tools: `.git`, `.idea`, module files of an IDE (which say what
/// belongs to the project), `.siderail.toml` and the configuration of agents, at any depth. `path` is split at `/` and
/// `\`.
pub fn is_protected(path: &str) -> bool {
    // `hooks` is one only behind this name.
    let mut is_github = false;
    path.split(['/', '\\']).any(|part| {
        if !is_github && !may_be(part) {
            return false;
        }
        let name = plain_name(part);
        let is_one = PROTECTED.contains(&name.as_str())
            || MODULES.iter().any(|ending| name.ends_with(ending))
            || (is_github && name == "hooks");
        is_github = name == ".github";
        is_one
    })
}

/// Files and folders that decide what runs in the project, or what agents may do in it.
#[rustfmt::skip]
pub const PROTECTED: [&str; 24] = [
    ".git", "git~1", ".idea", ".siderail.toml", ".siderail", ".claude", ".claude.json", ".mcp.json", ".copilot",
    ".codex", ".gemini", ".qwen", ".opencode", "opencode.json", "opencode.jsonc", ".vibe", ".openhands",
    ".fast-agent", "fastagent.config.yaml", "fastagent.secrets.yaml", ".junie", ".kiro", ".goose", ".cursor",
];

/// How the names of an IDE's module files end, and of the one file that an old project is.
const MODULES: [&str; 2] = [".iml", ".ipr"];

/// Whether something in a path may be such a file's name.
pub(crate) fn may_name_module(path: &str) -> bool {
    let bytes = path.as_bytes();
    let ends = |part: &[u8]| {
        let mut endings = MODULES.iter();
        endings.any(|ending| part.eq_ignore_ascii_case(ending.as_bytes()))
    };
    bytes.windows(MODULES[0].len()).any(ends) || bytes.contains(&b'.') && !path.is_ascii()
}

/// A look at a few letters, which is enough for most names.
fn may_be(name: &str) -> bool {
    may_name_module(name) || starts_like_one(name)
}

fn starts_like_one(name: &str) -> bool {
    match name.as_bytes() {
        [b'.'] | [b'.', b'.'] | [] => false,
        [first, rest @ ..] => match first.to_ascii_lowercase() {
            b'.' => true,
            b'g' | b'o' | b'f' => rest.iter().any(|byte| matches!(byte, b'.' | b'~' | 0x80..)),
            first => first >= 0x80,
        },
    }
}

/// A name as file systems compare it: letter case, trailing dots and blanks, alternate data streams
/// and characters that show nothing make no difference to some of them.
pub fn plain_name(name: &str) -> String {
    let shown: String = name.chars().filter(|c| !shows_nothing(*c)).collect();
    let stream = shown.split(':').next().unwrap_or_default();
    stream.trim_end_matches(['.', ' ']).to_lowercase()
}

/// Zero-width characters, direction marks and the like.
fn shows_nothing(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configuration_that_decides_what_runs_is_protected_however_it_is_spelled() {
        for path in [
            ".git/hooks/pre-commit",
            "sub/.git/config",
            ".GIT/config",
            ".git./config",
            ".git /config",
            ".git::$INDEX_ALLOCATION/config",
            "GIT~1/config",
            ".g\u{200c}it/config",
            ".idea/workspace.xml",
            ".siderail.toml",
            ".claude/settings.json",
            ".github/hooks/pre.json",
            r"a\.codex\config.toml",
            ".mcp.json",
            "opencode.json",
            "app/app.iml",
            "App.IML",
            "app.i\u{200b}ml",
            "app.iml::$DATA",
        ] {
            assert!(is_protected(path), "{path}");
        }
        for name in PROTECTED {
            assert!(is_protected(&format!("a/{name}")), "{name}");
            assert!(
                name.contains(['.', '~']),
                "{name}: the guard looks for these first"
            );
        }
        for path in [
            "",
            "..",
            ".gitignore",
            ".github/workflows/ci.yml",
            "src/git/x",
            "x.idea",
            "app.iml.md",
            "iml",
            "claude/x",
        ] {
            assert!(!is_protected(path), "{path}");
        }
    }
}
