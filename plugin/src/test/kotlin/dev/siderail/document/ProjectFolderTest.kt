package dev.siderail.document

import dev.siderail.bridge.ToolErrorCode
import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

class ProjectFolderTest {
    @TempDir
    lateinit var temp: Path
    private val project by lazy { ProjectFolder(Files.createDirectories(temp.resolve("project/src")).parent) }

    private fun code(path: String): ToolErrorCode = assertThrows<ToolFailure> { project.resolve(path) }.code

    @Test
    fun `a path is named from the project whatever way it is written`() {
        for (written in listOf("src/A.java", "./src/../src/A.java", "${project.root}/src/A.java")) {
            assertEquals("src/A.java", project.resolve(written).relative, written)
        }
        assertEquals(".", project.resolve("src/..").relative)
    }

    @Test
    fun `what lies outside is refused, and what cannot be a path`() {
        for (path in listOf("..", "../outside", "src/../../outside/a", "/", "${project.root}ile/a")) {
            assertEquals(ToolErrorCode.OUTSIDE_PROJECT, code(path), path)
        }
        assertEquals(ToolErrorCode.INVALID_PARAM, code("a\u0000b"))
    }

    @Test
    fun `what lies in another content root is inside, and named absolutely`() {
        val other = Files.createDirectories(temp.resolve("other")).toRealPath()
        val folder = ProjectFolder(project.root, listOf(other, temp.resolve("gone")))
        assertEquals(listOf(other), folder.further)
        for (written in listOf("../other/A.java", "$other/A.java", "$other/x/../A.java")) {
            assertEquals(Place(other.resolve("A.java"), "$other/A.java"), folder.resolve(written), written)
        }
        assertEquals("$other", folder.resolve("../other").relative)
        assertEquals("src/A.java", folder.resolve("../project/src/A.java").relative)
        for (path in listOf("${other}s/a", "$other/../a", "..")) {
            assertEquals(ToolErrorCode.OUTSIDE_PROJECT, assertThrows<ToolFailure> { folder.resolve(path) }.code, path)
        }
    }

    @Test
    fun `a folder that is gone is a project that is gone`() {
        assertEquals(ToolErrorCode.PROJECT_DISPOSED, assertThrows<ToolFailure> { ProjectFolder(temp.resolve("gone")) }.code)
    }
}
