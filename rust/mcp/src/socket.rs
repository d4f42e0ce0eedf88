//! The socket as a file: a folder of its own, leftovers swept, and what a closed peer looks like. On Windows a
//! named pipe takes its place.

use std::io;
use std::path::PathBuf;

#[cfg(windows)]
pub(crate) use self::pipe::{Listener, Stream, open, read_and_closed, remove};
#[cfg(unix)]
pub(crate) use self::unix::{Listener, Stream, open, read_and_closed, remove};

#[cfg(windows)]
mod pipe;

/// Why no socket could be opened.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The folder cannot be created or looked at.
    #[error("cannot use {} for the agents' socket: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Somebody else could replace the socket.
    #[error("{} is not a folder of this user; remove it or choose another one", folder.display())]
    NotOurs {
        /// The folder.
        folder: PathBuf,
    },
    /// Socket addresses hold about a hundred bytes.
    #[error(
        "the socket path {} has {} bytes and must have fewer than 100; choose a folder with a shorter path",
        path.display(),
        path.as_os_str().len()
    )]
    PathTooLong {
        /// The path that would have been used.
        path: PathBuf,
    },
    /// The operating system refused the socket.
    #[error("cannot open the agents' socket {}: {source}", path.display())]
    Bind {
        /// The socket.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
    use rustix::process::{Pid, geteuid, test_kill_process};
    use tokio::io::Interest;
    use tokio::time::sleep;

    use super::ListenError;

    pub(crate) type Listener = tokio::net::UnixListener;
    pub(crate) type Stream = tokio::net::UnixStream;

    /// Longest socket path, in bytes: 108 on Linux and 104 on macOS, less the final zero and some room.
    const PATH_CAP: usize = 100;

    /// Opens a new socket in `folder`; see [`crate::Listener::bind`].
    pub(crate) fn open(folder: &Path) -> Result<(Listener, PathBuf), ListenError> {
        let mut random = [0; 4];
        getrandom::fill(&mut random).expect("the operating system gives random bytes");
        let name = format!(
            "{}-{:08x}.sock",
            std::process::id(),
            u32::from_ne_bytes(random)
        );
        let path = folder.join(name);
        if path.as_os_str().len() >= PATH_CAP {
            return Err(ListenError::PathTooLong { path });
        }
        own(folder)?;
        sweep(folder);
        let bind = || {
            let listener = Listener::bind(&path)?;
            fs::set_permissions(&path, Permissions::from_mode(0o600))?;
            Ok(listener)
        };
        match bind() {
            Ok(listener) => Ok((listener, path)),
            Err(source) => Err(ListenError::Bind { path, source }),
        }
    }

    /// Makes `folder` a folder that only this user can enter.
    fn own(folder: &Path) -> Result<(), ListenError> {
        let failed = |source| ListenError::Folder {
            folder: folder.to_owned(),
            source,
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(failed)?;
        // Not through a link: its owner could point it elsewhere later.
        let found = fs::symlink_metadata(folder).map_err(failed)?;
        if !found.is_dir() || found.uid() != geteuid().as_raw() {
            return Err(ListenError::NotOurs {
                folder: folder.to_owned(),
            });
        }
        if found.mode() & 0o777 != 0o700 {
            fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(failed)?;
        }
        Ok(())
    }

    /// Removes sockets of engines that are gone.
    fn sweep(folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if is_abandoned(&path) {
                remove(&path);
            }
        }
    }

    /// Whether a socket's engine has ended. Both signs are needed: between bind and listen a living
    /// engine refuses connections, and in another process namespace it has another number.
    fn is_abandoned(path: &Path) -> bool {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let pid = name
            .strip_suffix(".sock")
            .and_then(|stem| stem.split_once('-'))
            .map(|(pid, _)| pid);
        let Some(pid) = pid.and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw) else {
            return false;
        };
        test_kill_process(pid) == Err(rustix::io::Errno::SRCH) && refuses(path)
    }

    /// Never waits, unlike a plain connect to an engine that is alive but busy.
    fn refuses(path: &Path) -> bool {
        let connect = || {
            let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
            rustix::io::ioctl_fionbio(&socket, true)?;
            rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)
        };
        connect() == Err(rustix::io::Errno::CONNREFUSED)
    }

    pub(crate) fn remove(path: &Path) {
        if let Err(error) = fs::remove_file(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(path = %path.display(), %error, "cannot remove a socket");
        }
    }

    /// Waits until the peer, which has half-closed before, closes the connection altogether;
    /// returns whether it had read all that was sent.
    pub(crate) async fn read_and_closed(stream: &Stream) -> bool {
        let mut pause = Duration::from_millis(1);
        // The half-close is news already delivered, so there is no event to wait for but this flag.
        loop {
            match stream.ready(Interest::WRITABLE).await {
                Err(_) => return false,
                // Closing with unread bytes resets the connection.
                Ok(ready) if ready.is_write_closed() => {
                    return matches!(stream.take_error(), Ok(None));
                }
                Ok(_) => sleep(pause).await,
            }
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }
}
