package dev.siderail.psi

import com.intellij.openapi.project.Project

/** What the IDE knows of code, behind small interfaces. */
class CodeServices(
    project: Project,
    val reading: CodeReading = CodeReading(project),
    val files: ProjectFiles = IndexedProjectFiles(project),
    val symbols: SymbolSearch = GotoSymbolSearch(project),
    val outline: FileOutline = StructureViewOutline(),
    val references: ReferenceSearch = IndexReferenceSearch(project),
    val problems: ProblemFinder = EditorProblemFinder(project),
    definitions: DefinitionSearch = IndexDefinitionSearch(),
    inspections: Inspections = ProfileInspections(project),
    val renaming: Renaming = IdeRenaming(project),
) {
    val hierarchy = Hierarchy(definitions, references)
    val inspection = FileInspection(project, reading, inspections)
}
