package dev.siderail.toolwindow;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.DataContext;
import com.intellij.openapi.project.DumbAwareAction;
import com.intellij.openapi.project.Project;

/**
 * Asks the agent to fix what is selected in a view of the IDE.
 *
 * Java, because {@code getActionUpdateThread} overrides a method that the classes compiled against do not have.
 */
public abstract class FixSelectedAction extends DumbAwareAction {
    abstract FixRequest request(Project project, DataContext context);

    private FixRequest request(AnActionEvent event) {
        Project project = event.getProject();
        return project == null ? null : request(project, event.getDataContext());
    }

    @Override
    public void update(AnActionEvent event) {
        event.getPresentation().setEnabledAndVisible(request(event) != null);
    }

    @Override
    public void actionPerformed(AnActionEvent event) {
        FixRequest request = request(event);
        if (request != null) {
            request.write(event.getProject());
        }
    }

    /** No override in 2020.1; one since 2022.2, where an action without it is refused. */
    public ActionUpdateThread getActionUpdateThread() {
        return ActionUpdateThread.BGT;
    }

    /** A problem, or a file, of the Problems view. */
    public static final class Problem extends FixSelectedAction {
        @Override
        FixRequest request(Project project, DataContext context) {
            return FixRequest.problem(project, context);
        }
    }

    /** A failed test. */
    public static final class Test extends FixSelectedAction {
        @Override
        FixRequest request(Project project, DataContext context) {
            return FixRequest.test(context);
        }
    }
}
