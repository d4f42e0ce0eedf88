//! What goes to the agent beside a prompt's text: the files that it names with `@`, and what the person attached.
//!
//! Both become content blocks here, for every host. Whether an agent takes an image or a text of the host's is known
//! from its capabilities; what it does not take goes as a link, and what no link can stand for is left out and named.
//! A named file is in the project, an attached one may be anywhere. Knows nothing of turns.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::{Value, json};
use siderail_acp::initialize::AgentCapabilities;
use siderail_acp::requests::{self, PromptBlock};
use siderail_os::files::bytes_of;
use siderail_workspace::mentions::named_in;

use crate::command::Attachment;
use crate::confine::{Confinement, Entry, Kind, regular_file, simplified};
use crate::host::TextChange;

/// Files of one prompt's text that go along.
const MOST: usize = 20;
/// Bytes of an image; providers refuse larger ones. The IDE's composer refuses them first (`SeenFile.kt`).
pub(crate) const IMAGE_BYTES: u64 = 5_000_000;

/// What a prompt consists of for the agent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::session) struct Content {
    /// Content blocks of the protocol, the text first.
    pub(in crate::session) blocks: Vec<Value>,
    /// What was left out, each with the reason, for the person.
    pub(in crate::session) left_out: Vec<String>,
}

/// The content of a prompt of the user's.
pub(in crate::session) fn resolve(
    project: &Confinement,
    text: &str,
    attachments: &[Attachment],
    capabilities: &AgentCapabilities,
) -> Content {
    let mut content = Content::default();
    content.add("", PromptBlock::Text(text.to_owned()), capabilities);
    let named = |name: String| Some((named_file(project, &name)?, name));
    for ((path, file, lines), name) in named_in(text).into_iter().filter_map(named).take(MOST) {
        let block = file_block(&name, &path, &lines, || file.file(), capabilities);
        content.add(&name, block, capabilities);
    }
    for attachment in attachments {
        let (name, block) = attached(attachment, capabilities);
        match block {
            Ok(block) => content.add(&name, block, capabilities),
            Err(why) => content.left_out.push(format!("{name}: {why}")),
        }
    }
    content
}

/// Whether anything goes along with the text.
pub(in crate::session) fn has_more(text: &str, attachments: &[Attachment]) -> bool {
    !attachments.is_empty() || !named_in(text).is_empty()
}

/// The content where no file can be looked at: the text, and what is left out.
pub(in crate::session) fn text_alone(text: &str, attachments: &[Attachment]) -> Content {
    let name = |attachment: &Attachment| match attachment {
        Attachment::File { path } => path.display().to_string(),
        Attachment::Text { name, .. }
        | Attachment::Diff { name, .. }
        | Attachment::Image { name, .. } => name.clone(),
    };
    let named = named_in(text).into_iter().take(MOST);
    let left_out = named.chain(attachments.iter().map(name));
    Content {
        blocks: vec![json!({"type": "text", "text": text})],
        left_out: left_out
            .map(|name| format!("{name}: the file system gives no answer"))
            .collect(),
    }
}

impl Content {
    fn add(&mut self, name: &str, block: PromptBlock, capabilities: &AgentCapabilities) {
        match requests::prompt_content(&block, capabilities) {
            Ok(block) => self.blocks.push(block),
            Err(unsupported) => self.left_out.push(format!("{name}: {unsupported}")),
        }
    }
}

/// The name of an attachment and its block, or why it has none.
fn attached(
    attachment: &Attachment,
    capabilities: &AgentCapabilities,
) -> (String, Result<PromptBlock, String>) {
    match attachment {
        Attachment::File { path } => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let block = path
                .canonicalize()
                .map(simplified)
                .map(|at| file_block(&name, &at, "", || regular_file(&at), capabilities))
                .map_err(|error| error.to_string());
            (name.into_owned(), block)
        }
        Attachment::Text { name, text } => (name.clone(), Ok(text_block(name, text, capabilities))),
        Attachment::Diff { name, changes } => {
            let diff = TextChange::diffs(changes);
            (name.clone(), Ok(text_block(name, &diff, capabilities)))
        }
        Attachment::Image { name, data } => {
            let data = data.clone();
            let block = image(&data).map(|mime_type| PromptBlock::Image { data, mime_type });
            (name.clone(), block)
        }
    }
}

