package dev.siderail.toolwindow

import dev.siderail.engine.Attachment
import dev.siderail.ui.Texts
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

    /** Adds files; returns the paths that the text has to name as `@path` instead. */
    fun add(files: List<SeenFile>): List<String> {
        refusal = refusalOf(files)
        val paths = ArrayList<String>()
        for (file in files.filter { faultOf(it).isEmpty() }) {
            if (file.data == null && file.path != null) paths += file.path else keep(attachment(file))
        }
        return paths
    }

    /** Whether the text that names [files] can be sent; those whose name hides that they are images go along then. */
    fun addNamed(files: List<SeenFile>): Boolean {
        refusal = refusalOf(files)
        if (refusal.isEmpty()) files.filter { it.data != null }.forEach { keep(attachment(it)) }
        return refusal.isEmpty()
    }

    /** An image from the clipboard, as a PNG. */
    fun add(image: ByteArray) {
        val fault = ImageFault.SIZE.takeIf { image.size > SeenFile.IMAGE_BYTES }
        refusal = faultOf(Texts["attach.image"], fault)
        if (refusal.isEmpty()) add(Attachment.Image(Texts["attach.image.numbered", all.size + 1], Base64.getEncoder().encodeToString(image)))
    }

    fun add(one: Attachment) {
        refusal = ""
        keep(one)
    }

    private fun keep(one: Attachment) {
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

    /** Puts back what was not sent, to a text that names [images]; with the reason where the agent does not take it. */
    fun putBack(back: List<Attachment>, images: List<String> = emptyList()) {
        all = back + all
        refusal = if (isRefused(back, images)) noImages(back.firstOrNull { it is Attachment.Image }?.name ?: images.first()) else ""
    }

    /** True where the agent would not get some of them, or of the [images] that a text names. */
    fun isRefused(some: List<Attachment>, images: List<String> = emptyList()): Boolean =
        takesImages == false && (images.isNotEmpty() || some.any { it is Attachment.Image })

    private fun attachment(file: SeenFile): Attachment =
        file.data?.let { Attachment.Image(file.file.name, it) } ?: Attachment.File(file.file.toPath())

    private fun refusalOf(files: List<SeenFile>): String = files.map(::faultOf).filter { it.isNotEmpty() }.joinToString("\n")

    private fun faultOf(file: SeenFile): String = if (file.isImage) faultOf(file.file.name, file.fault) else ""

    private fun faultOf(name: String, fault: ImageFault?): String = when {
        fault == ImageFault.TYPE -> Texts["attach.type", name]
        fault == ImageFault.UNREADABLE -> Texts["attach.unreadable", name]
        takesImages == false -> noImages(name)
        fault == ImageFault.SIZE -> Texts["attach.large", name]
        else -> ""
    }

    private fun noImages(name: String) = Texts["attach.unsupported", name]
}
