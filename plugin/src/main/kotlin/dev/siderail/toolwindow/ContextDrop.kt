package dev.siderail.toolwindow

import java.awt.Image
import java.awt.datatransfer.Clipboard
import java.awt.datatransfer.DataFlavor
import java.awt.datatransfer.Transferable
import java.awt.event.InputEvent
import java.awt.image.BufferedImage
import java.io.ByteArrayOutputStream
import java.io.File
import javax.imageio.ImageIO
import javax.swing.JComponent
import javax.swing.TransferHandler

/** Takes pasted and dropped images and files; text goes to the field's own handler. */
internal class ContextDrop(
    private val usual: TransferHandler,
    private val files: (List<File>) -> Unit,
    private val image: (ByteArray) -> Unit,
) : TransferHandler() {
    override fun canImport(support: TransferSupport): Boolean = kind(support.dataFlavors.toList()) != null || usual.canImport(support)

    override fun importData(support: TransferSupport): Boolean =
        if (kind(support.dataFlavors.toList()) == null) usual.importData(support) else take(support.transferable)

    /** Called for a paste. */
    override fun importData(component: JComponent, transferable: Transferable): Boolean =
        if (kind(transferable.transferDataFlavors.toList()) == null) usual.importData(component, transferable) else take(transferable)

    override fun getSourceActions(component: JComponent) = usual.getSourceActions(component)

    override fun exportToClipboard(component: JComponent, clipboard: Clipboard, action: Int) = usual.exportToClipboard(component, clipboard, action)

    override fun exportAsDrag(component: JComponent, event: InputEvent, action: Int) = usual.exportAsDrag(component, event, action)

    /** Text that is there, too, says more than a picture of it: a spreadsheet copies both. */
    private fun kind(flavors: List<DataFlavor>): DataFlavor? = when {
        DataFlavor.javaFileListFlavor in flavors -> DataFlavor.javaFileListFlavor
        DataFlavor.stringFlavor in flavors -> null
        DataFlavor.imageFlavor in flavors -> DataFlavor.imageFlavor
        else -> null
    }

    private fun take(transferable: Transferable): Boolean {
        val kind = kind(transferable.transferDataFlavors.toList()) ?: return false
        val data = runCatching { transferable.getTransferData(kind) }.getOrNull() ?: return false
        when (data) {
            is List<*> -> files(data.filterIsInstance<File>())
            is Image -> image(png(data) ?: return false)
            else -> return false
        }
        return true
    }

    private fun png(image: Image): ByteArray? {
        val width = image.getWidth(null)
        val height = image.getHeight(null)
        if (width <= 0 || height <= 0) return null
        val drawn = image as? BufferedImage ?: BufferedImage(width, height, BufferedImage.TYPE_INT_ARGB).also {
            val g = it.createGraphics()
            g.drawImage(image, 0, 0, null)
            g.dispose()
        }
        val out = ByteArrayOutputStream()
        return if (ImageIO.write(drawn, "png", out)) out.toByteArray() else null
    }
}
