package dev.siderail.psi

import com.intellij.openapi.editor.Document
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile

/**
 * A place in a file's text. [line] and [column] count from 1; [text] is the line. Columns count whole characters, as those
 * of the file tools do, however many units one has in a document.
 */
data class CodePlace(val file: VirtualFile, val line: Int, val column: Int, val text: String) {
    /** Where in [text] it is. */
    val index: Int get() = text.offsetByCodePoints(0, column - 1)

    companion object {
        /** In a read action; null where the file has no text. */
        fun of(file: VirtualFile, offset: Int): CodePlace? {
            val document = FileDocumentManager.getInstance().getDocument(file) ?: return null
            return of(file, document, offset)
        }

        fun of(element: PsiElement): CodePlace? {
            val file = element.containingFile?.virtualFile ?: return null
            return of(file, element.textOffset)
        }

        /** The offset of a line and column, from 1; null where the file has no such line. In a read action. */
        fun offset(file: VirtualFile, line: Int, column: Int): Int? {
            val document = FileDocumentManager.getInstance().getDocument(file) ?: return null
            if (line > document.lineCount) return null
            val start = document.getLineStartOffset(line - 1)
            val text = document.immutableCharSequence.subSequence(start, document.getLineEndOffset(line - 1))
            val before = minOf(column - 1, Character.codePointCount(text, 0, text.length))
            return start + Character.offsetByCodePoints(text, 0, before)
        }

        private fun of(file: VirtualFile, document: Document, offset: Int): CodePlace {
            val at = offset.coerceIn(0, document.textLength)
            val line = document.getLineNumber(at)
            val start = document.getLineStartOffset(line)
            val text = document.immutableCharSequence.substring(start, document.getLineEndOffset(line))
            return CodePlace(file, line + 1, text.codePointCount(0, at - start) + 1, text)
        }
    }
}

/** The text of a file as its document has it. */
internal fun documentOf(file: PsiFile): Document? =
    file.virtualFile?.let { FileDocumentManager.getInstance().getDocument(it) }
