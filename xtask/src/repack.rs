//! Packs the libraries in an archive tighter than builds do: the same format, with more time spent on it.
//!
//! What an IDE downloads is mostly five libraries, of which this takes three to four percent away.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Entries below this folder are packed anew.
const NATIVES: &str = "/native/";
/// Above 9 the packer searches for the best way, so many times more.
const LEVEL: i64 = 15;

/// Replaces the archive, as a whole, by one with the same entries.
pub(crate) fn repack(archive: &Path) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", archive.display());
    let partial = archive.with_extension("partial");
    let packed = packed_anew(archive, &partial).map_err(|error| failed(&error))?;
    let before = fs::metadata(archive).map_err(|error| failed(&error))?.len();
    fs::rename(&partial, archive).map_err(|error| failed(&error))?;
    println!(
        "{packed:>10} bytes  {}, which had {before}",
        archive.display()
    );
    Ok(())
}

/// The size of the new archive.
fn packed_anew(archive: &Path, partial: &Path) -> io::Result<u64> {
    let mut from = ZipArchive::new(File::open(archive)?)?;
    let mut to = ZipWriter::new(File::create(partial)?);
    for at in 0..from.len() {
        let mut entry = from.by_index(at)?;
        if entry.is_dir() || !entry.name()?.contains(NATIVES) {
            drop(entry);
            to.raw_copy_file(from.by_index_raw(at)?)?;
            continue;
        }
        let mut options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL));
        options = entry
            .unix_mode()
            .map_or(options, |mode| options.unix_permissions(mode));
        options = entry
            .last_modified()
            .map_or(options, |time| options.last_modified_time(time));
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        to.start_file(entry.name()?, options)?;
        to.write_all(&bytes)?;
    }
    Ok(to.finish()?.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_keeps_its_entries_modes_and_times_and_gets_smaller() {
        let folder = std::env::temp_dir().join(format!("siderail-repack-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let archive = folder.join("plugin.zip");
        let mut text: Vec<u8> = Vec::new();
        let mut random = 7_u32;
        for _ in 0..60_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push(b"abcdefgh"[(random >> 24) as usize % 8]);
        }
        let mut zip = ZipWriter::new(File::create(&archive).expect("a file"));
        let time = zip::DateTime::from_date_and_time(2000, 1, 1, 0, 0, 0).expect("a time");
        let options = SimpleFileOptions::default()
            .compression_level(Some(1))
            .last_modified_time(time)
            .unix_permissions(0o755);
        for name in ["p/lib/a.jar", "p/native/x/lib.so"] {
            zip.start_file(name, options).expect("an entry");
            zip.write_all(&text).expect("it is written");
        }
        zip.finish().expect("an archive");
        let size = || fs::metadata(&archive).expect("the archive").len();
        let before = size();
        repack(&archive).expect("it is packed anew");
        assert!(size() < before, "{} of {before}", size());
        let mut packed =
            ZipArchive::new(File::open(&archive).expect("a file")).expect("an archive");
        assert_eq!(packed.len(), 2);
        for at in 0..2 {
            let mut entry = packed.by_index(at).expect("an entry");
            assert_eq!(entry.unix_mode().map(|mode| mode & 0o777), Some(0o755));
            assert_eq!(entry.last_modified(), Some(time));
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("it is read");
            assert_eq!(bytes, text);
        }
        fs::remove_dir_all(&folder).expect("it is removed");
    }
}
