//! What an answer costs grows no faster than the text, and short texts that unfold are given up soon.
//!
//! Counted is time that the processor worked, so that other work on the machine does not fail a test; the
//! figures themselves come from `cargo bench -p siderail-oracles --bench shell`.

#![cfg(unix)]

use siderail_oracles::clock;
use siderail_oracles::labelled::Setting;
use siderail_oracles::shapes::{self, Shape};
use siderail_shell::Dialect;
use std::time::Duration;

fn cost(times: usize, text: &str, setting: &Setting) -> Duration {
    let all = || {
        for _ in 0..times {
            std::hint::black_box(setting.analyse(text.as_bytes()));
        }
    };
    clock::computed(all).1
}

/// What short texts of a shape and one long text cost, if the long one costs more than `bound` times as much as short ones
/// of its length together. Linear cost is about equal; quadratic cost differs by `large / small`.
fn excess(shape: &Shape, small: usize, large: usize, bound: u32) -> Option<String> {
    let setting = Setting::of(shape.dialect);
    let (short, long) = (shape.text(small), shape.text(large));
    let mut least = (Duration::MAX, Duration::MAX);
    // What shares the caches may fall on one side, so doubt is measured again.
    let is_slow = (0..10).all(|_| {
        least.0 = least.0.min(cost(large / small, &short, &setting));
        least.1 = least.1.min(cost(1, &long, &setting));
        least.1 > least.0 * bound
    });
    is_slow.then(|| format!("{:?} {}: {least:?}", shape.dialect, shape.name))
}

#[test]
fn eight_times_the_text_takes_eight_times_the_work() {
    let shapes = shapes::all();
    let slow = shapes
        .iter()
        .filter_map(|shape| excess(shape, 2 << 10, 16 << 10, 4));
    let slow: Vec<String> = slow.collect();
    assert!(slow.is_empty(), "{slow:#?}");
}

/// Shapes in which a copy of all that came before shows beside the other work only where the text is long.
#[test]
fn nothing_is_copied_again_for_each_further_thing() {
    let shapes = shapes::all();
    for name in ["here-strings", "variables, names descending"] {
        let shape = shapes.iter().find(|shape| shape.name == name);
        let slow = shape.map(|shape| excess(shape, 16 << 10, 1 << 20, 2));
        assert_eq!(slow, Some(None), "{name}");
    }
}

#[test]
fn short_texts_that_unfold_without_end_are_given_up_soon() {
    let setting = Setting::of(Dialect::Bash);
    for (name, text) in shapes::bombs() {
        let took = cost(1, &text, &setting);
        assert!(took < Duration::from_secs(5), "{name}: {took:?}");
    }
}
