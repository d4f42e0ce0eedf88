//! A session's way from its preparation to its end, and back into a new process, without one.

use super::*;

#[tokio::test]
async fn the_folder_is_removed_beside_the_loop_ahead_of_the_summary() {
    let mut stage = Stage::new().await;
    let folder = stage.session.place.folder.clone();
    std::fs::write(folder.join("launch.json"), "{}").expect("the folder is there");
    stage.session.end_in_order(None, &mut stage.shared);
    assert!(stage.session.worker.is_busy() && stage.all("SUMMARY").is_empty());
    stage.settle();
    stage.one("SUMMARY");
    assert!(stage.session.is_over() && !folder.exists());
}
