package dev.siderail.psi

import com.intellij.openapi.project.Project

/** What the IDE knows of code, behind small interfaces. */
class CodeServices(
    val reading: CodeReading,
    val files: ProjectFiles,
    val symbols: SymbolSearch,
    val outline: FileOutline,
    val references: ReferenceSearch,
    val problems: ProblemFinder,
) {
    constructor(project: Project) : this(
        CodeReading(project),
        IndexedProjectFiles(project),
        GotoSymbolSearch(project),
        StructureViewOutline(),
        IndexReferenceSearch(project),
        EditorProblemFinder(project),
    )
}
