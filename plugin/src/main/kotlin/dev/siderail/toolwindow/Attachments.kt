package dev.siderail.toolwindow

import dev.siderail.engine.Attachment
import dev.siderail.settings.Texts
import java.io.File
import java.util.Base64

/**
 * What is attached to the prompt that is being written. No Swing; owned by one thread.
 *
 * What the agent could not be sent is refused here already, with the reason: the engine decides it once more.
 */
class Attachments {
    /** Whether the running agent takes images; null while none has said. */
    var takesImages: Boolean? = null

    var all: List<Attachment> = emptyList()
        private set

    /** Why the last one was refused; blank where it was not. */
    var refusal: String = ""
        private set

    /** The path that is to stand in the text as `@path` instead, for a file below [base]; null for all others. */
    fun add(file: File, base: String): String? {
        refusal = refusalOf(file)
        if (refusal.isNotEmpty()) return null
        val path = file.path.replace('\\', '/')
        if (base.isNotEmpty() && path.startsWith("$base/")) return path.removePrefix("$base/")
        add(Attachment.File(file.toPath()))
        return null
    }

    /** An image from the clipboard, as a PNG. */
    fun add(image: ByteArray) {
        refusal = refusalOf(Texts["attach.image"], image.size.toLong())
        if (refusal.isEmpty()) add(Attachment.Image(Texts["attach.image.numbered", all.size + 1], Base64.getEncoder().encodeToString(image)))
    }

    fun add(one: Attachment) {
        refusal = ""
        all = all.filter { it.name != one.name } + one
    }

    /** There is nothing to attach, and that is why. */
    fun refuse(why: String) {
        refusal = why
    }

    fun remove(one: Attachment) {
        refusal = ""
        all -= one
    }

    /** Takes all of them away. */
    fun take(): List<Attachment> = all.also {
        all = emptyList()
        refusal = ""
    }

    /** Puts back what was not sent; with the reason where the agent does not take it. */
    fun putBack(back: List<Attachment>) {
        all = back + all
        refusal = if (isRefused(back)) noImages(back.first { it is Attachment.Image }.name) else ""
    }

    /** True where the agent would not get some of them. */
    fun isRefused(some: List<Attachment>): Boolean = takesImages == false && some.any { it is Attachment.Image }

    private fun refusalOf(file: File): String {
        val type = file.extension.lowercase()
        return when {
            type !in IMAGES && type !in OTHER_IMAGES -> ""
            type in OTHER_IMAGES -> Texts["attach.type", file.name]
            else -> refusalOf(file.name, file.length())
        }
    }

    private fun refusalOf(name: String, bytes: Long): String = when {
        takesImages == false -> noImages(name)
        bytes > IMAGE_BYTES -> Texts["attach.large", name]
        else -> ""
    }

    private fun noImages(name: String) = Texts["attach.unsupported", name]

    private companion object {
        /** As the engine has it. */
        const val IMAGE_BYTES = 5_000_000L
        val IMAGES = setOf("png", "jpg", "jpeg", "gif", "webp")
        val OTHER_IMAGES = setOf("bmp", "heic", "heif", "avif", "ico", "psd", "tif", "tiff")
    }
}
