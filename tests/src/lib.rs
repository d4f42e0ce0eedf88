//! Tests that cross crate borders: the shape of the event lines, whole runs, recorded traffic.
//!
//! `fixtures/recordings` holds real traffic of agents; `live` runs real agents against a scripted model.
