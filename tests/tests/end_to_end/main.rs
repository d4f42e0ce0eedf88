//! Whole runs: the engine, its real relay, hooks and guardian, and the scripted agent in the shapes of ten
//! real ones. Judged by events, by what the model was shown, by files and by processes.

#![cfg(unix)]

mod access;
mod again;
mod agents;
mod around;
mod asking;
mod attached;
mod cancelling;
mod consent;
mod content_roots;
mod denial;
mod endings;
mod ladder;
mod lies;
mod logins;
mod other_settings;
mod plans;
mod play;
mod refusal;
mod relay_death;
mod stand_in;
mod turns;
mod untold;
