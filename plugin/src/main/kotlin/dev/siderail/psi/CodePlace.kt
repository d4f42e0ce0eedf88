package dev.siderail.psi

import com.intellij.openapi.editor.Document
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile

/** A place in a file's text. [line] and [column] count from 1; [text] is the line. */
data class CodePlace(val file: VirtualFile, val line: Int, val column: Int, val text: String) {
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
            return minOf(start + column - 1, document.getLineEndOffset(line - 1))
        }

        private fun of(file: VirtualFile, document: Document, offset: Int): CodePlace {
            val at = offset.coerceIn(0, document.textLength)
            val line = document.getLineNumber(at)
            val start = document.getLineStartOffset(line)
            val text = document.immutableCharSequence.substring(start, document.getLineEndOffset(line))
            return CodePlace(file, line + 1, at - start + 1, text)
        }
    }
}

/** The text of a file as its document has it. */
internal fun documentOf(file: PsiFile): Document? =
    file.virtualFile?.let { FileDocumentManager.getInstance().getDocument(it) }
