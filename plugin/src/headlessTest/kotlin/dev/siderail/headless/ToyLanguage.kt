package dev.siderail.headless

import com.intellij.extapi.psi.ASTWrapperPsiElement
import com.intellij.extapi.psi.PsiFileBase
import com.intellij.formatting.ASTBlock
import com.intellij.formatting.Block
import com.intellij.formatting.ChildAttributes
import com.intellij.formatting.FormattingModel
import com.intellij.formatting.FormattingModelBuilder
import com.intellij.formatting.FormattingModelProvider
import com.intellij.formatting.Indent
import com.intellij.formatting.Spacing
import com.intellij.lang.ASTNode
import com.intellij.lang.ImportOptimizer
import com.intellij.lang.Language
import com.intellij.lang.ParserDefinition
import com.intellij.lang.PsiParser
import com.intellij.lexer.LexerBase
import com.intellij.openapi.fileTypes.LanguageFileType
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.TextRange
import com.intellij.psi.FileViewProvider
import com.intellij.psi.PsiCheckedRenameElement
import com.intellij.psi.PsiDocumentManager
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiReference
import com.intellij.psi.PsiReferenceBase
import com.intellij.psi.TokenType
import com.intellij.psi.codeStyle.CodeStyleSettings
import com.intellij.psi.tree.IElementType
import com.intellij.psi.tree.IFileElementType
import com.intellij.psi.tree.TokenSet
import com.intellij.util.IncorrectOperationException
import javax.swing.SwingUtilities

/**
 * A language small enough to see what tidying does: statements `import x;` and `name = value;`.
 *
 * The formatter puts one blank around words and a statement on its own line. The import optimiser sorts, and
 * removes what is imported twice or not used by name. A statement without its semicolon is an error.
 */
object ToyLanguage : Language("Toy") {
    private fun readResolve(): Any = ToyLanguage

    object FileType : LanguageFileType(ToyLanguage) {
        override fun getName() = "Toy"

        override fun getDescription() = "Toy"

        override fun getDefaultExtension() = "toy"

        override fun getIcon() = null
    }

    /** A name that the language does not let a declaration have. */
    const val REFUSED = "refused"

    private val WORD = IElementType("WORD", ToyLanguage)
    private val EQUALS = IElementType("EQUALS", ToyLanguage)
    private val SEMICOLON = IElementType("SEMICOLON", ToyLanguage)
    private val STATEMENT = IElementType("STATEMENT", ToyLanguage)
    private val FILE = IFileElementType("TOY_FILE", ToyLanguage)

    private class Lexer : LexerBase() {
        private var buffer: CharSequence = ""
        private var start = 0
        private var tokenEnd = 0
        private var end = 0

        override fun start(buffer: CharSequence, startOffset: Int, endOffset: Int, initialState: Int) {
            this.buffer = buffer
            start = startOffset
            end = endOffset
            locate()
        }

        private fun locate() {
            tokenEnd = start
            if (start >= end) return
            val kind = kind(buffer[start])
            tokenEnd++
            if (kind == EQUALS || kind == SEMICOLON) return
            while (tokenEnd < end && kind(buffer[tokenEnd]) == kind) tokenEnd++
        }

        private fun kind(letter: Char): IElementType = when {
            letter.isWhitespace() -> TokenType.WHITE_SPACE
            letter == '=' -> EQUALS
            letter == ';' -> SEMICOLON
            else -> WORD
        }

        override fun getState() = 0

        override fun getTokenType(): IElementType? = if (start >= end) null else kind(buffer[start])

        override fun getTokenStart() = start

        override fun getTokenEnd() = tokenEnd

        override fun advance() {
            start = tokenEnd
            locate()
        }

        override fun getBufferSequence() = buffer

        override fun getBufferEnd() = end
    }

    class ToyFile(views: FileViewProvider) : PsiFileBase(views, ToyLanguage) {
        override fun getFileType() = FileType
    }

    class Statement(node: ASTNode) : ASTWrapperPsiElement(node), PsiCheckedRenameElement {
        override fun getName(): String = text.trim().substringBefore(' ').substringBefore('=').trim()

        override fun setName(name: String): PsiElement = apply { put(this, TextRange(0, this.name.length), name) }

        override fun checkSetName(name: String) {
            if (name == REFUSED) throw IncorrectOperationException("$name is no name")
        }

        /** The name that is its value. */
        override fun getReference(): PsiReference? = VALUE.find(text)?.groups?.get(1)?.let { ValueReference(this, it.range, it.value) }
    }

