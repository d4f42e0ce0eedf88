package dev.siderail.terminal;

import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.wm.ToolWindow;
import com.intellij.openapi.wm.ToolWindowManager;
import com.intellij.terminal.frontend.toolwindow.TerminalToolWindowTab;
import com.intellij.terminal.frontend.toolwindow.TerminalToolWindowTabsManager;
import com.intellij.terminal.frontend.view.TerminalView;
import com.intellij.terminal.frontend.view.TerminalViewSessionState;
import dev.siderail.bridge.ToolErrorCode;
import dev.siderail.bridge.ToolName;
import dev.siderail.document.EventThread;
import dev.siderail.document.Patience;
import dev.siderail.document.ToolFailure;
import dev.siderail.tools.OpenTerminal;
import dev.siderail.tools.Terminals;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kotlin.jvm.functions.Function0;
import org.jetbrains.plugins.terminal.view.TerminalOffset;
import org.jetbrains.plugins.terminal.view.TerminalOutputModel;

/**
 * The terminals of the IDE's terminal plugin. The only class that names that plugin's types, and registered in
 * {@code siderail-terminal.xml}, which is read only where that plugin is. Experimental, see {@link Terminals}.
 *
 * <p>Of its two interfaces this is the one that its maker documents for plugins, from 2025.3 on, though as
 * experimental. The older one ({@code TerminalToolWindowManager}) is deprecated, opens terminals of the old kind
 * whatever the person has chosen, and sees none of the kind that has been the default since 2025.2.
 *
 * <p>In Java, because some getters are functions in one version of the platform and properties in another, which Kotlin
 * writes differently and which are the same method.
 */
public final class IdeTerminals implements Terminals {
    /** Characters at the end of what a terminal shows. */
    private static final int MOST = 200_000;

    private final Project project;
    private final EventThread eventThread;

    public IdeTerminals(Project project) {
        this.project = project;
        this.eventThread = new EventThread(project);
    }

    @Override
    public List<OpenTerminal> all(Patience patience) {
        return onEventThread(patience, () -> {
            List<OpenTerminal> open = new ArrayList<>();
            for (TerminalToolWindowTab tab : tabs().getTabs()) {
                open.add(seen(tab));
            }
            return open;
        });
    }

    @Override
    public OpenTerminal open(Path folder, Patience patience) {
        return onEventThread(patience, () -> {
            TerminalToolWindowTab tab = tabs().createTabBuilder()
                .workingDirectory(folder.toString())
                .tabName("Siderail")
                .requestFocus(false)
                .deferSessionStartUntilUiShown(false)
                .createTab();
            ToolWindow window = ToolWindowManager.getInstance(project).getToolWindow("Terminal");
            if (window != null) {
                window.show(null);
            }
            return seen(tab);
        });
    }

    @Override
    public boolean type(OpenTerminal terminal, String command, Patience patience) {
        return onEventThread(patience, () -> {
            TerminalView view = find(terminal);
            if (view == null || isEnded(view)) {
                return false;
            }
            // The command sees what the person has typed so far.
            FileDocumentManager.getInstance().saveAllDocuments();
            view.createSendTextBuilder().useBracketedPasteMode().shouldExecute().send(command);
            return true;
        });
    }

    @Override
    public String text(OpenTerminal terminal, Patience patience) {
        return onEventThread(patience, () -> {
            TerminalView view = find(terminal);
            return view == null ? null : end(view.getOutputModels().getRegular());
        });
    }

    private TerminalToolWindowTabsManager tabs() {
        return TerminalToolWindowTabsManager.getInstance(project);
    }

    /** The view and not the tab: a tab that is dragged elsewhere becomes another one. */
    private static OpenTerminal seen(TerminalToolWindowTab tab) {
        TerminalView view = tab.getView();
        String title = tab.getContent().getDisplayName();
        return new OpenTerminal(view, title == null ? "" : title, view.getCurrentDirectory(), isEnded(view));
    }

    private TerminalView find(OpenTerminal terminal) {
        for (TerminalToolWindowTab tab : tabs().getTabs()) {
            if (tab.getView() == terminal.getKey()) {
                return tab.getView();
            }
        }
        return null;
    }

    private static boolean isEnded(TerminalView view) {
        return view.getSessionState().getValue() instanceof TerminalViewSessionState.Terminated;
    }

    private static String end(TerminalOutputModel output) {
        TerminalOffset end = output.getEndOffset();
        TerminalOffset start = output.getTextLength() > MOST ? end.minus(MOST) : output.getStartOffset();
        return output.getText(start, end).toString();
    }

    private <T> T onEventThread(Patience patience, Function0<T> work) {
        try {
            return eventThread.run(patience, work);
        } catch (LinkageError changed) {
            throw new ToolFailure(
                ToolErrorCode.NOT_APPLICABLE,
                "the terminals of this IDE's version cannot be reached (" + changed.getMessage() + "); " + ToolName.RUN_COMMAND + " runs commands"
            );
        }
    }
}
