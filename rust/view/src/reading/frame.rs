//! The parts of a document that have begun and not ended while it is read: a block or a span with what it holds so far.

use pulldown_cmark::{Alignment, CodeBlockKind, HeadingLevel, Tag};

use super::MARK;
use crate::document::{Block, BlockKind, Inline, Item, Table};

/// Something that has begun.
pub(super) struct Frame {
    pub(super) what: What,
    pub(super) start: usize,
    pub(super) blocks: Vec<Block>,
    pub(super) inlines: Vec<Inline>,
}

impl Frame {
    pub(super) fn new(what: What, start: usize) -> Self {
        Self {
            what,
            start,
            blocks: Vec::new(),
            inlines: Vec::new(),
        }
    }

    /// A block holds blocks, and in a tight list words too, which then are a paragraph.
    pub(super) fn words_to_block(&mut self) {
        if !self.inlines.is_empty() {
            let kind = BlockKind::Paragraph(std::mem::take(&mut self.inlines));
            let is_apart = false;
            self.blocks.push(Block { is_apart, kind });
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        let clean: String = text.chars().filter(|c| *c != MARK).collect();
        match self.inlines.last_mut() {
            Some(Inline::Text(last)) => last.push_str(&clean),
            _ if clean.is_empty() => {}
            _ => self.inlines.push(Inline::Text(clean)),
        }
    }
}

pub(super) enum What {
    Root,
    Paragraph,
    Heading(u8),
    Code(String),
    Quote,
    List(Option<u64>, Vec<Item>),
    Item(Option<bool>),
    Table(Vec<bool>, Table),
    /// Cells, and where the last one ends.
    Row(Vec<Vec<Inline>>, usize),
    Cell,
    Emphasis,
    Strong,
    Struck(&'static str),
    Link(String, String),
    Image(String, String),
}

impl What {
    pub(super) fn is_inline(&self) -> bool {
        use What::{Emphasis, Image, Link, Strong, Struck};
        matches!(self, Emphasis | Strong | Struck(_) | Link(..) | Image(..))
    }

    pub(super) fn holds_blocks(&self) -> bool {
        matches!(self, Self::Root | Self::Quote | Self::Item(_))
    }
}

/// The lines of code, which is text and breaks until then.
pub(super) fn code_text(inlines: &[Inline]) -> String {
    let piece = |inline: &Inline| match inline {
        Inline::Text(text) => text.clone(),
        _ => "\n".to_owned(),
    };
    inlines.iter().map(piece).collect()
}

/// What begins; none for what is not a part of a document here.
pub(super) fn what(tag: Tag, source: &str) -> Option<What> {
    let text = |text: &str| text.chars().filter(|c| *c != MARK).collect::<String>();
    Some(match tag {
        Tag::Paragraph | Tag::HtmlBlock => What::Paragraph,
        Tag::Heading { level, .. } => What::Heading(level_of(level)),
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => What::Code(text(&info)),
        Tag::CodeBlock(CodeBlockKind::Indented) => What::Code(String::new()),
        Tag::BlockQuote(_) => What::Quote,
        Tag::List(first) => What::List(first, Vec::new()),
        Tag::Item => What::Item(None),
        Tag::Table(columns) => {
            let is_right = |column: &Alignment| *column == Alignment::Right;
            What::Table(columns.iter().map(is_right).collect(), Table::default())
        }
        Tag::TableHead | Tag::TableRow => What::Row(Vec::new(), 0),
        Tag::TableCell => What::Cell,
        Tag::Emphasis => What::Emphasis,
        Tag::Strong => What::Strong,
        Tag::Strikethrough => What::Struck(match source.starts_with("~~") {
            true => "~~",
            false => "~",
        }),
        Tag::Link {
            dest_url, title, ..
        } => What::Link(text(&dest_url), text(&title)),
        Tag::Image {
            dest_url, title, ..
        } => What::Image(text(&dest_url), text(&title)),
        _ => return None,
    })
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
