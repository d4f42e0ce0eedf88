//! What can be typed for conversations.

use clap::Args;

use super::RunArgs;

/// Talk with an agent: each line is a prompt
///
/// What is typed while the agent works reaches it at once where the agent takes that, else it waits for the end
/// of the turn. Ctrl-C cancels a turn first and quits second. /help lists what else can be typed. Through a pipe
/// each line of standard input is a prompt, one after the other, and its end is the end.
#[derive(Clone, Debug, Args)]
#[command(
    mut_arg("prompt", |prompt| prompt.required(false).help("The first prompt; several words are joined")),
    after_help = concat!(exit_codes!(), "\n\nExamples:\n  \
    siderail chat --agent claude\n  \
    siderail chat --agent gemini --json < prompts.txt")
)]
pub(crate) struct ChatArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
