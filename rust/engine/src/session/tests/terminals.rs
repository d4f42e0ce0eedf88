//! Terminals of the agent beyond a plain run: an end that it wants, a release, and what is left of either.

use super::*;

impl Stage {
    fn terminal(&mut self, id: &str, method: &str, params: &Value) {
        let mut params = params.clone();
        params["sessionId"] = json!("s");
        let method = format!("terminal/{method}");
        self.agent_says(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// A shell whose background program and itself have told their numbers.
    async fn busy_terminal(&mut self) -> (String, Vec<String>) {
        self.session.carried.options.answer = Some(true);
        Arc::make_mut(&mut self.session.facts).policy = siderail_guard::Policy::Ask;
        let line = "sleep 300 & echo $! > pids; echo $$ >> pids; wait";
        let create = json!({"command": "/bin/sh", "args": ["-c", line]});
        self.terminal("create", "create", &create);
        let opened = self.session.terminals.names().pop();
        let file = self.session.root().join("pids");
        let end = Instant::now() + LIMIT;
        loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let pids: Vec<String> = text.lines().map(str::to_owned).collect();
            if pids.len() == 2 {
                return (opened.expect("the command runs"), pids);
            }
            assert!(Instant::now() < end, "the shell does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn open_requests(&self) -> usize {
        self.session.wire.connection.open_requests().count()
    }
}

/// Dead, or dead and not yet fetched by whoever inherited it.
fn is_gone(pid: &str) -> bool {
    let listed = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .expect("ps runs");
    let state = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

async fn assert_gone(pids: &[String]) {
    let end = Instant::now() + LIMIT;
    while !pids.iter().all(|pid| is_gone(pid)) {
        assert!(Instant::now() < end, "something of {pids:?} still runs");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_killed_terminal_ends_with_all_it_started_and_can_still_be_read() {
    let mut stage = Stage::new().await;
    let (terminal, pids) = stage.busy_terminal().await;
    let of = json!({"terminalId": terminal});
    stage.terminal("w", "wait_for_exit", &of);
    assert_eq!(stage.open_requests(), 1, "the wait is open");
    stage.terminal("k", "kill", &of);
    assert_eq!(stage.open_requests(), 1, "the kill is answered at once");
    assert_gone(&pids).await;
    assert_eq!(stage.session.terminals.names(), [terminal]);
}

#[tokio::test]
async fn a_released_terminal_ends_with_all_it_started_and_who_waits_is_answered() {
    let mut stage = Stage::new().await;
    let (terminal, pids) = stage.busy_terminal().await;
    let of = json!({"terminalId": terminal});
    stage.terminal("w", "wait_for_exit", &of);
    stage.terminal("r", "release", &of);
    assert_eq!(stage.open_requests(), 0);
    assert!(stage.session.terminals.names().is_empty());
    assert_gone(&pids).await;
    stage.terminal("o", "output", &of);
    assert_eq!(
        stage.open_requests(),
        0,
        "one that is gone is answered, too"
    );
}
