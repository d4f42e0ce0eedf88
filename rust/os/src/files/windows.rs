//! The same things, from an open handle.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::windows::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    GetFileInformationByHandle, GetShortPathNameW,
};

use super::identity::{FileId, Named};

/// What the system says of an open file.
#[expect(
    unsafe_code,
    reason = "a file's number is not in the stable standard library"
)]
pub(super) fn named(file: &File) -> io::Result<Named> {
    let mut information = MaybeUninit::<BY_HANDLE_FILE_INFORMATION>::uninit();
    // SAFETY: the handle is open, and the place for the answer is as long as its type.
    let told =
        unsafe { GetFileInformationByHandle(file.as_raw_handle(), information.as_mut_ptr()) };
    if told == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system has filled all of it.
    let found = unsafe { information.assume_init() };
    Ok(Named {
        id: FileId {
            device: found.dwVolumeSerialNumber.into(),
            number: u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow),
        },
        n_names: found.nNumberOfLinks.into(),
    })
}

/// Opened without any right, which nobody who has it open for himself is in the way of.
pub(super) fn named_at(path: &Path, follow: bool) -> io::Result<Named> {
    let here = if follow {
        0
    } else {
        FILE_FLAG_OPEN_REPARSE_POINT
    };
    let file = OpenOptions::new()
        .access_mode(0)
        .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | here)
        .open(path)?;
    named(&file)
}

/// Its extension says that, and it was found by one.
pub fn is_executable(_: &Path) -> bool {
    true
}

/// A new file belongs to the user that makes it, and its folder says who else may use it.
pub fn keep_owner(_: &File, _: &Metadata) {}

/// Named pipes have a place of their own, and are not among files.
pub fn is_pipe(_: FileType) -> bool {
    false
}

/// Here no file makes an opening wait.
pub fn never_waits(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// The files that a program's path may mean: one is named without its extension, and npm's are `.cmd` files.
pub fn programs_named(path: &Path, extensions: Option<&str>) -> Vec<PathBuf> {
    let itself = path.extension().map(|_| path.to_owned());
    let extensions = extensions.unwrap_or(".COM;.EXE;.BAT;.CMD").split(';');
    let extended = extensions.filter(|extension| !extension.is_empty());
    let extended = extended.map(|extension| {
        let mut name = path.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    });
    itself.into_iter().chain(extended).collect()
}

/// A path's bytes, with `/` between its names.
pub fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// A path as a program has put it out; none if the system has no such names.
pub fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// A path by names that need no quotes in a shell, such as `PROGRA~1`, where the volume has them.
#[expect(
    unsafe_code,
    reason = "a file's other name is not in the standard library"
)]
pub fn short_name(path: &Path) -> PathBuf {
    let name: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let mut buffer = vec![0_u16; 1024];
    // SAFETY: the name ends with a zero, and the buffer's length is given.
    let length = unsafe { GetShortPathNameW(name.as_ptr(), buffer.as_mut_ptr(), 1024) };
    match usize::try_from(length) {
        Ok(length @ 1..1024) => PathBuf::from(std::ffi::OsString::from_wide(&buffer[..length])),
        _ => path.to_owned(),
    }
}