/// A file of the project by its path, held in its folder, and the lines that are meant, as the fragment of an address.
fn named_file(project: &Confinement, name: &str) -> Option<(PathBuf, Entry, String)> {
    let found = |given: &str| {
        let confined = project.resolve(given).ok()?;
        let entry = project.hold(&confined).ok()?;
        let is_file = entry.found().is_ok_and(|found| found.kind == Kind::File);
        is_file.then_some((confined.absolute, entry))
    };
    // As it is, or as tools print a name that needs quotes.
    let quoted = |path: &str| path.contains('\\').then(|| found(&format!("\"{path}\"")))?;
    let find = |path: &str| found(path).or_else(|| quoted(path));
    if let Some((path, file)) = find(name) {
        return Some((path, file, String::new()));
    }
    let (path, lines) = name.rsplit_once("#L").or_else(|| {
        let is_lines = |c: char| c.is_ascii_digit() || c == ':' || c == '-';
        let mut splits = name.match_indices(':').map(|(at, _)| name.split_at(at));
        let (path, lines) = splits.find(|(_, lines)| lines.chars().all(is_lines))?;
        Some((path, &lines[1..]))
    })?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    // What follows a line is a column, for which addresses have no place.
    let line = |of: &str| of.trim_start_matches('L').split(':').next()?.parse().ok();
    let (first, last): (u32, u32) = (line(first)?, line(last)?);
    let fragment = match first < last {
        true => format!("#L{first}-L{last}"),
        // One line, or columns of one (`12:5-7`).
        false => format!("#L{first}"),
    };
    let (path, file) = find(path)?;
    Some((path, file, fragment))
}

/// An image where the agent takes it, and else a link. `open` opens the file, if it is a regular one.
fn file_block(
    name: &str,
    path: &Path,
    lines: &str,
    open: impl FnOnce() -> io::Result<File>,
    capabilities: &AgentCapabilities,
) -> PromptBlock {
    if capabilities.image
        && let Some(mime_type) = image_name(path)
        && let Some(bytes) = open().ok().and_then(small_enough)
        && image_type(&bytes) == Some(mime_type)
    {
        let data = BASE64.encode(&bytes);
        let mime_type = mime_type.to_owned();
        return PromptBlock::Image { data, mime_type };
    }
    let uri = address(path) + lines;
    let name = name.to_owned();
    PromptBlock::ResourceLink { uri, name }
}

/// The bytes of a file that is no larger than an image may be.
fn small_enough(file: File) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(IMAGE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (read as u64 <= IMAGE_BYTES).then_some(bytes)
}

/// A text of the host's, as a resource where the agent takes one, and else as text under its name.
fn text_block(name: &str, text: &str, capabilities: &AgentCapabilities) -> PromptBlock {
    if !capabilities.embedded_context {
        return PromptBlock::Text(format!("{name}:\n\n{text}"));
    }
    PromptBlock::Resource {
        uri: format!(
            "attachment:///{}",
            percent_encode(name.as_bytes(), NO_PLAIN_PART)
        ),
        name: name.to_owned(),
        text: text.to_owned(),
        mime_type: Some("text/plain".to_owned()),
    }
}

/// The type of an image in Base64, or why it cannot be sent.
fn image(data: &str) -> Result<String, String> {
    let bytes = BASE64
        .decode(data.as_bytes())
        .map_err(|error| format!("not valid Base64: {error}"))?;
    if bytes.len() as u64 > IMAGE_BYTES {
        return Err("larger than 5 MB; save a smaller one".to_owned());
    }
    let mime_type = image_type(&bytes).ok_or("not a PNG, JPEG, GIF or WebP image")?;
    Ok(mime_type.to_owned())
}

/// The type that a file's name says, so that not every file is read.
fn image_name(file: &Path) -> Option<&'static str> {
    let extension = file.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        _ => return None,
    })
}

/// The type of an image by its first bytes; those that models take.
fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        _ if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") => Some("image/webp"),
        _ => None,
    }
}

