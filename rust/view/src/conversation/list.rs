//! A copy of a conversation that follows by patches: the items in order, what is said, and what is folded into what.
//!
//! For readers that want all of it at once, such as an export. It forgets nothing.

use std::collections::HashMap;

use super::item::{Item, Patch};

/// The items of a conversation, in order.
#[derive(Debug, Default)]
pub struct List {
    order: Vec<u64>,
    items: HashMap<u64, Listed>,
}

/// An item with what its patches have brought.
#[derive(Debug)]
pub struct Listed {
    /// The item.
    pub item: Item,
    /// What was said, where it is speech.
    pub text: String,
    /// The items that it shows.
    pub folded: Vec<u64>,
}

impl List {
    /// Follows a patch.
    pub fn apply(&mut self, patch: Patch) {
        match patch {
            Patch::Append(item) => {
                self.order.push(item.id);
                let id = item.id;
                let listed = Listed {
                    item,
                    text: String::new(),
                    folded: Vec::new(),
                };
                self.items.insert(id, listed);
            }
            Patch::Replace(item) => {
                if let Some(listed) = self.items.get_mut(&item.id) {
                    listed.item = item;
                }
            }
            Patch::Extend { id, text, .. } => {
                if let Some(listed) = self.items.get_mut(&id) {
                    listed.text += &text;
                }
            }
            Patch::Fold { into, ids } => {
                ids.iter().for_each(|id| self.take_place(*id));
                if let Some(listed) = self.items.get_mut(&into) {
                    listed.folded.extend(ids);
                }
            }
            Patch::Asked { .. } => {}
            Patch::Remove { id } => {
                self.take_place(id);
                self.items.remove(&id);
            }
        }
    }

    /// An item that loses its place is near the end.
    fn take_place(&mut self, id: u64) {
        if let Some(at) = self.order.iter().rposition(|other| *other == id) {
            self.order.remove(at);
        }
    }

    /// The items that have a place of their own.
    pub fn items(&self) -> impl Iterator<Item = &Listed> {
        self.order.iter().filter_map(|id| self.items.get(id))
    }

    /// The items that another one shows.
    pub fn folded<'a>(&'a self, into: &'a Listed) -> impl Iterator<Item = &'a Listed> {
        into.folded.iter().filter_map(|id| self.items.get(id))
    }
}
