//! Shows the address of a web page so that a person can judge it: nothing in it is invisible, reversed, or looks like
//! other letters.
//!
//! What is shown leads to the same page as what the agent wrote: all that is beyond ASCII, in the host too, is
//! percent-encoded, which browsers undo ahead of all else (WHATWG URL, host parsing). Opens nothing.

use percent_encoding::{CONTROLS, utf8_percent_encode};

/// The host of a web address, as [`shown`] writes it; none for anything else, and where it is not sure which host a
/// browser would take.
pub(super) fn host_of(url: &str) -> Option<String> {
    let (_, rest) = split(url)?;
    let authority = &rest[..end_of_authority(rest)];
    let host = authority.rsplit('@').next()?;
    let is_plain = !url.contains(|c: char| c.is_whitespace() || c.is_control());
    (!host.is_empty() && is_plain).then(|| ascii_host(host))?
}

/// A web address in characters that everybody sees; none if [`host_of`] has none.
pub(super) fn shown(url: &str) -> Option<String> {
    host_of(url)?;
    let (scheme, rest) = split(url)?;
    let (authority, path) = rest.split_at(end_of_authority(rest));
    let (person, host) = match authority.rsplit_once('@') {
        Some((person, host)) => (percent(person) + "@", host),
        None => (String::new(), authority),
    };
    let host = ascii_host(host)?;
    Some(format!("{scheme}{person}{host}{}", percent(path)))
}

fn split(url: &str) -> Option<(&str, &str)> {
    let schemes = ["https://", "http://"].into_iter();
    let mut found = schemes.filter_map(|scheme| Some((scheme, url.strip_prefix(scheme)?)));
    found.next()
}

fn end_of_authority(rest: &str) -> usize {
    rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len())
}

fn percent(text: &str) -> String {
    utf8_percent_encode(text, CONTROLS).to_string()
}

/// A host in ASCII; a port stays behind it. `None` if a part of it is percent-encoded already, which would then mean
/// something else.
fn ascii_host(host: &str) -> Option<String> {
    (!host.contains('%')).then(|| percent(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_in_letters_that_cannot_pass_for_others() {
        for (url, host) in [
            ("https://example.com/x", "example.com"),
            (
                "https://b\u{fc}cher.example:8080/",
                "b%C3%BCcher.example:8080",
            ),
            ("https://\u{430}pple.com", "%D0%B0pple.com"),
            ("https://google.com@evil.example/", "evil.example"),
            ("https://goo\u{ad}gle.com/", "goo%C2%ADgle.com"),
        ] {
            assert_eq!(host_of(url).as_deref(), Some(host), "{url}");
        }
        for none in [
            "ftp://a/",
            "https:///x",
            "https://a b/",
            "javascript:alert(1)",
            "https://%65vil.example/",
        ] {
            assert_eq!(host_of(none), None, "{none}");
            assert_eq!(shown(none), None, "{none}");
        }
    }

    #[test]
    fn all_but_printable_ascii_is_encoded() {
        for character in (0..=0x17f).filter_map(char::from_u32) {
            let shown = percent(&character.to_string());
            match character {
                ' '..='~' => assert_eq!(shown, character.to_string()),
                _ => assert!(shown.starts_with('%'), "{character:?}: {shown}"),
            }
        }
        assert_eq!(percent("\u{7f}\u{e9}"), "%7F%C3%A9");
    }

    #[test]
    fn an_address_has_no_letter_that_turns_others_around_or_is_not_seen() {
        assert_eq!(
            shown("https://g\u{43e}ogle.com/\u{202e}gpj.exe?q=\u{200b}#\u{e9}").as_deref(),
            Some("https://g%D0%BEogle.com/%E2%80%AEgpj.exe?q=%E2%80%8B#%C3%A9")
        );
        assert_eq!(
            shown("https://a.example/b?c=d#e").as_deref(),
            Some("https://a.example/b?c=d#e")
        );
    }
}
