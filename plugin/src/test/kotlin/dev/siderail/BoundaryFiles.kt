package dev.siderail

import com.google.gson.JsonElement
import com.google.gson.JsonParser
import java.nio.file.Files
import java.nio.file.Path

/** The files that pin what crosses the boundary; a test of the Rust side reads the same ones. */
object BoundaryFiles {
    private val folder: Path = Path.of(System.getProperty("siderail.root"), "tests", "boundary")

    /** Names of the files of a kind, such as `event`, without kind and ending. */
    fun names(kind: String): Set<String> = Files.list(folder).use { files ->
        files.map { it.fileName.toString() }
            .filter { it.startsWith("$kind.") && it.endsWith(".json") }
            .map { it.removePrefix("$kind.").removeSuffix(".json") }
            .toList().toSet()
    }

    fun bytes(kind: String, name: String): ByteArray = Files.readAllBytes(folder.resolve("$kind.$name.json"))

    fun json(kind: String, name: String): JsonElement = JsonParser.parseString(String(bytes(kind, name)))
}
