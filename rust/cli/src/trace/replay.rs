//! `siderail trace replay`: a recorded run as the events that a person saw, its summary last.
//!
//! Nothing is carried out. The engine turns messages and notes into events; here they are printed and summed up.

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use siderail_engine::event::{Event, EventBody, StopReason, TurnEnded};
use siderail_engine::replay::Replay;

use super::{LINE_LIMIT, Recorded, Way, gone, open, say_empty};
use crate::args::ReplayArgs;
use crate::exit::{Exit, Failure};
use crate::lines::{self, RawLine};
use crate::render::Renderer;
use crate::run::fallback_summary::FallbackSummary;
use crate::style::Style;

/// The agent, and whom messages are read by, where the recording does not say.
const UNKNOWN: &str = "generic";

/// Shows a recording as the events that it was seen by.
pub(crate) fn replay(args: &ReplayArgs, style: Style) -> Result<Exit, Failure> {
    let unreadable = |why: String| {
        Failure::usage(
            format!(
                "the recording {} cannot be read: {why}",
                args.file.display()
            ),
            "name a file written by `siderail run --trace FILE`",
        )
    };
    let mut input = open(&args.file).map_err(|error| unreadable(error.to_string()))?;
    let mut shown = Shown::new(args.json, style, BufWriter::new(io::stdout().lock()));
    let mut replay = Replay::new(UNKNOWN);
    let (mut n_lines, mut n_messages) = (0_u64, 0_u64);
    while let Some(line) =
        lines::next(&mut input, LINE_LIMIT).map_err(|error| unreadable(error.to_string()))?
    {
        n_lines += 1;
        let RawLine::Bytes(bytes) = line else {
            continue;
        };
        let Ok(recorded) = serde_json::from_slice::<Recorded>(&bytes) else {
            continue;
        };
        let t = recorded.t.unwrap_or(0.0);
        let events = match Way::of(&recorded.dir) {
            Some(Way::Note) => replay.note(t, &recorded.msg),
            Some(way @ (Way::ToAgent | Way::FromAgent)) => {
                n_messages += 1;
                replay.message(way == Way::ToAgent, t, &recorded.msg)
            }
            _ => continue,
        };
        if let Err(error) = shown.events(&events) {
            return gone(&error);
        }
    }
    let left = replay.end();
    let ended = shown.events(&left).and_then(|()| match n_messages {
        0 => Ok(()),
        _ => shown.end(replay.agent()),
    });
    match (ended, n_messages) {
        (Err(error), _) => gone(&error),
        (Ok(()), 0) if n_lines == 0 => {
            say_empty(&args.file);
            Ok(Exit::Ended)
        }
        (Ok(()), 0) => Err(unreadable("it contains no message".to_owned())),
        (Ok(()), _) => Ok(Exit::Ended),
    }
}

/// What has been printed, and its counts.
struct Shown<W> {
    json: bool,
    renderer: Renderer,
    output: W,
    fallback: FallbackSummary,
    /// How it has ended so far.
    stop_reason: StopReason,
    t: f64,
}

impl<W: Write> Shown<W> {
    fn new(json: bool, style: Style, output: W) -> Self {
        Self {
            json,
            renderer: Renderer::new(style).talking(),
            output,
            fallback: FallbackSummary::of(UNKNOWN, 1),
            stop_reason: StopReason::NotStarted,
            t: 0.0,
        }
    }

    fn events(&mut self, events: &[Event]) -> io::Result<()> {
        for event in events {
            self.fallback.event(event);
            self.t = self.t.max(event.t);
            match &event.body {
                EventBody::SessionStarted(_) => self.stop_reason = StopReason::Ended,
                EventBody::TurnEnded(TurnEnded { stop_reason, .. }) => {
                    self.stop_reason.clone_from(stop_reason);
                }
                EventBody::Error(_) => self.stop_reason = StopReason::Error,
                _ => {}
            }
            self.print(event)?;
        }
        Ok(())
    }

    fn print(&mut self, event: &Event) -> io::Result<()> {
        let text = match self.json {
            true => serde_json::to_string(event)? + "\n",
            false => self.renderer.past_event(&event.body),
        };
        self.output.write_all(text.as_bytes())
    }

    /// The summary, as the recording holds it.
    fn end(&mut self, agent: &str) -> io::Result<()> {
        let elapsed = Duration::try_from_secs_f64(self.t).unwrap_or_default();
        let known = std::mem::take(&mut self.fallback).named(agent);
        let summary = known.summary(self.stop_reason.clone(), elapsed);
        self.print(&summary)?;
        let open_line = self.renderer.close_line();
        self.output.write_all(open_line.as_bytes())?;
        self.output.flush()
    }
}
