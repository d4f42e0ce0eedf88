//! Reads prepared text into blocks: `pulldown-cmark` says what is where, here it becomes plain data of bounded depth.
//!
//! CommonMark with tables, tasks and struck words. Definitions of links are none here (the text is prepared so that
//! the parser sees none): a text must not change when a line far behind it comes.

mod frame;

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::document::{Block, BlockKind, Column, Inline, Item};
use frame::{Frame, What, code_text, what};

/// Precedes what the parser is not to see as it would; taken out of every text.
pub(crate) const MARK: char = '\u{fdd0}';
/// Blocks inside of each other; what is deeper belongs to the deepest.
const DEEPEST: usize = 24;
/// The same for the contents of a line.
const DEEPEST_INLINE: usize = DEEPEST + 12;

/// Where a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the document's beginning.
    Start,
    /// Behind other blocks.
    Behind,
    /// Behind other blocks and an empty line.
    Apart,
}

/// The blocks of a text.
pub(crate) struct Reading(Vec<Located>);

/// A block of the outermost level.
pub(crate) struct Located {
    /// Where its first line begins.
    pub(crate) line: usize,
    block: Block,
}

impl Located {
    pub(crate) fn is_apart(&self) -> bool {
        self.block.is_apart
    }
}

impl Reading {
    pub(crate) fn pop(&mut self) -> Option<Located> {
        self.0.pop()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn blocks(self) -> Vec<Block> {
        self.0.into_iter().map(|located| located.block).collect()
    }

    /// The line that opened the code with which the text ends.
    pub(crate) fn open_fence<'a>(&self, text: &'a str) -> Option<&'a str> {
        let last = self.0.last()?;
        let line = text[last.line..].lines().next()?;
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        (matches!(last.block.kind, BlockKind::Code { .. }) && is_fence).then_some(line)
    }
}

/// Reads a text that was prepared.
pub(crate) fn read(text: &str, place: Place) -> Reading {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut tree = Tree {
        text,
        place,
        frames: vec![Frame::new(What::Root, 0)],
        n_skipped: 0,
        lines: Vec::new(),
    };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        tree.event(event, range);
    }
    tree.end()
}

/// What is being read, from the outermost to the innermost.
struct Tree<'a> {
    text: &'a str,
    place: Place,
    frames: Vec<Frame>,
    /// So many beginnings were skipped, since they lie too deep.
    n_skipped: usize,
    /// Where the blocks of the outermost level begin.
    lines: Vec<usize>,
}

