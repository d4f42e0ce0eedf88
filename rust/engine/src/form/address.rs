//! The address of a web page as a person can judge it: nothing in it is invisible, turned around, or looks like other
//! letters.
//!
//! What is shown leads to the same page as what the agent wrote: a host in the form that name servers know (`xn--…`),
//! all else beyond ASCII percent-encoded, as browsers do it. Opens nothing.

use std::fmt::Write as _;

/// The host of a web address, as [`shown`] writes it; none for anything else.
pub(super) fn host_of(url: &str) -> Option<String> {
    let (_, rest) = split(url)?;
    let authority = &rest[..end_of_authority(rest)];
    let host = authority.rsplit('@').next()?;
    let is_plain = !url.contains(|c: char| c.is_whitespace() || c.is_control());
    (!host.is_empty() && is_plain).then(|| ascii_host(host))
}

/// A web address in characters that everybody sees.
pub(super) fn shown(url: &str) -> String {
    let Some((scheme, rest)) = split(url) else {
        return percent(url);
    };
    let (authority, path) = rest.split_at(end_of_authority(rest));
    let (person, host) = match authority.rsplit_once('@') {
        Some((person, host)) => (percent(person) + "@", host),
        None => (String::new(), authority),
    };
    format!("{scheme}{person}{}{}", ascii_host(host), percent(path))
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
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() && !c.is_ascii_control() {
            out.push(c);
            continue;
        }
        for byte in c.encode_utf8(&mut [0; 4]).bytes() {
            // writing to a String does not fail
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A host, each label as name servers know it; a port stays behind it.
fn ascii_host(host: &str) -> String {
    let label = |label: &str| match label.is_ascii() {
        true => label.to_owned(),
        // no name server knows such a name, and nobody reads it
        false if label.chars().nth(LABEL).is_some() => percent(label),
        false => {
            let small: Vec<char> = label.chars().flat_map(char::to_lowercase).collect();
            format!("xn--{}", punycode(&small))
        }
    };
    // the dots of other scripts are dots to browsers
    let labels = host.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']);
    labels.map(label).collect::<Vec<_>>().join(".")
}

/// Characters of a label.
const LABEL: usize = 63;

const BASE: u64 = 36;
const T_MIN: u64 = 1;
const T_MAX: u64 = 26;
const SKEW: u64 = 38;
const DAMP: u64 = 700;
const FIRST_BIAS: u64 = 72;
const FIRST: u64 = 0x80;

/// A label by RFC 3492, section 6.3.
fn punycode(label: &[char]) -> String {
    let mut out: String = label.iter().filter(|c| c.is_ascii()).collect();
    let n_basic = out.len() as u64;
    if n_basic > 0 {
        out.push('-');
    }
    let (mut n, mut delta, mut bias, mut done) = (FIRST, 0, FIRST_BIAS, n_basic);
    while done < label.len() as u64 {
        let later = label.iter().map(|c| u64::from(u32::from(*c)));
        let Some(next) = later.filter(|c| *c >= n).min() else {
            break;
        };
        delta += (next - n) * (done + 1);
        n = next;
        for c in label.iter().map(|c| u64::from(u32::from(*c))) {
            if c < n {
                delta += 1;
            } else if c == n {
                variable(&mut out, delta, bias);
                bias = adapted(delta, done + 1, done == n_basic);
                delta = 0;
                done += 1;
            }
        }
        delta += 1;
        n += 1;
    }
    out
}

/// A number of variable length, its last digit the only one below its threshold.
fn variable(out: &mut String, number: u64, bias: u64) {
    let mut rest = number;
    for k in (1..).map(|n| n * BASE) {
        let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if rest < threshold {
            break;
        }
        out.push(digit(threshold + (rest - threshold) % (BASE - threshold)));
        rest = (rest - threshold) / (BASE - threshold);
    }
    out.push(digit(rest));
}

fn digit(value: u64) -> char {
    let digits = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let at = usize::try_from(value).unwrap_or(usize::MAX);
    digits.get(at).map_or('?', |digit| char::from(*digit))
}

fn adapted(delta: u64, n_points: u64, is_first: bool) -> u64 {
    let mut delta = delta / if is_first { DAMP } else { 2 };
    delta += delta / n_points;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_as_name_servers_know_it() {
        for (url, host) in [
            ("https://example.com/x", "example.com"),
            (
                "https://b\u{fc}cher.example:8080/",
                "xn--bcher-kva.example:8080",
            ),
            ("https://\u{430}pple.com", "xn--pple-43d.com"),
            ("https://google.com@\u{4f8b}\u{3048}.jp/", "xn--r8jz45g.jp"),
            ("https://google.com@evil.example/", "evil.example"),
            ("https://a\u{3002}b/", "a.b"),
        ] {
            assert_eq!(host_of(url).as_deref(), Some(host), "{url}");
        }
        for none in [
            "ftp://a/",
            "https:///x",
            "https://a b/",
            "javascript:alert(1)",
        ] {
            assert_eq!(host_of(none), None, "{none}");
        }
    }

    #[test]
    fn an_address_has_no_letter_that_turns_others_around_or_is_not_seen() {
        assert_eq!(
            shown("https://g\u{43e}ogle.com/\u{202e}gpj.exe?q=\u{200b}#\u{e9}"),
            "https://xn--gogle-jye.com/%E2%80%AEgpj.exe?q=%E2%80%8B#%C3%A9"
        );
        assert_eq!(
            shown("https://a.example/b?c=d#e"),
            "https://a.example/b?c=d#e"
        );
    }
}
