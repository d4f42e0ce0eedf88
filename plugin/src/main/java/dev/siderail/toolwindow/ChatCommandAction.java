package dev.siderail.toolwindow;

import com.intellij.openapi.actionSystem.ActionPlaces;
import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.CommonDataKeys;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.project.DumbAwareAction;
import com.intellij.openapi.project.Project;

/**
 * A command to the chat that is in front, as an action of the keymap.
 *
 * Java, because {@code getActionUpdateThread} overrides a method that the classes compiled against do not have.
 */
public abstract class ChatCommandAction extends DumbAwareAction {
    private final ChatCommand command;

    ChatCommandAction(ChatCommand command) {
        this.command = command;
    }

    @Override
    public void actionPerformed(AnActionEvent event) {
        Project project = event.getProject();
        if (project != null) {
            command.run(project);
        }
    }

    @Override
    public void update(AnActionEvent event) {
        event.getPresentation().setEnabled(event.getProject() != null);
    }

    /** No override in 2020.1; one since 2022.2, where an action without it is refused. */
    public ActionUpdateThread getActionUpdateThread() {
        return ActionUpdateThread.BGT;
    }

    /** Opens another chat with the coding agent. */
    public static final class NewChat extends ChatCommandAction {
        public NewChat() {
            super(ChatCommand.NEW_CHAT);
        }
    }

    /** Stops what the agent of the chat in front is doing. */
    public static final class StopAgent extends ChatCommandAction {
        public StopAgent() {
            super(ChatCommand.STOP);
        }
    }

    /** Answers the first card that waits with yes, this once. */
    public static final class Allow extends ChatCommandAction {
        public Allow() {
            super(ChatCommand.ALLOW);
        }
    }

    /** A command about what is selected in the editor: not in its menu, and not enabled, where nothing is. */
    public abstract static class OfSelection extends ChatCommandAction {
        OfSelection(ChatCommand command) {
            super(command);
        }

        @Override
        public void update(AnActionEvent event) {
            Editor editor = event.getData(CommonDataKeys.EDITOR);
            boolean isSelected = editor != null
                && editor.getSelectionModel().getSelectionStart() < editor.getSelectionModel().getSelectionEnd();
            event.getPresentation().setEnabled(event.getProject() != null && isSelected);
            event.getPresentation().setVisible(isSelected || !ActionPlaces.EDITOR_POPUP.equals(event.getPlace()));
        }
    }

    /** Puts what is selected in the editor beside the next message. */
    public static final class AddSelection extends OfSelection {
        public AddSelection() {
            super(ChatCommand.ADD_SELECTION);
        }
    }

    /** Writes a question about what is selected in the editor; the person sends it. */
    public static final class AskSelection extends OfSelection {
        public AskSelection() {
            super(ChatCommand.ASK_SELECTION);
        }
    }

    /** Writes the request for a commit message; the person sends it. */
    public static final class CommitMessage extends ChatCommandAction {
        public CommitMessage() {
            super(ChatCommand.COMMIT_MESSAGE);
        }
    }

    /** Answers the first card that waits with no. */
    public static final class Deny extends ChatCommandAction {
        public Deny() {
            super(ChatCommand.DENY);
        }
    }
}
