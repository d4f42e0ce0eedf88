//! Faults on demand.
use serde_json::Value;
use std::io::{self, Write};
/// Faults.
#[derive(Clone, Debug, Default)]
pub struct Faults;
impl Faults {
    /// Writes.
    pub fn write(&mut self, writer: &mut dyn Write, line: &[u8]) -> io::Result<()> {
        writer.write_all(line)?;
        writer.flush()
    }
    /// Odd id.
    pub fn request_id(&mut self, _number: u64) -> Option<Value> {
        None
    }
}