/// What is no plain part of a file's address.
const NO_PLAIN_PART: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b':')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The address of a file.
fn address(path: &Path) -> String {
    let path = bytes_of(path);
    let slash = if path.starts_with(b"/") { "" } else { "/" };
    format!("file://{slash}{}", percent_encode(&path, NO_PLAIN_PART))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    #[test]
    fn an_address_keeps_plain_ascii_and_encodes_every_other_byte() {
        for byte in 0..=u8::MAX {
            let encoded = percent_encode(&[byte], NO_PLAIN_PART).to_string();
            let is_plain = byte.is_ascii_alphanumeric() || b"/:-._~".contains(&byte);
            let expected = match is_plain {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02X}"),
            };
            assert_eq!(encoded, expected);
        }
        assert_eq!(
            address(Path::new("/a b/\u{e9}.rs")),
            "file:///a%20b/%C3%A9.rs"
        );
    }

    fn project() -> (tempfile::TempDir, Confinement) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::write(root.join("a b.rs"), "x").expect("written");
        fs::write(root.join("App.java"), "x").expect("written");
        fs::write(root.join("shot.png"), PNG).expect("written");
        fs::write(root.join("fake.png"), "no image").expect("written");
        let project = Confinement::new(root).expect("it is there");
        (folder, project)
    }

    fn elsewhere() -> Confinement {
        Confinement::new(Path::new("/")).expect("there is a root")
    }

    fn all() -> AgentCapabilities {
        AgentCapabilities {
            image: true,
            embedded_context: true,
            ..AgentCapabilities::default()
        }
    }

    fn kinds(content: &Content) -> Vec<&str> {
        let kinds = content.blocks.iter().map(|block| block["type"].as_str());
        kinds.map(Option::unwrap_or_default).collect()
    }

    #[test]
    fn a_named_file_is_a_link_with_its_lines() {
        let (_folder, project) = project();
        let text = r#"@"a b.rs" @App.java:3 @App.java#L4-L9 @App.java#L4-9 @App.java:12:5 @App.java:4-9
            @App.java:4:1-9:2 @App.java:x @../up @none.rs:1"#;
        let content = resolve(&project, text, &[], &all());
        let uris: Vec<&str> = content.blocks[1..]
            .iter()
            .map(|block| block["uri"].as_str().expect("a link"))
            .map(|uri| uri.rsplit('/').next().unwrap_or_default())
            .collect();
        let expected = [
            "a%20b.rs",
            "App.java#L3",
            "App.java#L4-L9",
            "App.java#L4-L9",
            "App.java#L12",
            "App.java#L4-L9",
            "App.java#L4-L9",
        ];
        assert_eq!(uris, expected);
    }

    #[test]
    fn changes_of_files_go_as_one_diff() {
        let change = |path: &str, old: Option<&str>, new: &str| TextChange {
            path: path.to_owned(),
            old_text: old.map(str::to_owned),
            new_text: Some(new.to_owned()),
        };
        let diff = Attachment::Diff {
            name: "diff".to_owned(),
            changes: vec![change("a", Some("x\n"), "y\n"), change("b", None, "n\n")],
        };
        let content = resolve(&elsewhere(), "", &[diff], &all());
        let text = &content.blocks[1]["resource"]["text"];
        let expected =
            "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+n\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn an_image_goes_as_one_only_to_an_agent_that_takes_images() {
        let (_folder, project) = project();
        let content = resolve(&project, "@shot.png @fake.png", &[], &all());
        assert_eq!(kinds(&content), ["text", "image", "resource_link"]);
        assert_eq!(content.blocks[1]["mimeType"], "image/png");
        assert_eq!(content.blocks[1]["data"], BASE64.encode(PNG));
        let content = resolve(&project, "@shot.png", &[], &AgentCapabilities::default());
        assert_eq!(kinds(&content), ["text", "resource_link"]);
    }

    #[test]
    fn a_pasted_image_that_cannot_be_sent_is_named_with_the_reason() {
        let pasted = |bytes: &[u8]| Attachment::Image {
            name: "paste".to_owned(),
            data: BASE64.encode(bytes),
        };
        let large = [PNG, &vec![0; 5_000_001]].concat();
        let cases = [
            (
                pasted(PNG),
                AgentCapabilities::default(),
                "does not accept images",
            ),
            (pasted(b"BM1234"), all(), "not a PNG"),
            (pasted(&large), all(), "larger than 5 MB"),
        ];
        for (attachment, capabilities, why) in cases {
            let content = resolve(&elsewhere(), "x", &[attachment], &capabilities);
            assert_eq!(kinds(&content), ["text"]);
            assert!(content.left_out[0].contains(why), "{:?}", content.left_out);
        }
        let content = resolve(&elsewhere(), "x", &[pasted(PNG)], &all());
        assert_eq!(kinds(&content), ["text", "image"]);
    }

    #[test]
    fn a_text_of_the_host_goes_as_a_resource_or_under_its_name() {
        let selection = [Attachment::Text {
            name: "App.java:3-4".to_owned(),
            text: "int x;".to_owned(),
        }];
        let content = resolve(&elsewhere(), "why", &selection, &all());
        assert_eq!(content.blocks[1]["resource"]["text"], "int x;");
        let content = resolve(
            &elsewhere(),
            "why",
            &selection,
            &AgentCapabilities::default(),
        );
        assert_eq!(content.blocks[1]["text"], "App.java:3-4:\n\nint x;");
    }

    #[test]
    fn a_file_of_another_content_root_goes_along_by_its_absolute_name() {
        let ((_folder, project), (_other, other)) = (project(), project());
        let other = other.root().to_owned();
        let text = format!("see @{}", other.join("App.java").display());
        assert_eq!(resolve(&project, &text, &[], &all()).blocks.len(), 1);
        let project = project.with_roots(&[other]);
        assert_eq!(resolve(&project, &text, &[], &all()).blocks.len(), 2);
    }

    #[test]
    fn a_chosen_file_may_be_anywhere() {
        let (_folder, project) = project();
        let chosen = |name: &str| {
            [Attachment::File {
                path: project.root().join(name),
            }]
        };
        let (_elsewhere, elsewhere) = self::project();
        let content = resolve(&elsewhere, "x", &chosen("shot.png"), &all());
        assert_eq!(kinds(&content), ["text", "image"]);
        let content = resolve(&elsewhere, "x", &chosen("gone.png"), &all());
        assert_eq!(content.left_out.len(), 1);
    }

    #[test]
    fn a_file_too_large_for_an_image_goes_as_a_link() {
        let (folder, project) = project();
        for (n_bytes, kind) in [(IMAGE_BYTES, "image"), (IMAGE_BYTES + 1, "resource_link")] {
            let file = File::create(folder.path().join("large.png")).expect("made");
            (&file).write_all(PNG).expect("written");
            file.set_len(n_bytes).expect("grown");
            let content = resolve(&project, "@large.png", &[], &all());
            assert_eq!(kinds(&content), ["text", kind]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_image_and_is_not_waited_for() {
        let (folder, project) = project();
        let pipe = folder.path().join("pipe.png");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        let content = resolve(&project, "@pipe.png", &[], &all());
        assert_eq!(kinds(&content), ["text"]);
        let content = resolve(&project, "x", &[Attachment::File { path: pipe }], &all());
        assert_eq!(kinds(&content), ["text", "resource_link"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_project_names_no_file() {
        use std::os::unix::fs::symlink;
        let ((folder, project), (other, _)) = (project(), self::project());
        symlink(other.path().join("shot.png"), folder.path().join("out.png")).expect("made");
        symlink("shot.png", folder.path().join("in.png")).expect("made");
        let content = resolve(&project, "@out.png @in.png", &[], &all());
        assert_eq!(kinds(&content), ["text", "image"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_name_in_quotes_is_read_as_tools_print_it() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let (folder, project) = project();
        for name in [&b"two\nlines"[..], b"q\"uote", b"\xFF", br"back\slash"] {
            fs::write(folder.path().join(OsStr::from_bytes(name)), "x").expect("written");
        }
        let text = r#"@"two\nlines" @"q\"uote" @"\377:3" @"back\slash" @"back\\slash""#;
        let content = resolve(&project, text, &[], &all());
        let uris = content.blocks[1..].iter().map(|block| &block["uri"]);
        let uris = uris.map(|uri| uri.as_str().expect("a link"));
        let names: Vec<&str> = uris.filter_map(|uri| uri.rsplit('/').next()).collect();
        let expected = [
            "two%0Alines",
            "q%22uote",
            "%FF#L3",
            "back%5Cslash",
            "back%5Cslash",
        ];
        assert_eq!(names, expected);
    }
}
