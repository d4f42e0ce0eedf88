//! Runs `run_command` (in the making: this file is replaced by its author).
use super::CancelFlag;
use crate::host::{ToolFailure, ToolOutcome};
use serde_json::Value;
use siderail_acp::process::Guardian;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Runs commands.
pub struct CommandRunner;

impl CommandRunner {
    /// A runner.
    pub fn new(
        _folder: PathBuf,
        _guardian: Option<Guardian>,
        _env: BTreeMap<String, String>,
    ) -> Self {
        Self
    }
    /// Runs one.
    pub async fn run(
        &self,
        _root: &Path,
        _arguments: &Value,
        _cancel: CancelFlag,
    ) -> Result<ToolOutcome, ToolFailure> {
        Ok(ToolOutcome::default())
    }
}
