package dev.siderail.toolwindow;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.project.DumbAwareAction;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.wm.ToolWindow;
import com.intellij.openapi.wm.ToolWindowManager;

/**
 * Opens the tool window with the focus in it: the one place where the focus moves, because the person asked.
 *
 * Java, because {@code getActionUpdateThread} overrides a method that the classes compiled against do not have.
 */
public final class FocusChatAction extends DumbAwareAction {
    @Override
    public void actionPerformed(AnActionEvent event) {
        Project project = event.getProject();
        if (project == null) {
            return;
        }
        ToolWindow window = ToolWindowManager.getInstance(project).getToolWindow("Siderail");
        if (window != null) {
            window.activate(null);
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
}
