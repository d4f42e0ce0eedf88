//! What can be typed about the user's own settings file.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What can be done with the settings file.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print where the settings file is
    #[command(after_help = "Example: siderail config path")]
    Path,
    /// Open the settings file in $VISUAL or $EDITOR
    ///
    /// Afterwards, mistakes in it are listed, and the exit code is 2 if there are any.
    #[command(after_help = "Example: siderail config edit")]
    Edit,
    Get(ConfigGetArgs),
    Set(ConfigSetArgs),
}

/// Print the value of a setting
#[derive(Debug, Args)]
#[command(after_help = "Example: siderail config get policy")]
pub(crate) struct ConfigGetArgs {
    /// The setting's name (see `siderail policy show`)
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// The project's folder [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

/// Change a setting in the settings file; an invalid value changes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    siderail config set agent claude\n  \
    siderail config set consent openhands,codex")]
pub(crate) struct ConfigSetArgs {
    /// The setting's name (see `siderail policy show`)
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// The value; separate the items of a list with commas
    #[arg(value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) value: String,
}
