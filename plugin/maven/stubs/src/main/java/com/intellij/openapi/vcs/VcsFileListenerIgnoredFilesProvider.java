package com.intellij.openapi.vcs;

import com.intellij.openapi.project.Project;

/** Since 2025.2; later versions ask with the requestor of the change, too. */
public interface VcsFileListenerIgnoredFilesProvider {
    boolean isDeletionIgnored(Project project, FilePath filePath);

    boolean isAdditionIgnored(Project project, FilePath filePath);
}
