//! What the embedder gives: five functions that the library calls, from threads of its own.
//!
//! The JVM's are in [`crate::jvm`], those of C in [`crate::abi`]. Whoever calls them here knows neither.

/// The embedder's functions. Each should hand over and return; one that does not delays only those of its own
/// kind, see [`crate::delivery`].
pub trait Callbacks: Send + Sync + 'static {
    /// Takes a JSON array of events.
    ///
    /// # Errors
    /// The embedder's function failed; the events count as taken.
    fn events(&self, batch: &[u8]) -> Result<(), CallbackError>;

    /// Starts a host call, given as JSON.
    ///
    /// # Errors
    /// The embedder's function failed, and with it the call.
    fn start(&self, call: u64, request: &[u8]) -> Result<(), CallbackError>;

    /// The call is no longer wanted.
    ///
    /// # Errors
    /// The embedder's function failed, which changes nothing.
    fn cancel(&self, call: u64) -> Result<(), CallbackError>;

    /// Takes a record for the log. `level` is 1 for an error to 5 for a trace. A failure is nobody's to hear.
    fn log(&self, level: u8, target: &str, text: &str);

    /// The engine has ended; nothing is called after this.
    fn closed(&self);
}

/// A function of the embedder that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallbackError {
    /// It was cancelled, which is no error of its.
    #[error("it was cancelled")]
    Cancelled,
    /// It threw.
    #[error("it threw {what}: {text}")]
    Threw {
        /// Name of the exception.
        what: String,
        /// What it said.
        text: String,
    },
}
