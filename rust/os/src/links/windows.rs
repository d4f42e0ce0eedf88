//! Junctions for folders, second names for files, copies where a file is on another disk.

use std::fs;
use std::io;
use std::os::windows::fs::{symlink_dir, symlink_file};
use std::path::Path;

/// Gives `original` the name `link`, too. A copy is what it gets on another disk, and what has no folder's or file's
/// nature (a link to nothing) is left out: nothing would be found there.
///
/// # Errors
/// The name is taken, the folder cannot be written, or the disk has no junctions.
pub fn make(original: &Path, link: &Path) -> io::Result<()> {
    let kind = match fs::metadata(original) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if kind.is_dir() {
        return folder(original, link);
    }
    // Through a link, as reading and writing it would go.
    let original = fs::canonicalize(original).unwrap_or_else(|_| original.to_owned());
    match fs::hard_link(&original, link) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            fs::copy(&original, link).map(drop)
        }
        made => made,
    }
}

/// A junction, which leads to a folder of this machine; to one of another a link, where this user may make it.
fn folder(original: &Path, link: &Path) -> io::Result<()> {
    let made = junction::create(original, link).or_else(|error| {
        // An unfinished one may be there.
        let _ = fs::remove_dir(link);
        symlink_dir(original, link).map_err(|_| error)
    });
    // Some file systems, and Wine's, say that they have made one, and have not.
    if made.is_ok() && leads_to(link, original) {
        return Ok(());
    }
    let _ = fs::remove_dir(link);
    let why = made
        .err()
        .map_or_else(String::new, |error| format!(": {error}"));
    let text = format!("the disk takes no junction to {}{why}", original.display());
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// Whether `link` is one that [`make`] has made for `original`, and nobody has put something else in its place. A copy
/// is not known from what was put there.
pub fn leads_to(link: &Path, original: &Path) -> bool {
    crate::files::is_same(link, original)
}

/// Makes a link like `link`, which is symbolic or a junction.
///
/// # Errors
/// As [`make`], or this user may make no symbolic links.
pub fn copy(link: &Path, to: &Path) -> io::Result<()> {
    if let Ok(target) = junction::get_target(link) {
        return junction::create(target, to);
    }
    let target = fs::read_link(link)?;
    if fs::metadata(link).is_ok_and(|found| found.is_dir()) {
        symlink_dir(target, to)
    } else {
        symlink_file(target, to)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::{leads_to, make};

    #[test]
    fn a_file_is_written_through_its_second_name_until_another_takes_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let (original, link) = (dir.path().join("original"), dir.path().join("link"));
        fs::write(&original, "one").unwrap();
        make(&original, &link).unwrap();
        assert!(leads_to(&link, &original));
        let mut file = fs::File::options().append(true).open(&link).unwrap();
        file.write_all(b" two").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&original).unwrap(), "one two");
        let new = dir.path().join("new");
        fs::write(&new, "other").unwrap();
        fs::rename(&new, &link).unwrap();
        assert!(!leads_to(&link, &original));
        assert_eq!(fs::read_to_string(&original).unwrap(), "one two");
    }

    #[test]
    fn what_is_not_there_has_no_second_name() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        make(&dir.path().join("missing"), &link).unwrap();
        assert!(fs::symlink_metadata(&link).is_err());
    }

    #[test]
    fn a_folder_is_written_through_its_junction() {
        let dir = tempfile::tempdir().unwrap();
        let (original, link) = (dir.path().join("original"), dir.path().join("link"));
        fs::create_dir(&original).unwrap();
        make(&original, &link).unwrap();
        assert!(leads_to(&link, &original));
        fs::write(link.join("a"), "x").unwrap();
        assert_eq!(fs::read_to_string(original.join("a")).unwrap(), "x");
        fs::remove_dir(&link).unwrap();
        assert!(original.join("a").exists());
    }
}
