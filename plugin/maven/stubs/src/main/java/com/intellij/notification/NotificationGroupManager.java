package com.intellij.notification;

import com.intellij.openapi.application.ApplicationManager;

/** Since 2020.3. */
public interface NotificationGroupManager {
    static NotificationGroupManager getInstance() {
        return ApplicationManager.getApplication().getService(NotificationGroupManager.class);
    }

    NotificationGroup getNotificationGroup(String groupId);
}