impl Tree<'_> {
    fn event(&mut self, event: Event, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, &range),
            Event::End(_) => self.end_tag(&range),
            Event::Text(text) => self.words(&text),
            Event::Code(code) => {
                let code: String = code.chars().filter(|c| *c != MARK).collect();
                self.last().inlines.push(Inline::Code(code));
            }
            Event::Html(html) | Event::InlineHtml(html) => self.lines(&html),
            Event::SoftBreak => self.line_break(false),
            Event::HardBreak => self.line_break(true),
            Event::Rule => self.block(BlockKind::Rule, range.start),
            Event::TaskListMarker(is_done) => self.task(is_done),
            // of extensions that are switched off
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.words(&text);
            }
        }
    }

    fn last(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn words(&mut self, text: &str) {
        match self.last().what {
            // code too deep for a block of its own
            What::Code(_) => self.last().text(text),
            _ if text.contains('\n') => self.lines(text),
            _ => self.last().text(text),
        }
    }

    /// Text that may be of several lines.
    fn lines(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.line_break(false);
            }
            self.last().text(line);
        }
    }

    fn line_break(&mut self, is_hard: bool) {
        self.last().inlines.push(Inline::Break { is_hard });
    }

    fn task(&mut self, is_done: bool) {
        let innermost = self.frames.iter_mut().rev();
        let mut items = innermost.filter_map(|frame| match &mut frame.what {
            What::Item(task) => Some(task),
            _ => None,
        });
        match items.next() {
            Some(task) if task.is_none() && self.n_skipped == 0 => *task = Some(is_done),
            _ => self.words(if is_done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag, range: &Range<usize>) {
        let what = what(tag, &self.text[range.start..]);
        let most = match what.as_ref().is_some_and(What::is_inline) {
            true => DEEPEST_INLINE,
            false => DEEPEST,
        };
        let what = match what {
            Some(what) if self.n_skipped == 0 && self.frames.len() < most => what,
            skipped => {
                self.n_skipped += 1;
                if skipped.is_some_and(|what| !what.is_inline()) && !self.last().inlines.is_empty()
                {
                    self.line_break(false);
                }
                return;
            }
        };
        if self.last().what.holds_blocks() && !what.is_inline() {
            self.last().words_to_block();
        }
        self.frames.push(Frame::new(what, range.start));
    }

    fn end_tag(&mut self, range: &Range<usize>) {
        if self.n_skipped > 0 {
            self.n_skipped -= 1;
            return;
        }
        let Some(mut frame) = self.frames.pop() else {
            return;
        };
        let (start, mut inlines) = (frame.start, std::mem::take(&mut frame.inlines));
        if frame.what.holds_blocks() {
            frame.inlines = inlines;
            frame.words_to_block();
            return self.end_container(frame, range);
        }
        match frame.what {
            What::Paragraph => {
                while matches!(inlines.last(), Some(Inline::Break { .. })) {
                    inlines.pop();
                }
                self.block(BlockKind::Paragraph(inlines), start);
            }
            What::Heading(level) => {
                let text = inlines;
                self.block(BlockKind::Heading { level, text }, start);
            }
            What::Code(info) => {
                let mut text = code_text(&inlines);
                if text.ends_with('\n') {
                    text.pop();
                }
                self.block(BlockKind::Code { info, text }, start);
            }
            What::List(first, items) => self.block(BlockKind::List { first, items }, start),
            What::Table(_, table) => self.block(BlockKind::Table(table), start),
            What::Row(cells, end) => self.row(cells, end, range),
            What::Cell => {
                if let What::Row(cells, end) = &mut self.last().what {
                    *end = range.end;
                    cells.push(inlines);
                }
            }
            span => self.end_span(span, inlines),
        }
    }

    /// Something inside of a line has ended.
    fn end_span(&mut self, span: What, inlines: Vec<Inline>) {
        match span {
            What::Emphasis => self.last().inlines.push(Inline::Emphasis(inlines)),
            What::Strong => self.last().inlines.push(Inline::Strong(inlines)),
            What::Struck("~~") => self.last().inlines.push(Inline::Struck(inlines)),
            What::Struck(mark) => {
                self.last().text(mark);
                inlines.into_iter().for_each(|inline| self.again(inline));
                self.last().text(mark);
            }
            What::Link(address, title) => {
                let text = inlines;
                let link = Inline::Link {
                    address,
                    title,
                    text,
                };
                self.last().inlines.push(link);
            }
            What::Image(address, title) => {
                let text = inlines;
                let image = Inline::Image {
                    address,
                    title,
                    text,
                };
                self.last().inlines.push(image);
            }
            _ => {}
        }
    }

    fn again(&mut self, inline: Inline) {
        match inline {
            Inline::Text(text) => self.last().text(&text),
            other => self.last().inlines.push(other),
        }
    }

    fn end_container(&mut self, frame: Frame, range: &Range<usize>) {
        let Frame {
            what,
            start,
            blocks,
            ..
        } = frame;
        let is_apart = self.is_apart(start);
        match what {
            What::Item(is_done) => {
                if let What::List(_, items) = &mut self.last().what {
                    let is_apart = is_apart && !items.is_empty();
                    items.push(Item {
                        is_apart,
                        is_done,
                        blocks,
                    });
                }
            }
            What::Quote => self.block(BlockKind::Quote(blocks), range.start),
            _ => {}
        }
    }

    /// A row has ended; text behind the last column counts as much as the rest.
    fn row(&mut self, mut cells: Vec<Vec<Inline>>, end: usize, range: &Range<usize>) {
        let rest = self.text.get(end..range.end).unwrap_or_default();
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || c == '|');
        let rest: String = rest.chars().filter(|c| *c != MARK).collect();
        if let Some(last) = cells.last_mut().filter(|_| !rest.is_empty()) {
            last.push(Inline::Text(format!(" | {rest}")));
        }
        while cells.last().is_some_and(Vec::is_empty) {
            cells.pop();
        }
        let What::Table(is_right, table) = &mut self.last().what else {
            return;
        };
        if table.head.is_empty() {
            cells.resize(is_right.len(), Vec::new());
            let columns = cells.into_iter().zip(is_right.iter());
            let column = |(name, is_right): (Vec<Inline>, &bool)| Column {
                is_right: *is_right,
                name,
            };
            table.head = columns.map(column).collect();
        } else {
            table.rows.push(cells);
        }
    }

    fn block(&mut self, kind: BlockKind, start: usize) {
        let is_apart = self.is_apart(start);
        if self.frames.len() == 1 {
            let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
            self.lines.push(line);
        }
        let holder = self.last();
        holder.words_to_block();
        let is_first = holder.blocks.is_empty() && !matches!(holder.what, What::Root);
        let is_apart = is_apart && !is_first;
        holder.blocks.push(Block { is_apart, kind });
    }

    /// Whether the line above the one in which something begins is empty.
    fn is_apart(&self, start: usize) -> bool {
        let line = self.text[..start].rfind('\n');
        match line {
            _ if self.place == Place::Start && self.text[..start].trim().is_empty() => false,
            None => self.place == Place::Apart,
            Some(end) => {
                let above = self.text[..end].rsplit('\n').next().unwrap_or_default();
                above.trim_start_matches([' ', '\t', '>']).is_empty()
            }
        }
    }

    fn end(mut self) -> Reading {
        let blocks = std::mem::take(&mut self.frames[0].blocks);
        let located = self.lines.into_iter().zip(blocks);
        Reading(
            located
                .map(|(line, block)| Located { line, block })
                .collect(),
        )
    }
}
