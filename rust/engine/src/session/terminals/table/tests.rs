//! Terminals alone: what is kept of their output, and who hears of their end.

use super::*;

fn id(number: u64) -> RequestId {
    RequestId::from_u64(number)
}

/// A terminal, and what is closed once its command is to end.
fn opened(terminals: &mut Terminals, number: u64, limit: u64) -> (String, oneshot::Receiver<()>) {
    let (stop, stopped) = oneshot::channel();
    (terminals.opened(number, Some(limit), stop), stopped)
}

fn answers(effects: Vec<Effect>) -> Vec<(RequestId, Value)> {
    let answer = |effect| match effect {
        Effect::Answer(id, value) => (id, value),
        Effect::Refuse(id, error) => (id, json!({"error": error.code})),
        _ => panic!("terminals only answer"),
    };
    effects.into_iter().map(answer).collect()
}

#[test]
fn output_beyond_the_limit_is_cut_from_its_start_and_never_inside_a_character() {
    let text = "aä€𝄞b".repeat(5);
    for limit in 0..=text.len() {
        for piece in 1..5 {
            let mut terminals = Terminals::default();
            let (name, _stopped) = opened(&mut terminals, 1, limit as u64);
            for bytes in text.as_bytes().chunks(piece) {
                terminals.put_out(&name, bytes);
            }
            let answer = answers(terminals.wanted(id(1), &name, Wish::Output))
                .remove(0)
                .1;
            let kept = answer["output"].as_str().expect("a text");
            assert!(text.ends_with(kept), "{limit}: {kept:?}");
            assert!(kept.len() <= limit && kept.len() + 3 >= limit, "{limit}");
            assert_eq!(answer["truncated"], limit < text.len(), "{limit}");
        }
    }
}

#[test]
fn output_that_is_no_text_is_kept_up_to_the_limit() {
    let mut terminals = Terminals::default();
    let (name, _stopped) = opened(&mut terminals, 1, 10);
    terminals.put_out(&name, &[0x80; 100]);
    assert!(terminals.0[&name].output.len() >= 7);
}

#[test]
fn an_end_is_told_by_code_or_by_the_signals_name_to_all_that_wait() {
    let mut terminals = Terminals::default();
    let (name, _stopped) = opened(&mut terminals, 1, 10);
    for number in [1, 2, 3] {
        assert!(
            terminals
                .wanted(id(number), &name, Wish::WaitForExit)
                .is_empty()
        );
    }
    terminals.forget_wait(&id(2));
    assert!(terminals.is_awaited());
    let by_signal = Exit {
        code: None,
        signal: Some(9),
    };
    let status = json!({"exitCode": null, "signal": "SIGKILL"});
    let told = answers(terminals.exited(&name, by_signal));
    assert_eq!(told, [(id(1), status.clone()), (id(3), status.clone())]);
    assert!(!terminals.is_awaited());
    let late = answers(terminals.wanted(id(4), &name, Wish::WaitForExit));
    assert_eq!(late, [(id(4), status)], "at once");
}

#[test]
fn a_released_terminal_answers_who_waits_ends_its_command_and_is_gone() {
    let mut terminals = Terminals::default();
    let (name, mut stopped) = opened(&mut terminals, 1, 10);
    terminals.wanted(id(1), &name, Wish::WaitForExit);
    let told = answers(terminals.wanted(id(2), &name, Wish::Release));
    assert_eq!(
        told.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(),
        [id(1), id(2)]
    );
    let closed = Err(oneshot::error::TryRecvError::Closed);
    assert_eq!(stopped.try_recv(), closed, "its command is to end");
    let gone = answers(terminals.wanted(id(3), &name, Wish::Output));
    assert_eq!(gone[0].1["error"], codes::RESOURCE_NOT_FOUND);
}

#[test]
fn a_killed_terminal_can_still_be_read() {
    let mut terminals = Terminals::default();
    let (name, mut stopped) = opened(&mut terminals, 1, 10);
    terminals.put_out(&name, b"said");
    terminals.wanted(id(1), &name, Wish::Kill);
    assert!(stopped.try_recv().is_err());
    let read = answers(terminals.wanted(id(2), &name, Wish::Output));
    assert_eq!(read[0].1["output"], "said");
}

#[test]
fn the_oldest_that_has_ended_makes_room_and_none_that_runs() {
    let mut terminals = Terminals::default();
    let open: Vec<_> = (0..MOST as u64)
        .map(|number| opened(&mut terminals, number, 10))
        .collect();
    let full = terminals.room().expect_err("all are open");
    assert!(full.to_string().contains("release one first"), "{full}");
    for at in [7, 3] {
        terminals.exited(&open[at].0, Exit::default());
    }
    assert!(terminals.room().is_ok());
    assert!(!terminals.names().contains(&open[3].0));
    assert!(terminals.names().contains(&open[7].0));
}
