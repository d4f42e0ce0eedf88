//! What a faulty agent does in one session: steps of its turns, and the faults around them.

use std::fmt::Write as _;

use crate::chance::Chance;

/// Faults by chance: name and the most that they get, in 1000 lines.
const CHANCES: [(&str, u64); 11] = [
    ("garbage", 40),
    ("blank", 40),
    ("split", 30),
    ("stray_answers", 30),
    ("unknown_notifications", 30),
    ("unknown_requests", 20),
    ("unadvertised_fs", 20),
    ("unknown_updates", 40),
    ("duplicate_tool_calls", 200),
    ("update_before_create", 200),
    ("late_answers", 60),
];

/// A session to be played.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) shape: &'static str,
    pub(super) script: String,
    pub(super) faults: String,
    /// Ids of the agent's requests are such that its answers can be told apart.
    pub(super) plain_ids: bool,
    /// The agent may come to wait for what it has lost.
    pub(super) may_be_silent: bool,
}

/// A session of this many turns.
pub(super) fn part(turns: usize, chance: &mut Chance) -> Part {
    let mut script = String::new();
    for _ in 0..turns {
        script.push_str("[[prompt]]\nresume = true\nstep = [\n");
        for _ in 0..1 + chance.below(3) {
            let _ = writeln!(script, "  {},", step(chance));
        }
        script.push_str("  { say = 'Done.' },\n]\n");
    }
    let (faults, plain_ids) = faults(chance);
    Part {
        shape: chance.one_of(&siderail_testkit::shape::NAMES),
        script,
        plain_ids,
        // Requests that share an id cannot be told apart by the agent either.
        may_be_silent: !plain_ids || faults.contains("missing_answers"),
        faults,
    }
}

fn step(chance: &mut Chance) -> String {
    let n = chance.below(40) + 1;
    match chance.below(100) {
        0..25 => format!("{{ flood = {n} }}"),
        25..35 => format!("{{ say = 'grüße, 世界 {n}', chunks = 7 }}"),
        35..45 => "{ read = 'src/App.java' }".to_owned(),
        45..60 => "{ edit = 'src/App.java', old = 'x = 1', new = 'x = 2' }".to_owned(),
        60..70 => "{ shell = './build.sh all', description = 'build' }".to_owned(),
        70..76 => {
            "{ parallel = [{ shell = './a' }, { shell = './b' }, { shell = './c' }] }".to_owned()
        }
        76..82 => {
            "{ call = 'intellij_read_file', arguments = { path = 'src/App.java' } }".to_owned()
        }
        82..86 => "{ plan = ['one', 'two'] }".to_owned(),
        86..91 => format!("{{ fault = 'storm={n}' }}"),
        91..94 => format!("{{ fault = 'huge={}' }}", n * 20_000),
        94..96 => format!("{{ fault = 'stderr={}' }}", n * 5_000),
        96 => "{ fail = 'overloaded' }".to_owned(),
        97 => "{ request = 'weather/get', params = { a = 1 } }".to_owned(),
        _ if chance.happens(700) => "{ sleep = 0.02 }".to_owned(),
        _ => format!(
            "{{ fault = '{}' }}",
            chance.one_of(&["exit=1", "kill", "abort", "exit=0"])
        ),
    }
}

/// Some faults of all kinds, and whether the ids of requests stay plain.
fn faults(chance: &mut Chance) -> (String, bool) {
    let mut faults: Vec<String> = Vec::new();
    for (name, most) in CHANCES {
        if chance.happens(400) {
            faults.push(format!("{name}={}", chance.below(most) + 1));
        }
    }
    for name in [
        "crlf",
        "bom",
        "no_kind",
        "no_title",
        "early_updates=3",
        "permission_copies=2",
    ] {
        if chance.happens(150) {
            faults.push(name.to_owned());
        }
    }
    let mut plain_ids = true;
    if chance.happens(300) {
        let kind = chance.one_of(&["float", "string", "negative", "overlap", "null", "mixed"]);
        plain_ids = !["null", "mixed"].contains(&kind);
        faults.push(format!("ids={kind}"));
    }
    if chance.happens(20) {
        faults.push(
            (chance.one_of(&["missing_answers=30", "hang_on_cancel", "ignore_eof"])).to_owned(),
        );
    }
    (faults.join(","), plain_ids)
}
