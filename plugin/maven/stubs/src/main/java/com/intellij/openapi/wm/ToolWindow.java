package com.intellij.openapi.wm;

import com.intellij.openapi.Disposable;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.util.ActionCallback;
import com.intellij.openapi.util.BusyObject;
import com.intellij.openapi.util.Key;
import com.intellij.ui.content.ContentManager;
import com.intellij.ui.content.ContentManagerListener;
import java.awt.Rectangle;
import java.awt.event.InputEvent;
import java.util.List;
import javax.swing.Icon;
import javax.swing.JComponent;

/** What 2020.1 has, in its place, with {@link #setTitleActions}, which is in this interface since 2020.2. */
public interface ToolWindow extends BusyObject {
    Key<Boolean> SHOW_CONTENT_ICON = new Key<>("ContentIcon");

    String getId();

    boolean isActive();

    void activate(Runnable runnable);

    void activate(Runnable runnable, boolean autoFocusContents);

    void activate(Runnable runnable, boolean autoFocusContents, boolean forced);

    boolean isVisible();

    void show(Runnable runnable);

    default void show() {
        show(null);
    }

    void hide(Runnable runnable);

    default void hide() {
        hide(null);
    }

    ToolWindowAnchor getAnchor();

    void setAnchor(ToolWindowAnchor anchor, Runnable runnable);

    boolean isSplitMode();

    void setSplitMode(boolean split, Runnable runnable);

    boolean isAutoHide();

    void setAutoHide(boolean value);

    ToolWindowType getType();

    void setType(ToolWindowType type, Runnable runnable);

    Icon getIcon();

    void setIcon(Icon icon);

    String getTitle();

    void setTitle(String title);

    String getStripeTitle();

    void setStripeTitle(String title);

    boolean isAvailable();

    void setAvailable(boolean value, Runnable runnable);

    void setAvailable(boolean value);

    void setContentUiType(ToolWindowContentUiType type, Runnable runnable);

    void setDefaultContentUiType(ToolWindowContentUiType type);

    ToolWindowContentUiType getContentUiType();

    void installWatcher(ContentManager contentManager);

    JComponent getComponent();

    ContentManager getContentManager();

    ContentManager getContentManagerIfCreated();

    void addContentManagerListener(ContentManagerListener listener);

    void setDefaultState(ToolWindowAnchor anchor, ToolWindowType type, Rectangle floatingBounds);

    void setToHideOnEmptyContent(boolean hideOnEmpty);

    void setShowStripeButton(boolean value);

    boolean isShowStripeButton();

    boolean isDisposed();

    void showContentPopup(InputEvent inputEvent);

    Disposable getDisposable();

    default void setHelpId(String helpId) {
    }

    default String getHelpId() {
        return null;
    }

    void remove();

    void setTitleActions(List<? extends AnAction> actions);

    default ActionCallback getActivation() {
        return ActionCallback.DONE;
    }
}
