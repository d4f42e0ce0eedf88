//! Backslash escapes of `$'…'`, printf and `echo -e`.

/// Decodes escapes as `$'…'` and the format of printf do; one without a meaning stays as it is.
pub fn decode(text: &str) -> String {
    decode_with(text, false)
}

/// Decodes escapes as `echo -e` and `%b` do, where `\0` takes three more digits.
pub fn decode_echo(text: &str) -> String {
    decode_with(text, true)
}

fn decode_with(text: &str, echo: bool) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = one(&rest[at + 1..], echo, &mut bytes);
    }
    bytes.extend_from_slice(rest.as_bytes());
    // A decoded NUL ends the text for the command that gets it, and is no unknown part.
    bytes.retain(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Decodes what follows one backslash and returns the rest.
fn one<'t>(text: &'t str, echo: bool, out: &mut Vec<u8>) -> &'t str {
    let Some(first) = text.chars().next() else {
        out.push(b'\\');
        return text;
    };
    let rest = &text[first.len_utf8()..];
    match first {
        'n' => out.push(b'\n'),
        't' => out.push(b'\t'),
        'r' => out.push(b'\r'),
        'a' => out.push(7),
        'b' => out.push(8),
        'f' => out.push(12),
        'v' => out.push(11),
        'e' | 'E' => out.push(27),
        '\\' | '\'' | '"' | '?' => out.push(first as u8),
        'x' => return number(rest, 16, 2, out),
        'u' => return number(rest, 16, 4, out),
        'U' => return number(rest, 16, 8, out),
        '0'..='7' => return number(text, 8, if echo && first == '0' { 4 } else { 3 }, out),
        'c' if !rest.is_empty() && rest.is_char_boundary(1) => {
            out.push(rest.as_bytes()[0] & 0x1f);
            return &rest[1..];
        }
        _ => {
            out.push(b'\\');
            out.extend_from_slice(first.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    rest
}

fn number<'t>(text: &'t str, radix: u32, longest: usize, out: &mut Vec<u8>) -> &'t str {
    let digits = text
        .bytes()
        .take(longest)
        .take_while(|b| char::from(*b).is_digit(radix))
        .count();
    let Ok(value) = u32::from_str_radix(&text[..digits], radix) else {
        out.push(b'\\');
        return text;
    };
    match u8::try_from(value) {
        Ok(byte) if radix == 8 || longest == 2 => out.push(byte),
        _ => {
            let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    &text[digits..]
}
