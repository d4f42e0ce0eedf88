//! Archivers that take away what they have packed, when they are told to.

use crate::ir::Arg;
use crate::judge::Judge;
use crate::program::{Call, Packing};

impl Judge<'_> {
    pub(super) fn loses_packed(&mut self, packing: &Packing, call: Call<'_>) {
        let options = call.options();
        let (short, long) = packing.option;
        let removes = options.has(short, long)
            || call.has(packing.word)
            || (!packing.subcommand.is_empty() && call.word(0) == packing.subcommand);
        if !removes {
            return;
        }
        let mut skipped = packing.skipped;
        // tar's oldest form has its letters and the archive in front.
        if packing.has_bare_letters && !call.word(0).starts_with('-') {
            skipped = 1 + usize::from(call.word(0).contains('f'));
        }
        let mark = self.scope.mark();
        if let Some(folder) = options.value("C", "directory").filter(|_| skipped != 2) {
            let path = self.target(folder).path;
            self.scope.enter_folder(path);
        }
        let sources: Vec<&Arg> = options.files().iter().copied().skip(skipped).collect();
        self.removes(call, &sources);
        self.scope.undo_to(mark);
    }
}
