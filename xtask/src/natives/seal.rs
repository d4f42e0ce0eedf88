//! The signature of a macOS file that names nobody ("ad hoc"): macOS on ARM starts nothing without one.
//!
//! Zig's linker signs for ARM alone, so the others are signed here. It is a list of the sums of a file's pages at its
//! end, which is checked here, too, whatever made it: a change of the file after it was signed breaks it.

use sha2::{Digest as _, Sha256};

const MAGIC: u32 = 0xfeed_facf;
const EXECUTABLE: u32 = 2;
const SEGMENT: u32 = 0x19;
const SIGNATURE: u32 = 0x1d;
const HEADER: usize = 32;
const COMMAND: usize = 16;

/// In a signature numbers have their largest byte first.
const ALL: u32 = 0xfade_0cc0;
const DIRECTORY: u32 = 0xfade_0c02;
/// The version that says which segment is run.
const VERSION: u32 = 0x2_0400;
const AD_HOC: u32 = 2;
const SHA_256: u8 = 2;
const SUM: usize = 32;
const PAGE_BITS: u8 = 12;
const PAGE: usize = 1 << PAGE_BITS;
/// What precedes the name of a directory, and the directory itself.
const DIRECTORY_HEAD: usize = 88;
const ALL_HEAD: usize = 20;

const DAMAGED: &str = "its load commands cannot be read";

/// Signs a file that has no signature; one that has is left as it is.
pub(super) fn sign(file: &mut Vec<u8>, name: &str) -> Result<(), String> {
    let commands = commands(file).ok_or(DAMAGED)?;
    if commands.signature.is_some() {
        return Ok(());
    }
    if commands.end + COMMAND > commands.content {
        return Err("there is no room for a load command".to_owned());
    }
    let segment = |name: &str| commands.segment(file, name).ok_or(DAMAGED);
    let (text, linked) = (segment("__TEXT")?, segment("__LINKEDIT")?);
    file.resize(file.len().next_multiple_of(16), 0);
    let limit = file.len();
    let pages = limit.div_ceil(PAGE);
    let directory = DIRECTORY_HEAD + name.len() + 1 + pages * SUM;
    let size = (ALL_HEAD + directory).next_multiple_of(16);

    let count = u32_at(file, 16).ok_or(DAMAGED)? + 1;
    put(file, 16, count);
    put(file, 20, number(commands.end + COMMAND - HEADER)?);
    for (at, value) in [SIGNATURE, number(COMMAND)?, number(limit)?, number(size)?]
        .into_iter()
        .enumerate()
    {
        put(file, commands.end + 4 * at, value);
    }
    let linked_size = (limit + size) as u64 - u64_at(file, linked + 40).ok_or(DAMAGED)?;
    put_long(file, linked + 48, linked_size);
    // A multiple of the pages of either processor.
    put_long(file, linked + 32, linked_size.next_multiple_of(0x4000));

    let is_program = u32_at(file, 12) == Some(EXECUTABLE);
    let mut signature: Vec<u8> = Vec::with_capacity(size);
    let mut say = |value: u32| signature.extend(value.to_be_bytes());
    let words = [
        ALL,
        number(ALL_HEAD + directory)?,
        1,
        0,
        number(ALL_HEAD)?,
        DIRECTORY,
        number(directory)?,
        VERSION,
        AD_HOC,
        number(DIRECTORY_HEAD + name.len() + 1)?,
        number(DIRECTORY_HEAD)?,
        0,
        number(pages)?,
        number(limit)?,
        u32::from_be_bytes([number(SUM)? as u8, SHA_256, 0, PAGE_BITS]),
    ];
    words.into_iter().for_each(&mut say);
    // Room for what is said of scattered files, teams and very large ones.
    (0..6).for_each(|_| say(0));
    signature.extend(u64_at(file, text + 40).ok_or(DAMAGED)?.to_be_bytes());
    signature.extend(u64_at(file, text + 48).ok_or(DAMAGED)?.to_be_bytes());
    signature.extend(u64::from(is_program).to_be_bytes());
    signature.extend(name.bytes().chain([0]));
    for page in file.chunks(PAGE) {
        signature.extend(Sha256::digest(page));
    }
    signature.resize(size, 0);
    file.extend(signature);
    Ok(())
}

/// What is wrong with a file's signature; nothing where each page has the sum that it says.
pub(super) fn fault(file: &[u8]) -> Option<String> {
    let Some(commands) = commands(file) else {
        return Some(DAMAGED.to_owned());
    };
    let Some(at) = commands.signature else {
        return Some("it has no signature, without which macOS on ARM starts nothing".to_owned());
    };
    match checked(file, at) {
        None => Some("its signature cannot be read".to_owned()),
        Some(false) => Some("it was changed after it was signed".to_owned()),
        Some(true) => None,
    }
}

