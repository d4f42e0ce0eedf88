//! What the names and addresses in a script say about it as a whole.

use super::scan::Token;
use crate::ir::Origin;

/// Names that a script which connects to other machines mentions.
#[rustfmt::skip]
const CONNECTIONS: [&str; 7] = [
    "socket", "Socket", "TCPSocket", "fsockopen", "socket_create", "net", "tls",
];

/// Whether a script mentions what it takes to connect to another machine.
pub(super) fn mentions_network(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| match token {
        Token::Name(name) => CONNECTIONS.contains(&name.as_str()),
        Token::Text(text) => {
            let module = text.strip_prefix("node:").unwrap_or(text);
            CONNECTIONS.contains(&module)
        }
        _ => false,
    })
}

/// Where code that is no constant comes from, by the names and addresses in the whole script.
pub(super) fn code_origin(tokens: &[Token]) -> Origin {
    #[rustfmt::skip]
    const NETWORK: [&str; 9] = [
        "urlopen", "urlretrieve", "requests", "httpx", "fetch", "urllib", "https", "lwp", "open_uri",
    ];
    #[rustfmt::skip]
    const DECODERS: [&str; 11] = [
        "b64decode", "fromhex", "decompress", "unhexlify", "atob", "base64", "pack", "unpack", "decode64",
        "base64_decode", "decodestring",
    ];
    let mut origin = Origin::Program;
    for token in tokens {
        let name = match token {
            Token::Name(name) => name.as_str(),
            Token::Text(text) => text.strip_prefix("node:").unwrap_or(text),
            _ => continue,
        };
        let lower = name.get(..24).unwrap_or(name).to_ascii_lowercase();
        let address = lower.starts_with("http://") || lower.starts_with("https://");
        if address || NETWORK.contains(&lower.as_str()) {
            return Origin::Download;
        }
        if DECODERS.contains(&lower.as_str()) {
            origin = Origin::Decoded;
        }
    }
    origin
}
