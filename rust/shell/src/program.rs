//! What can be known of a program, as plain data: a row of the tables in `programs`. A role says what the program may
//! be to the guard; what follows from one is said in `classify`.

use super::call::Call;
use super::ir::Stream;
use super::judge::Judge;

/// What a role notes of a command.
pub(super) type Note = fn(&mut Judge<'_>, Call<'_>);
/// What a role says that a command prints; `None` leaves the command to the roles behind.
pub(super) type Ask = fn(&mut Judge<'_>, Call<'_>) -> Option<Stream>;

/// A program. All that is known of it by its name is in its row.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    /// What it may be to the guard, in the order in which it is asked.
    pub(super) roles: &'static [Role],
}

pub(super) enum Role {
    /// Noted first, whatever else the command is.
    First(Note),
    /// It runs its arguments, or what stands in them.
    Runs(Ask),
    /// Noted of a command that does not only ask for help, as are all that follow.
    Notes(Note),
    Does(Ask),
}

impl Program {
    /// How many of its roles are asked even of a command that asks for help.
    pub(super) fn n_first(&self) -> usize {
        let is_first = |role: &&Role| matches!(role, Role::First(_) | Role::Runs(_));
        self.roles.iter().take_while(is_first).count()
    }
}

/// A program of which nothing is known.
pub(super) static UNKNOWN_PROGRAM: Program = named(&[], &[]);

/// A row of a program whose options are not known as a whole.
pub(super) const fn named(names: &'static [&'static str], roles: &'static [Role]) -> Program {
    Program { names, roles }
}