fn checked(file: &[u8], command: usize) -> Option<bool> {
    let start = u32_at(file, command + 8)? as usize;
    let all = file.get(start..)?;
    let big = |from: &[u8], at: usize| Some(u32::from_be_bytes(four(from, at)?) as usize);
    if big(all, 0)? != ALL as usize {
        return None;
    }
    // Other kinds are lists of rights, and names.
    let directory = (0..big(all, 8)?).find_map(|at| {
        let kind = big(all, 12 + 8 * at)?;
        (kind == 0).then(|| big(all, 16 + 8 * at)).flatten()
    })?;
    let directory = all.get(directory..)?;
    let (sums, pages, limit) = (
        big(directory, 16)?,
        big(directory, 28)?,
        big(directory, 32)?,
    );
    let kind = directory.get(36..40)?;
    let is_known = big(directory, 0)? == DIRECTORY as usize
        && kind[..2] == [SUM as u8, SHA_256]
        && limit == start;
    let page = 1usize.checked_shl(kind[3].into())?;
    if !is_known || pages != limit.div_ceil(page) {
        return None;
    }
    let sums = directory.get(sums..sums + pages * SUM)?;
    let mut both = file[..limit].chunks(page).zip(sums.chunks(SUM));
    Some(both.all(|(page, sum)| Sha256::digest(page).as_slice() == sum))
}

/// Where things are in a file's head.
struct Commands {
    segments: Vec<usize>,
    signature: Option<usize>,
    /// Behind the last one.
    end: usize,
    /// Where the first section begins.
    content: usize,
}

impl Commands {
    fn segment(&self, file: &[u8], name: &str) -> Option<usize> {
        let is_named = |at: &&usize| {
            let found = file.get(*at + 8..*at + 24).unwrap_or_default();
            found
                .strip_prefix(name.as_bytes())
                .is_some_and(|rest| rest.iter().all(|byte| *byte == 0))
        };
        self.segments.iter().find(is_named).copied()
    }
}

fn commands(file: &[u8]) -> Option<Commands> {
    if u32_at(file, 0)? != MAGIC {
        return None;
    }
    let mut at = HEADER;
    let mut found = Commands {
        segments: Vec::new(),
        signature: None,
        end: HEADER + u32_at(file, 20)? as usize,
        content: file.len(),
    };
    for _ in 0..u32_at(file, 16)? {
        match u32_at(file, at)? {
            SEGMENT => {
                found.segments.push(at);
                for section in 0..u32_at(file, at + 64)? as usize {
                    let offset = u32_at(file, at + 72 + 80 * section + 48)? as usize;
                    // Those that are filled with zeros are nowhere in the file.
                    if offset > 0 {
                        found.content = found.content.min(offset);
                    }
                }
            }
            SIGNATURE => found.signature = Some(at),
            _ => {}
        }
        at += u32_at(file, at + 4)? as usize;
    }
    (at == found.end).then_some(found)
}

fn four(file: &[u8], at: usize) -> Option<[u8; 4]> {
    file.get(at..)?.first_chunk().copied()
}

fn u32_at(file: &[u8], at: usize) -> Option<u32> {
    four(file, at).map(u32::from_le_bytes)
}

fn u64_at(file: &[u8], at: usize) -> Option<u64> {
    file.get(at..)?
        .first_chunk()
        .copied()
        .map(u64::from_le_bytes)
}

fn put(file: &mut [u8], at: usize, value: u32) {
    file[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put_long(file: &mut [u8], at: usize, value: u64) {
    file[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

fn number(value: usize) -> Result<u32, String> {
    u32::try_from(value).map_err(|_| "it is too large for a signature".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{fault, sign};

    /// A program of two segments, with room behind its commands, and `pages` of content.
    fn program(pages: usize) -> Vec<u8> {
        let segment = |name: &str, offset: u64, size: u64| {
            let mut bytes = [0x19u32, 72].map(u32::to_le_bytes).concat();
            let mut padded = name.as_bytes().to_vec();
            padded.resize(16, 0);
            bytes.extend(padded);
            bytes.extend([offset, size, offset, size].map(u64::to_le_bytes).concat());
            bytes.resize(72, 0);
            bytes
        };
        let (text, linked) = (4096 * pages as u64, 100);
        let header = [0xfeed_facfu32, 0x0100_0007, 3, 2, 2, 144, 0, 0];
        let mut file = header.map(u32::to_le_bytes).concat();
        file.extend(segment("__TEXT", 0, text));
        file.extend(segment("__LINKEDIT", text, linked));
        file.resize(text as usize, 0x90);
        file.resize((text + linked) as usize, 7);
        file
    }

    #[test]
    fn what_was_signed_is_whole_until_it_is_changed() {
        let mut file = program(3);
        assert!(fault(&file).is_some_and(|why| why.contains("no signature")));
        sign(&mut file, "siderail").expect("there is room");
        assert_eq!(fault(&file), None);
        let once = file.clone();
        sign(&mut file, "siderail").expect("it is signed already");
        assert!(file == once, "a signature is not replaced");
        for at in [40, 5000, 12_300] {
            let mut changed = once.clone();
            changed[at] ^= 1;
            assert!(fault(&changed).is_some(), "byte {at}");
        }
        assert!(fault(&once[..once.len() - 200]).is_some());
    }

    #[test]
    fn what_is_no_program_of_macos_is_not_signed() {
        for file in [&b""[..], b"text", &program(1)[..90]] {
            assert!(sign(&mut file.to_vec(), "siderail").is_err());
            assert!(fault(file).is_some());
        }
    }

    #[test]
    fn the_segment_at_the_end_takes_the_signature_in() {
        let mut file = program(2);
        sign(&mut file, "siderail").expect("there is room");
        let linked = 32 + 72;
        let long = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().expect("eight"));
        assert_eq!(long(linked + 40) + long(linked + 48), file.len() as u64);
        assert!(long(linked + 32) >= long(linked + 48));
    }
}
