//! `session/list` over several processes: one list, with the ids by which the client knows its sessions.
//!
//! An agent that keeps its sessions on disk lists the same ones from each process, one that keeps them in memory only
//! its own. Only the first process is asked for further pages.

use serde_json::{Value, json};
use siderail_engine::acp::requests;
use siderail_engine::acp::wire::RequestId;
use siderail_engine::acp_client::Outcome;

use super::agent_side::{Effect, Face, Listing, Pending, Purpose};

impl Face {
    /// The client wants the list of sessions.
    pub(super) fn list(&mut self, id: RequestId, params: &Value) {
        let first = self.any_process();
        let is_first_page = params["cursor"].is_null();
        let more = self.processes.iter();
        let more = more.filter(|(session, process)| {
            **session != first && is_first_page && process.client_id.is_some()
        });
        let more: Vec<u64> = more.map(|(session, _)| *session).collect();
        let asked: Vec<u64> = [first].into_iter().chain(more).collect();
        for session in &asked {
            self.effects.push(Effect::Request {
                session: *session,
                method: requests::LIST_SESSIONS.to_owned(),
                params: params.clone(),
                pending: Pending {
                    id: id.clone(),
                    session: *session,
                    purpose: Purpose::List,
                },
            });
        }
        self.lists.push(Listing {
            id,
            asked,
            answers: Vec::new(),
        });
    }

    /// A process has listed its sessions, or cannot.
    pub(super) fn listed(&mut self, id: &RequestId, session: u64, outcome: Outcome) {
        let Some(at) = self.lists.iter().position(|list| list.id == *id) else {
            return;
        };
        let list = &mut self.lists[at];
        list.answers.push((session, outcome));
        if list.answers.len() < list.asked.len() {
            return;
        }
        let Listing { asked, answers, .. } = self.lists.remove(at);
        self.answer_list(id, asked, answers);
    }

    fn answer_list(&mut self, id: &RequestId, asked: Vec<u64>, answers: Vec<(u64, Outcome)>) {
        let mut whole: Option<Value> = None;
        let mut error = None;
        for session in asked {
            let told = answers.iter().find(|(of, _)| *of == session);
            match told.map(|(_, outcome)| outcome) {
                Some(Ok(result)) => {
                    let mut result: Value = serde_json::from_str(result.get()).unwrap_or_default();
                    self.name_as_client(session, &mut result);
                    match &mut whole {
                        None => whole = Some(result),
                        Some(whole) => join(whole, &result),
                    }
                }
                Some(Err(why)) => error = error.or_else(|| Some(why.clone())),
                None => {}
            }
        }
        match (whole, error) {
            (Some(whole), _) => self.answer(id, &whole),
            (None, Some(error)) => self.refuse(id, &error),
            (None, None) => self.answer(id, &json!({"sessions": []})),
        }
    }

    /// The session that a process has open goes by the id that the client knows.
    fn name_as_client(&self, session: u64, result: &mut Value) {
        let sessions = result["sessions"].as_array_mut();
        for listed in sessions.into_iter().flatten() {
            self.to_client(session, listed);
        }
    }
}

/// Puts the sessions that are not there yet behind those that are.
fn join(whole: &mut Value, more: &Value) {
    let Some(sessions) = whole["sessions"].as_array_mut() else {
        return;
    };
    for session in more["sessions"].as_array().into_iter().flatten() {
        let is_there = |listed: &Value| listed["sessionId"] == session["sessionId"];
        if !sessions.iter().any(is_there) {
            sessions.push(session.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siderail_engine::acp::wire::{RpcError, parse};

    fn say(face: &mut Face, message: Value) -> Vec<Effect> {
        let message = parse(message.to_string().as_bytes()).unwrap();
        face.client_says(message);
        face.take_effects()
    }

    fn result(value: &Value) -> Outcome {
        Ok(serde_json::value::to_raw_value(value).unwrap())
    }

    /// A face with two sessions in as many processes, both of which the agent calls `s`.
    fn two_sessions() -> Face {
        let folder = std::env::temp_dir().canonicalize().unwrap();
        let mut face = Face::new(folder.clone(), false, false);
        let hello = json!({"protocolVersion": 1});
        say(&mut face, request(1, "initialize", &hello));
        for id in [2, 3] {
            let params = json!({"cwd": folder, "mcpServers": []});
            for effect in say(&mut face, request(id, "session/new", &params)) {
                if let Effect::Request { pending, .. } = effect {
                    face.replied(&pending, result(&json!({"sessionId": "s"})));
                }
            }
        }
        face.take_effects();
        face
    }

    fn request(id: u64, method: &str, params: &Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    /// What the client gets when the processes answer so, in this order.
    fn listed(face: &mut Face, params: &Value, answers: Vec<Outcome>) -> Value {
        let asked = say(face, request(9, "session/list", params));
        let pendings = asked.into_iter().filter_map(|effect| match effect {
            Effect::Request { pending, .. } => Some(pending),
            _ => None,
        });
        let pendings: Vec<Pending> = pendings.collect();
        assert_eq!(pendings.len(), answers.len(), "processes that are asked");
        for (pending, answer) in pendings.iter().zip(answers).rev() {
            assert!(face.take_effects().is_empty(), "answered too early");
            face.replied(pending, answer);
        }
        let lines = face.take_effects();
        let [Effect::Line(line)] = lines.as_slice() else {
            panic!("{lines:?}");
        };
        serde_json::from_slice(line).unwrap()
    }

    #[test]
    fn the_lists_of_all_processes_are_one_with_the_ids_of_the_client() {
        let mut face = two_sessions();
        let list = |ids: &[&str]| {
            let sessions: Vec<Value> = ids.iter().map(|id| json!({"sessionId": id})).collect();
            json!({"sessions": sessions, "nextCursor": "more"})
        };
        let answers = vec![result(&list(&["s", "old"])), result(&list(&["s", "old"]))];
        let answer = listed(&mut face, &json!({}), answers);
        assert_eq!(answer["result"], list(&["s", "old", "s~2"]));
        let further = json!({"cursor": "more"});
        let answer = listed(&mut face, &further, vec![result(&list(&["older"]))]);
        assert_eq!(answer["result"], list(&["older"]));
    }

    #[test]
    fn a_process_that_cannot_tell_costs_only_its_own_sessions() {
        let mut face = two_sessions();
        let no = || Err(RpcError::new(-32601, "method not found"));
        let own = json!({"sessions": [{"sessionId": "s"}]});
        let answer = listed(&mut face, &json!({}), vec![no(), result(&own)]);
        assert_eq!(answer["result"]["sessions"], json!([{"sessionId": "s~2"}]));
        let answer = listed(&mut face, &json!({}), vec![no(), no()]);
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}
