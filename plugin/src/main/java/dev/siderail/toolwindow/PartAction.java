package dev.siderail.toolwindow;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.project.DumbAwareAction;
import java.util.function.Consumer;

/**
 * What can be done with a part of a change, in a menu at its mark.
 *
 * Java, because {@code getActionUpdateThread} overrides a method that the classes compiled against do not have.
 */
final class PartAction extends DumbAwareAction {
    private final boolean isEnabled;
    private final Consumer<AnActionEvent> work;

    PartAction(String text, boolean isEnabled, Consumer<AnActionEvent> work) {
        super(text);
        this.isEnabled = isEnabled;
        this.work = work;
    }

    @Override
    public void actionPerformed(AnActionEvent event) {
        work.accept(event);
    }

    @Override
    public void update(AnActionEvent event) {
        event.getPresentation().setEnabled(isEnabled);
    }

    /** No override in 2020.1; one since 2022.2, where an action without it is refused. */
    public ActionUpdateThread getActionUpdateThread() {
        return ActionUpdateThread.BGT;
    }
}
