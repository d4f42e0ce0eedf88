package dev.siderail.document

import dev.siderail.document.ToolFailure.Code
import java.nio.file.Files
import java.nio.file.Path
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

class ProjectFolderTest {
    @TempDir
    lateinit var temp: Path
    private val project by lazy { ProjectFolder(Files.createDirectories(temp.resolve("project/src")).parent) }

    private fun code(path: String): Code = assertThrows<ToolFailure> { project.resolve(path) }.code

    @Test
    fun `a path is named from the project whatever way it is written`() {
        for (written in listOf("src/A.java", "./src/../src/A.java", "${project.root}/src/A.java", "file://${project.root}/src/A.java")) {
            assertEquals("src/A.java", project.resolve(written).relative, written)
        }
        assertEquals("with blank.txt", project.resolve("file://${project.root}/with%20blank.txt").relative)
        assertEquals("a+b.txt", project.resolve("file://${project.root}/a+b.txt").relative)
        assertEquals(".", project.resolve("src/..").relative)
    }

    @Test
    fun `what leads out is outside, by dots, links, links of links, and links that dangle`() {
        val outside = Files.createDirectory(temp.resolve("outside"))
        Files.createSymbolicLink(project.root.resolve("link"), outside)
        Files.createSymbolicLink(project.root.resolve("second"), Path.of("link"))
        Files.createSymbolicLink(project.root.resolve("dangling"), temp.resolve("nowhere"))
        Files.createSymbolicLink(project.root.resolve("sibling"), temp.resolve("projectile"))
        for (path in listOf("..", "../outside", "src/../../outside/a", "link", "link/new.txt", "second/x", "dangling", "sibling")) {
            assertEquals(Code.OUTSIDE_PROJECT, code(path), path)
        }
    }

    @Test
    fun `a link inside the project leads to what it names, and a loop of links ends`() {
        Files.writeString(project.root.resolve("src/a.txt"), "x")
        Files.createSymbolicLink(project.root.resolve("alias"), Path.of("src"))
        assertEquals("src/a.txt", project.resolve("alias/a.txt").relative)
        Files.createSymbolicLink(project.root.resolve("one"), Path.of("two"))
        Files.createSymbolicLink(project.root.resolve("two"), Path.of("one"))
        assertEquals(Code.OUTSIDE_PROJECT, code("one/x"))
    }

    @Test
    fun `what cannot be a path is refused, and what is meant from the root is named`() {
        assertEquals(Code.INVALID_PARAM, code(""))
        assertEquals(Code.INVALID_PARAM, code("file:relative"))
        assertEquals(Code.INVALID_PARAM, code("a\u0000b"))
        Files.writeString(project.root.resolve("src/a.txt"), "x")
        val meant = assertThrows<ToolFailure> { project.resolve("/src/a.txt") }
        assertTrue("did you mean src/a.txt?" in meant.text, meant.text)
    }

    @Test
    fun `a folder that is gone is a project that is gone`() {
        assertEquals(Code.PROJECT_DISPOSED, assertThrows<ToolFailure> { ProjectFolder(temp.resolve("gone")) }.code)
    }
}
