//! The work of each scene.

use super::scene::Scene;
use super::task::Work;
use crate::chance::Chance;

mod commit;
mod conversation;
mod turn;

/// The work of a scene.
pub(super) fn of_scene(scene: Scene, chance: &mut Chance) -> Box<dyn Work> {
    match scene {
        Scene::Turn => Box::new(turn::Rewriting),
        Scene::Load => Box::new(conversation::Loading::default()),
        Scene::Flood => Box::new(conversation::Keeping::flood(chance)),
        Scene::History => Box::new(conversation::Keeping::long_texts(chance)),
        Scene::Commit => Box::new(commit::Committing::new(chance)),
    }
}
