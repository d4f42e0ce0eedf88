//! The engine behind a boundary: natives for a JVM, and the same five verbs for C.
//!
//! Payloads are UTF-8 JSON in both directions, the serde types of the engine. Everything is asynchronous: a verb hands
//! over and returns; its results come through callbacks, from threads of this library. Nothing is decided here. Read
//! [`bridge`] first, then [`natives`] or [`abi`] for a face, `calls`, `outbox` and `delivery` for what is between an
//! engine and a slow embedder. One of the few crates with unsafe code, which is confined to the two faces, the JVM and
//! how threads attach to it.

pub mod abi;
pub mod bridge;
pub mod callbacks;
mod calls;
mod config;
mod delivery;
pub mod error;
mod handle;
mod jvm;
mod logging;
pub mod natives;
mod orders;
mod outbox;
mod runtime;
mod views;
