//! The address of a web page as a person can judge it: nothing in it is invisible, turned around, or looks like other
//! letters.
//!
//! What is shown leads to the same page as what the agent wrote: a host in the form that name servers know (`xn--…`),
//! all else beyond ASCII percent-encoded, as browsers do it. A host with letters that browsers may turn into others
//! first (ß, accents by themselves, what is not seen) has no such form here. Opens nothing.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// The host of a web address, as [`shown`] writes it; none for anything else, and where it is not sure which host a
/// browser would take.
pub(super) fn host_of(url: &str) -> Option<String> {
    let (_, rest) = split(url)?;
    let authority = &rest[..end_of_authority(rest)];
    let host = authority.rsplit('@').next()?;
    let is_plain = !url.contains(|c: char| c.is_whitespace() || c.is_control());
    (!host.is_empty() && is_plain).then(|| ascii_host(host))?
}

/// A web address in characters that everybody sees; none where [`host_of`] has none.
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
fn ascii_host(host: &str) -> Option<String> {
    // the dots of other scripts are dots to browsers
    let labels = host.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']);
    let labels: Option<Vec<String>> = labels.map(ascii_label).collect();
    Some(labels?.join("."))
}

fn ascii_label(label: &str) -> Option<String> {
    // browsers undo it ahead of all else
    if label.contains('%') {
        return None;
    }
    if label.is_ascii() {
        return Some(label.to_owned());
    }
    let letters = label.chars().map(narrow).flat_map(char::to_lowercase);
    let letters: Vec<char> = letters.collect();
    let stays = |c: &char| {
        c.is_ascii_alphanumeric() || *c == '-' || STAYS.iter().any(|letters| letters.contains(c))
    };
    if letters.len() > LABEL || !letters.iter().all(stays) {
        return None;
    }
    Some(match letters.iter().all(char::is_ascii) {
        true => letters.into_iter().collect(),
        false => format!("xn--{}", punycode(&letters)),
    })
}

/// Letters and digits of full width are those of ASCII to browsers.
fn narrow(c: char) -> char {
    const WIDE: u32 = 0xFF01 - 0x21;
    let narrow = char::from_u32(u32::from(c).wrapping_sub(WIDE));
    narrow.filter(char::is_ascii_alphanumeric).unwrap_or(c)
}

/// Characters of a label.
const LABEL: usize = 63;

/// Small letters that browsers leave as they are, whatever stands beside them. Not all that there are: the tables of
/// Unicode are larger than this is worth.
const STAYS: [RangeInclusive<char>; 18] = [
    // Latin, without ß, and without what is two letters in one
    '\u{e0}'..='\u{f6}',
    '\u{f8}'..='\u{131}',
    '\u{135}'..='\u{13e}',
    '\u{142}'..='\u{148}',
    '\u{14b}'..='\u{17e}',
    // Greek, without the sigma of ends
    '\u{3ac}'..='\u{3c1}',
    '\u{3c3}'..='\u{3ce}',
    // Cyrillic, Armenian, Hebrew, Arabic, Georgian
    '\u{430}'..='\u{45f}',
    '\u{48b}'..='\u{4ff}',
    '\u{561}'..='\u{586}',
    '\u{5d0}'..='\u{5ea}',
    '\u{620}'..='\u{64a}',
    '\u{10d0}'..='\u{10fa}',
    // Japanese, Chinese, Korean
    '\u{3041}'..='\u{3096}',
    '\u{30a1}'..='\u{30fa}',
    '\u{30fc}'..='\u{30fc}',
    '\u{4e00}'..='\u{9fcb}',
    '\u{ac00}'..='\u{d7a3}',
];

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
            ("https://\u{ff27}oogle\u{ff0e}com/", "google.com"),
            ("https://B\u{dc}cher.example/", "xn--bcher-kva.example"),
        ] {
            assert_eq!(host_of(url).as_deref(), Some(host), "{url}");
        }
        for none in [
            "ftp://a/",
            "https:///x",
            "https://a b/",
            "javascript:alert(1)",
            // what browsers would take for these is not what stands there
            "https://bu\u{308}cher.example/",
            "https://stra\u{df}e.example/",
            "https://goo\u{ad}gle.com/",
            "https://\u{2139}nfo.example/",
            "https://%65vil.example/",
        ] {
            assert_eq!(host_of(none), None, "{none}");
            assert_eq!(shown(none), None, "{none}");
        }
    }

    #[test]
    fn an_address_has_no_letter_that_turns_others_around_or_is_not_seen() {
        assert_eq!(
            shown("https://g\u{43e}ogle.com/\u{202e}gpj.exe?q=\u{200b}#\u{e9}").as_deref(),
            Some("https://xn--gogle-jye.com/%E2%80%AEgpj.exe?q=%E2%80%8B#%C3%A9")
        );
        assert_eq!(
            shown("https://a.example/b?c=d#e").as_deref(),
            Some("https://a.example/b?c=d#e")
        );
    }
}
