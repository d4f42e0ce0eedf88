//! Which system this is, as a value: where only a name or a letter differs, code asks this in place of being compiled
//! in two ways.

/// An operating system that this program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux, and what is like it.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl System {
    /// The one that this was built for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_vendor = "apple") {
        Self::MacOs
    } else {
        Self::Linux
    };

    /// Whether it is Windows, with its paths, shells and names.
    #[must_use]
    pub const fn is_windows(self) -> bool {
        matches!(self, Self::Windows)
    }

    /// The variable that names the user's home folder.
    #[must_use]
    pub const fn home(self) -> &'static str {
        match self {
            Self::Windows => "USERPROFILE",
            Self::Linux | Self::MacOs => "HOME",
        }
    }

    /// The separator between the folders of `PATH`.
    #[must_use]
    pub const fn list_separator(self) -> char {
        match self {
            Self::Windows => ';',
            Self::Linux | Self::MacOs => ':',
        }
    }

    /// The folder that is above all others; on Windows, of the drive that it is mostly installed on.
    #[must_use]
    pub const fn root(self) -> &'static str {
        match self {
            Self::Windows => r"C:\",
            Self::Linux | Self::MacOs => "/",
        }
    }
}
