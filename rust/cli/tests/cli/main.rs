//! The binary `siderail` as its users meet it: started as a process, judged by output and exit code.

mod agents;
mod chat;
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
mod secrets;
mod settings;
mod terminal;
mod trace_replay;
mod trace_show;
mod usage;
