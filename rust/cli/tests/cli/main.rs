//! The binary `siderail` as its users meet it: started as a process, judged by output and exit code.

// Drives terminals, signals and shell scripts; what holds on every system is in `tests/systems`.
#![cfg(unix)]

mod acp;
mod agents;
mod chat;
mod chat_commands;
mod config;
mod defaults;
mod demo;
mod doctor;
mod guard_explain;
mod help;
mod history;
mod hook_command;
mod hostile;
mod left_out;
mod line_editor;
mod login;
mod mcp;
mod memory;
mod odd_names;
mod packages;
mod process;
mod recipes;
mod resume;
mod run;
mod screens;
mod secrets;
mod settings;
mod terminal;
mod trace_replay;
mod trace_show;
mod usage;
