//! What an answer costs grows no faster than the text, and short texts that unfold are given up soon.
//!
//! Counted is time that the processor worked, so that other work on the machine does not fail a test; the
//! figures themselves come from `cargo bench -p siderail-oracles --bench shell`.

#![cfg(unix)]

use siderail_oracles::clock;
use siderail_oracles::labelled::Setting;
use siderail_oracles::shapes;
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

#[test]
fn eight_times_the_text_takes_eight_times_the_work() {
    let mut slow = Vec::new();
    for shape in shapes::all() {
        let setting = Setting::of(shape.dialect);
        let (small, large) = (shape.text(2 << 10), shape.text(16 << 10));
        let mut least = (Duration::MAX, Duration::MAX);
        // Eight short ones cost what one of eight times the length costs; where cost is quadratic that one
        // costs eight times as much. What shares the caches may fall on one side, so doubt is measured again.
        let is_slow = (0..10).all(|_| {
            least.0 = least.0.min(cost(8, &small, &setting));
            least.1 = least.1.min(cost(1, &large, &setting));
            least.1 > least.0 * 4
        });
        if is_slow {
            slow.push(format!("{:?} {}: {least:?}", shape.dialect, shape.name));
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn short_texts_that_unfold_without_end_are_given_up_soon() {
    let setting = Setting::of(Dialect::Bash);
    for (name, text) in shapes::bombs() {
        let took = cost(1, &text, &setting);
        assert!(took < Duration::from_secs(5), "{name}: {took:?}");
    }
}
