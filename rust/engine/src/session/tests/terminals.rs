//! Terminals of the agent beyond a plain run: an end that it wants, a release, and what is left of either.

use super::disk::Hanging;
use super::*;

impl Stage {
    fn terminal(&mut self, id: &str, method: &str, params: &Value) {
        let mut params = params.clone();
        params["sessionId"] = json!("s");
        let method = format!("terminal/{method}");
        self.agent_says(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// A shell that has printed its number and that of its background program.
    async fn busy_terminal(&mut self) -> (String, Vec<String>) {
        self.allow_all();
        self.terminal("create", "create", &busy());
        let opened = self.session.terminals.names().pop();
        let pids = self.pids().await;
        (opened.expect("the command runs"), pids)
    }

    fn allow_all(&mut self) {
        self.session.carried.options.answer = Some(true);
        Arc::make_mut(&mut self.session.agent_facts).policy = siderail_guard::Policy::Ask;
    }

    /// The numbers of the shell and its background program.
    async fn pids(&self) -> Vec<String> {
        let file = self.session.root().join("pids");
        let end = Instant::now() + LIMIT;
        loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let pids: Vec<String> = text.lines().map(str::to_owned).collect();
            if pids.len() == 2 {
                return pids;
            }
            assert!(Instant::now() < end, "the shell does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The agent wants this command, which is judged; but the disk hangs so many times ahead of its start.
    fn create_behind(&mut self, hanging: &mut Hanging, n_hangs: usize) {
        self.allow_all();
        let mut params = busy();
        params["sessionId"] = json!("s");
        let create = json!({"jsonrpc": "2.0", "id": "create", "method": "terminal/create", "params": params});
        let create = parse(create.to_string().as_bytes()).expect("a message");
        self.session.message(create, &mut self.shared);
        for _ in 0..n_hangs {
            hanging.look(self, "hung");
        }
        let end = Instant::now() + LIMIT;
        let judged = loop {
            match self.worked.try_recv() {
                Ok((_, judged)) => break judged,
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
            assert!(Instant::now() < end, "the command is not judged");
        };
        self.session.worked(judged, &mut self.shared);
    }

    fn open_requests(&self) -> usize {
        self.session.wire.connection.open_requests().count()
    }
}

/// A shell that tells its number and that of its background program, and waits for it.
fn busy() -> Value {
    let line = "sleep 300 & echo $! > pids; echo $$ >> pids; wait";
    json!({"command": "/bin/sh", "args": ["-c", line]})
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

/// The program is looked for in the folder and on PATH, which may lie on a machine that is gone.
#[tokio::test]
async fn a_command_starts_beside_the_loop() {
    let mut stage = Stage::new().await;
    let mut hanging = Hanging(Vec::new());
    stage.create_behind(&mut hanging, 1);
    assert!(stage.session.terminals.names().is_empty());
    assert_eq!(stage.open_requests(), 1, "the agent waits for the start");
    stage.overdue();
    stage.settle();
    assert_eq!(stage.open_requests(), 0);
    assert_eq!(stage.session.terminals.names().len(), 1);
    let pids = stage.pids().await;
    stage.end(None);
    assert_gone(&pids).await;
}

#[tokio::test]
async fn a_command_is_refused_where_the_disk_gives_no_answer() {
    let mut stage = Stage::new().await;
    let mut hanging = Hanging(Vec::new());
    stage.create_behind(&mut hanging, 4);
    for _ in 0..4 {
        stage.overdue();
    }
    assert_eq!(stage.open_requests(), 1, "its start is due");
    stage.overdue();
    assert_eq!(stage.open_requests(), 0);
    assert!(stage.session.terminals.names().is_empty());
    assert!(!stage.session.root().join("pids").exists());
}

#[tokio::test]
async fn a_session_that_ends_while_a_command_starts_leaves_nothing_of_it() {
    for is_dropped in [false, true] {
        let mut stage = Stage::new().await;
        let mut hanging = Hanging(Vec::new());
        stage.create_behind(&mut hanging, 1);
        stage.overdue();
        // It runs by now, but the session has not heard of that.
        let pids = stage.pids().await;
        assert!(stage.session.terminals.names().is_empty());
        if is_dropped {
            drop(stage);
        } else {
            let end = |session: &mut Session, shared: &mut Shared| {
                session.end_in_order(None, shared);
            };
            stage.session.in_turn(end, &mut stage.shared);
            stage.settle();
            stage.one("SUMMARY");
        }
        assert_gone(&pids).await;
    }
}