    /** Leads to the statement of that name in the file. Names that begin with `must` have to lead somewhere. */
    private class ValueReference(statement: Statement, range: IntRange, private val named: String) :
        PsiReferenceBase<Statement>(statement, TextRange(range.first, range.last + 1), !named.startsWith("must")) {
        override fun resolve(): PsiElement? = element.containingFile.children.find { it is Statement && it.name == named && it != element }

        override fun handleElementRename(name: String): PsiElement = element.apply { put(this, rangeInElement, name) }

        override fun getVariants(): Array<Any> = emptyArray()
    }

    /** Puts [text] where [range] of an element is. */
    private fun put(element: PsiElement, range: TextRange, text: String) {
        val documents = PsiDocumentManager.getInstance(element.project)
        val document = checkNotNull(documents.getDocument(element.containingFile))
        val place = range.shiftRight(element.textRange.startOffset)
        document.replaceString(place.startOffset, place.endOffset, text)
        documents.commitDocument(document)
    }

    private val VALUE = Regex("""=\s*([a-zA-Z]\w*)""")

    class Parsing : ParserDefinition {
        override fun createLexer(project: Project?): com.intellij.lexer.Lexer = Lexer()

        override fun createParser(project: Project?) = PsiParser { root, builder ->
            val file = builder.mark()
            while (!builder.eof()) {
                val statement = builder.mark()
                while (!builder.eof() && builder.tokenType != SEMICOLON) builder.advanceLexer()
                if (builder.eof()) builder.error("a semicolon is missing") else builder.advanceLexer()
                statement.done(STATEMENT)
            }
            file.done(root)
            builder.treeBuilt
        }

        override fun getFileNodeType() = FILE

        override fun getCommentTokens(): TokenSet = TokenSet.EMPTY

        override fun getStringLiteralElements(): TokenSet = TokenSet.EMPTY

        override fun createElement(node: ASTNode): PsiElement = Statement(node)

        override fun createFile(viewProvider: FileViewProvider): PsiFile = ToyFile(viewProvider)
    }

    private class ToyBlock(private val node: ASTNode) : ASTBlock {
        override fun getNode() = node

        override fun getTextRange(): TextRange = node.textRange

        override fun getSubBlocks(): List<Block> = generateSequence(node.firstChildNode) { it.treeNext }
            .filter { it.elementType != TokenType.WHITE_SPACE && it.textLength > 0 }
            .map(::ToyBlock)
            .toList()

        override fun getWrap() = null

        override fun getIndent(): Indent = Indent.getNoneIndent()

        override fun getAlignment() = null

        override fun getSpacing(before: Block?, after: Block): Spacing? = when {
            before == null -> null
            (before as ToyBlock).node.elementType == STATEMENT -> Spacing.createSpacing(0, 0, 1, false, 0)
            (after as ToyBlock).node.elementType == SEMICOLON -> Spacing.createSpacing(0, 0, 0, false, 0)
            else -> Spacing.createSpacing(1, 1, 0, false, 0)
        }

        override fun getChildAttributes(index: Int) = ChildAttributes(Indent.getNoneIndent(), null)

        override fun isIncomplete() = false

        override fun isLeaf() = node.firstChildNode == null
    }

    class Formatting : FormattingModelBuilder {
        override fun createModel(element: PsiElement, settings: CodeStyleSettings): FormattingModel {
            val file = element.containingFile
            return FormattingModelProvider.createFormattingModelForPsiFile(file, ToyBlock(file.node), settings)
        }

        override fun getRangeAffectingIndent(file: PsiFile?, offset: Int, elementAtOffset: ASTNode?): TextRange? = null
    }

    class Imports : ImportOptimizer {
        companion object {
            /** What else happens while imports are analysed. */
            @Volatile
            var meanwhile: () -> Unit = {}
        }

        override fun supports(file: PsiFile) = file is ToyFile

        override fun processFile(file: PsiFile): Runnable {
            check(!SwingUtilities.isEventDispatchThread()) { "analysis is not allowed on the event dispatch thread" }
            val statements = file.children.map { it.text.trim() }.filter { it.isNotEmpty() }
            meanwhile()
            return Runnable { tidy(file, statements) }
        }

        private fun tidy(file: PsiFile, statements: List<String>) {
            val (imports, others) = statements.partition { it.startsWith("import") }
            val words = others.flatMapTo(HashSet()) { it.split(' ', '=', ';', '\n') }
            val kept = imports.map { it.replace(Regex("""\s+"""), " ") }
                .filter { it.removePrefix("import ").removeSuffix(";") in words }
                .toSortedSet()
            val documents = PsiDocumentManager.getInstance(file.project)
            val document = checkNotNull(documents.getDocument(file))
            if ("fails" in words) error("the toy optimiser was told to fail")
            document.setText((kept + others).joinToString("\n", postfix = "\n"))
            documents.commitDocument(document)
        }
    }
}
