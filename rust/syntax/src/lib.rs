//! Parses command lines of bash, fish, PowerShell and cmd into one [`tree`].
//!
//! It keeps how a text is built: commands, words with their quoting, redirections, and what runs inside what. It knows
//! no program, no path and no state of a shell, does no I/O, and is total: any text gives a tree, or a tree up to the
//! trouble, in time linear in its length for a bounded depth.
//!
//! ```
//! let parsed = siderail_syntax::bash::parse("echo 'a b' > out", 0, 64);
//! assert!(parsed.trouble.is_none());
//! assert_eq!(parsed.script.nodes.len(), 1);
//! ```

pub mod bash;
pub mod cmd;
mod cursor;
pub mod escapes;
pub mod excerpt;
pub mod fish;
pub mod powershell;
pub mod tree;
