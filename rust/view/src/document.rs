//! The parts of a document: blocks, and the parts of a line.
//!
//! Every text in it may be shown as it is: control characters are written out, and HTML is text like any other.

/// A part of a document that has lines of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// An empty line precedes it.
    pub is_apart: bool,
    /// What it is.
    pub kind: BlockKind,
}

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading.
    Heading {
        /// From 1, the highest, to 6.
        level: u8,
        /// Its words.
        text: Vec<Inline>,
    },
    /// Words.
    Paragraph(Vec<Inline>),
    /// Text that is shown unchanged.
    Code {
        /// What follows the fence: the language, and more.
        info: String,
        /// The lines; the last has no end.
        text: String,
    },
    /// Somebody else's words.
    Quote(Vec<Block>),
    /// A list.
    List {
        /// The number of the first item; none if items have a dot.
        first: Option<u64>,
        /// The items.
        items: Vec<Item>,
    },
    /// A table.
    Table(Table),
    /// A line across.
    Rule,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// An empty line precedes it.
    pub is_apart: bool,
    /// Whether a task is done; none if the item is not a task.
    pub is_done: Option<bool>,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// A table. A row may have fewer cells than the head, never more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns, as the head names them.
    pub head: Vec<Column>,
    /// Cells by row.
    pub rows: Vec<Vec<Vec<Inline>>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Cells end at the right.
    pub is_right: bool,
    /// Its name.
    pub name: Vec<Inline>,
}

/// Something inside of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Words that are shown unchanged.
    Code(String),
    /// The line ends here in the source; where `is_hard`, it has to end here when shown, too.
    Break {
        /// The writer asked for it.
        is_hard: bool,
    },
    /// Slanted.
    Emphasis(Vec<Inline>),
    /// Bold.
    Strong(Vec<Inline>),
    /// Struck through.
    Struck(Vec<Inline>),
    /// Leads somewhere. The address is the writer's and has not been looked at.
    Link {
        /// Where to.
        address: String,
        /// More about it; often empty.
        title: String,
        /// What is shown of it.
        text: Vec<Inline>,
    },
    /// Names a picture, which nobody loads.
    Image {
        /// Where it is.
        address: String,
        /// More about it; often empty.
        title: String,
        /// What is shown in its place.
        text: Vec<Inline>,
    },
}

/// The words alone.
pub fn plain(inlines: &[Inline]) -> String {
    let mut words = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => words += text,
            Inline::Break { .. } => words.push(' '),
            Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Struck(inner) => {
                words += &plain(inner);
            }
            Inline::Link { text, .. } | Inline::Image { text, .. } => words += &plain(text),
        }
    }
    words
}
