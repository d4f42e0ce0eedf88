//! The scripted agent as a client sees it: the program, over pipes.

mod client;
mod faults;
mod hiding;
mod hooks;
mod replays;
mod scripts;
mod servers;
mod shapes;
