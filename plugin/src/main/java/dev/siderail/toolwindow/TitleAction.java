package dev.siderail.toolwindow;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.project.DumbAwareAction;
import javax.swing.Icon;

/**
 * A button in the tool window's title.
 *
 * Java, because {@code getActionUpdateThread} overrides a method that the classes compiled against do not have.
 */
final class TitleAction extends DumbAwareAction {
    private final Runnable work;

    TitleAction(String text, Icon icon, Runnable work) {
        super(text, null, icon);
        this.work = work;
    }

    @Override
    public void actionPerformed(AnActionEvent event) {
        work.run();
    }

    /** No override in 2020.1; one since 2022.2, where an action without it is refused. */
    public ActionUpdateThread getActionUpdateThread() {
        return ActionUpdateThread.BGT;
    }
}
