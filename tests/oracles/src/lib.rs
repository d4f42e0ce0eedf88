//! Second opinions on the shell analysis of `rust/guard`: other parsers, bash itself, generated programs of
//! known truth, damaged input, and command lines labelled by somebody who did not write the code.
//!
//! This library holds what its tests, the program `mutate` and the measurements share. It uses the guard
//! through its public interface only, and nothing that ships depends on it. `docs/guard.md` says what each
//! of them showed.

#[cfg(unix)]
pub mod bash;
#[cfg(unix)]
pub mod clock;
#[cfg(unix)]
pub mod effects;
pub mod effort;
pub mod generator;
pub mod labelled;
pub mod mutations;
pub mod random;
pub mod shapes;
pub mod tally;
