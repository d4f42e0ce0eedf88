//! The named pipe that replaces the socket on Windows. Run under Wine, and not yet on Windows itself.
//!
//! A pipe lies in no folder and leaves nothing behind: it goes with its last handle, so there is nothing to sweep. In
//! place of the folder that only the user can enter there are three things. The pipe's access list names this user and
//! nobody else. Computers elsewhere are refused. The name has 128 random bits and its first instance must be the first
//! of that name, so that nobody can have been there before. A connection without a hello with a token is closed after
//! some seconds, as on every platform. It carries messages, read as a stream, because one of no bytes can then say what
//! the half-close of a socket says.

use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use siderail_os::user_only::UserOnly;
use tokio::net::windows::named_pipe::{NamedPipeServer, PipeMode, ServerOptions};

use super::ListenError;

pub(crate) type Stream = NamedPipeServer;

/// The pipe, with the instance that the next client will meet. There is always one, so that no client finds none.
pub(crate) struct Listener {
    name: PathBuf,
    next: Mutex<Option<NamedPipeServer>>,
}

impl Listener {
    /// Waits for a client. The answer's second half is what a socket would say of its peer.
    pub(crate) async fn accept(&self) -> io::Result<(Stream, ())> {
        let waiting = self.next.lock().take();
        let server = match waiting {
            Some(server) => server,
            None => instance(&self.name, false)?,
        };
        server.connect().await?;
        // Where this fails the client at hand is served all the same, and the next round tries again.
        *self.next.lock() = instance(&self.name, false).ok();
        Ok((server, ()))
    }
}

#[expect(unsafe_code, reason = "tokio takes a descriptor as a pointer only")]
fn instance(name: &Path, first: bool) -> io::Result<NamedPipeServer> {
    let mut options = ServerOptions::new();
    options
        .pipe_mode(PipeMode::Message)
        .first_pipe_instance(first)
        .reject_remote_clients(true);
    UserOnly::new()?.attributes(|attributes| {
        // SAFETY: the attributes are valid during this call, which does not keep them.
        unsafe { options.create_with_security_attributes_raw(name, attributes) }
    })
}

/// Opens a new pipe. Pipes are in no folder.
pub(crate) fn open(_folder: &Path) -> Result<(Listener, PathBuf), ListenError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).expect("the operating system gives random bytes");
    let name = format!(
        r"\\.\pipe\siderail-{}-{:032x}",
        std::process::id(),
        u128::from_ne_bytes(random)
    );
    let name = PathBuf::from(name);
    match instance(&name, true) {
        Ok(server) => {
            let next = Mutex::new(Some(server));
            let listener = Listener {
                name: name.clone(),
                next,
            };
            Ok((listener, name))
        }
        Err(source) => Err(ListenError::Bind { path: name, source }),
    }
}

/// A pipe goes with its last handle.
pub(crate) fn remove(_path: &Path) {}

/// Waits until the peer closes the connection; returns whether it had read all that was sent.
///
/// A pipe does not say what its peer has read, so a relay there says it: one byte, once the answer is printed.
pub(crate) async fn read_and_closed(stream: &Stream) -> bool {
    let mut byte = [0];
    loop {
        if stream.readable().await.is_err() {
            return false;
        }
        match stream.try_read(&mut byte) {
            Ok(n_bytes) => return n_bytes > 0,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return false,
        }
    }
}
