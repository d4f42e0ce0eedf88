//! Security descriptors that name one user: for pipes, folders and files that nobody else may open.
//!
//! The list is protected, so nothing is inherited from above, and what is made inside takes it over.

use std::ffi::c_void;
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::Path;

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSecurityDescriptorToStringSecurityDescriptorW, ConvertSidToStringSidW,
    ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1, SE_FILE_OBJECT,
    SetNamedSecurityInfoW,
};
use windows_sys::Win32::Security::{
    ACL, DACL_SECURITY_INFORMATION, GetSecurityDescriptorDacl, GetTokenInformation,
    PROTECTED_DACL_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, SECURITY_ATTRIBUTES, TOKEN_QUERY,
    TOKEN_USER, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// A descriptor that gives this user everything and nobody else anything.
#[derive(Debug)]
pub struct UserOnly(Local);

/// Memory that the system handed out.
#[derive(Debug)]
struct Local(*mut c_void);

#[expect(
    unsafe_code,
    reason = "plain memory, read only; it belongs to no thread"
)]
// SAFETY: see the reason.
unsafe impl Send for Local {}
#[expect(
    unsafe_code,
    reason = "plain memory, read only; it belongs to no thread"
)]
// SAFETY: see the reason.
unsafe impl Sync for Local {}

impl Drop for Local {
    #[expect(
        unsafe_code,
        reason = "the system's allocator is not in the standard library"
    )]
    fn drop(&mut self) {
        // SAFETY: it came from LocalAlloc and is freed once.
        unsafe { LocalFree(self.0) };
    }
}

impl UserOnly {
    /// Makes the descriptor for the user that this process runs as.
    ///
    /// # Errors
    /// The system does not say who that is.
    #[expect(
        unsafe_code,
        reason = "security descriptors are not in the standard library"
    )]
    pub fn new() -> io::Result<Self> {
        // Protected; generic all for the user, taken over by folders and files inside.
        let text = wide(format!("D:P(A;OICI;GA;;;{})", user()?));
        let mut descriptor: PSECURITY_DESCRIPTOR = std::ptr::null_mut();
        // SAFETY: a text with its final zero, and a place for what is handed out.
        checked(unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut descriptor,
                std::ptr::null_mut(),
            )
        })?;
        Ok(Self(Local(descriptor)))
    }

    /// Calls `make` with a pointer to a `SECURITY_ATTRIBUTES` with this descriptor, valid during the call.
    pub fn attributes<R>(&self, make: impl FnOnce(*mut c_void) -> R) -> R {
        let mut attributes = SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: self.0.0,
            bInheritHandle: 0,
        };
        make((&raw mut attributes).cast())
    }

    /// The access list as text, in the system's own notation (SDDL).
    ///
    /// # Errors
    /// The system cannot write it.
    #[expect(
        unsafe_code,
        reason = "security descriptors are not in the standard library"
    )]
    pub fn text(&self) -> io::Result<String> {
        let mut text = std::ptr::null_mut();
        // SAFETY: the descriptor lives, and so does the place for the text.
        checked(unsafe {
            ConvertSecurityDescriptorToStringSecurityDescriptorW(
                self.0.0,
                SDDL_REVISION_1,
                DACL_SECURITY_INFORMATION,
                &raw mut text,
                std::ptr::null_mut(),
            )
        })?;
        Ok(taken(text))
    }
}

/// Closes a file or folder to everybody but this user.
///
/// # Errors
/// The system refuses, most likely since it is somebody else's.
#[expect(
    unsafe_code,
    reason = "security descriptors are not in the standard library"
)]
pub fn close(path: &Path) -> io::Result<()> {
    let descriptor = UserOnly::new()?;
    let (mut present, mut list, mut defaulted) = (0, std::ptr::null_mut::<ACL>(), 0);
    // SAFETY: the descriptor lives, and each place for an answer does.
    checked(unsafe {
        GetSecurityDescriptorDacl(
            descriptor.0.0,
            &raw mut present,
            &raw mut list,
            &raw mut defaulted,
        )
    })?;
    let name = wide(path.as_os_str());
    // SAFETY: the name ends with a zero, the list lives as long as its descriptor.
    let failed = unsafe {
        SetNamedSecurityInfoW(
            name.as_ptr(),
            SE_FILE_OBJECT,
            DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            list,
            std::ptr::null(),
        )
    };
    coded(failed)
}

/// The user that this process runs as, as the text of its security identifier.
///
/// # Errors
/// The system does not say.
#[expect(unsafe_code, reason = "access tokens are not in the standard library")]
pub fn user() -> io::Result<String> {
    let mut token = std::ptr::null_mut();
    // SAFETY: the process's own handle needs no closing; the token is new.
    checked(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    // SAFETY: the handle is new, and nobody else closes it.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    // A user with its identifier has less than a hundred bytes; words, for the alignment of the pointer in it.
    let mut buffer = [0_usize; 64];
    let mut n_bytes = 0;
    // SAFETY: the buffer lives and its size in bytes is given.
    checked(unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            buffer.as_mut_ptr().cast(),
            size_of_val(&buffer) as u32,
            &raw mut n_bytes,
        )
    })?;
    // SAFETY: for this class the system has filled in this structure, in aligned memory.
    let found = unsafe { &*buffer.as_ptr().cast::<TOKEN_USER>() };
    let mut text = std::ptr::null_mut();
    // SAFETY: the identifier lies in the buffer, and there is a place for the text.
    checked(unsafe { ConvertSidToStringSidW(found.User.Sid, &raw mut text) })?;
    Ok(taken(text))
}

/// The text that the system handed out, which is freed.
#[expect(unsafe_code, reason = "the system's texts end with a zero")]
fn taken(text: *mut u16) -> String {
    let owner = Local(text.cast());
    let n_units = (0..)
        // SAFETY: up to its zero the text is readable.
        .take_while(|at| unsafe { *text.add(*at) } != 0)
        .count();
    // SAFETY: that many units were just read.
    let units = unsafe { std::slice::from_raw_parts(text, n_units) };
    let text = String::from_utf16_lossy(units);
    drop(owner);
    text
}

fn wide(text: impl AsRef<std::ffi::OsStr>) -> Vec<u16> {
    text.as_ref().encode_wide().chain([0]).collect()
}

fn checked(returned: i32) -> io::Result<()> {
    if returned == 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

fn coded(code: u32) -> io::Result<()> {
    if code == ERROR_SUCCESS {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(code.cast_signed()))
    }
}

#[cfg(test)]
mod tests {
    use super::{UserOnly, user};

    /// Judged by what is set: Wine does not keep the lists of files.
    #[test]
    fn the_list_names_this_user_and_nobody_else() {
        let text = UserOnly::new().unwrap().text().unwrap();
        let me = user().unwrap();
        assert!(me.starts_with("S-1-5-"), "{me}");
        assert_eq!(text, format!("D:P(A;OICI;GA;;;{me})"));
    }
}
