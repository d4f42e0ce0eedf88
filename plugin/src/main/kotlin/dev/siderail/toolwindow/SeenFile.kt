package dev.siderail.toolwindow

import java.io.File
import java.io.IOException
import java.util.Base64

/** A kind of image that a prompt may hold, or, as [OTHER], one that no model reads. */
enum class ImageKind(vararg extensions: String) {
    PNG("png"),
    JPEG("jpg", "jpeg"),
    GIF("gif"),
    WEBP("webp"),
    OTHER("bmp", "heic", "heif", "avif", "ico", "psd", "tif", "tiff"),
    ;

    private val extensions = extensions.toSet()

    companion object {
        /** How many first bytes show the kind. */
        const val HEAD = 16

        /** What a file's name says. */
        fun named(name: String): ImageKind? = name.substringAfterLast('.', "").lowercase().let { extension -> entries.find { extension in it.extensions } }

        /** What the first bytes say. */
        fun of(head: ByteArray): ImageKind? {
            val text = String(head, Charsets.ISO_8859_1)
            return when {
                text.startsWith("\u0089PNG") -> PNG
                text.startsWith("\u00FF\u00D8\u00FF") -> JPEG
                text.startsWith("GIF8") -> GIF
                text.startsWith("RIFF") && text.startsWith("WEBP", 8) -> WEBP
                OTHERS.any { it.containsMatchIn(text) } -> OTHER
                else -> null
            }
        }

        /** BMP, TIFF, Photoshop, icons, HEIF and AVIF, in that order. */
        private val OTHERS = listOf(
            """^BM.{4}\u0000{4}""", """^(?:II\*\u0000|MM\u0000\*)""", """^8BPS""", """^\u0000\u0000\u0001\u0000[^\u0000]""", """^.{4}ftyp(?:hei|hev|mif1|msf1|avi[fs])""",
        ).map { it.toRegex(RegexOption.DOT_MATCHES_ALL) }
    }
}

/** What prevents sending an image. */
enum class ImageFault { TYPE, SIZE, UNREADABLE }

/**
 * A file that goes along with a prompt, as it was found on the disk.
 *
 * @property path how `@` names it; null for a file elsewhere than in the project
 * @property data the image in Base64, where naming the file would send a mere link: the engine goes by the extension
 */
class SeenFile private constructor(val file: File, val path: String?, val isImage: Boolean, val fault: ImageFault?, val data: String?) {
    companion object {
        /** As the engine has it. */
        const val IMAGE_BYTES = 5_000_000L

        /** A file of a folder, or what is not there. For background threads. */
        fun of(file: File, base: String): SeenFile {
            val path = if (base.isNotEmpty() && file != File(base) && file.startsWith(File(base))) file.toRelativeString(File(base)).replace('\\', '/') else null
            fun seen(isImage: Boolean, fault: ImageFault? = null, data: String? = null) = SeenFile(file, path, isImage, fault, data)
            if (!file.isFile) return seen(false)
            val named = ImageKind.named(file.name)
            return try {
                val kind = file.inputStream().use { ImageKind.of(it.readNBytes(ImageKind.HEAD)) }
                when {
                    kind == null && named == null -> seen(false)
                    kind == null || kind == ImageKind.OTHER -> seen(true, ImageFault.TYPE)
                    file.length() > IMAGE_BYTES -> seen(true, ImageFault.SIZE)
                    path != null && kind == named -> seen(true)
                    else -> seen(true, data = Base64.getEncoder().encodeToString(file.readBytes()))
                }
            } catch (_: IOException) {
                seen(named != null, ImageFault.UNREADABLE.takeIf { named != null })
            }
        }
    }
}
