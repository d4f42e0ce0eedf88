package dev.siderail.toolwindow

import com.intellij.openapi.Disposable
import com.intellij.openapi.actionSystem.AnAction
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.DefaultActionGroup
import com.intellij.openapi.project.Project
import com.intellij.openapi.ui.popup.JBPopupFactory
import com.intellij.openapi.util.Disposer
import com.intellij.ui.awt.RelativePoint
import com.intellij.util.concurrency.AppExecutorUtil
import dev.siderail.document.ChangeReverter
import dev.siderail.document.ProjectFolder
import dev.siderail.document.Reverted
import dev.siderail.document.ReviewMarkLook
import dev.siderail.document.ReviewMarks
import dev.siderail.document.ReviewedFile
import dev.siderail.engine.ContentRoots
import dev.siderail.ui.Mark
import dev.siderail.ui.Texts
import java.awt.event.MouseEvent
import java.nio.file.Path

/** Reverts for [Review], and its marks in editors with their menu. [later] runs on the event dispatch thread with its lock. */
internal class IdeReview(
    private val project: Project,
    private val later: (() -> Unit) -> Unit,
    private val diff: (String, List<FileChange>) -> Unit,
) : Disposable {
    private val reverter = ChangeReverter(project) {
        ProjectFolder(Path.of(project.basePath.orEmpty()), project.getService(ContentRoots::class.java)?.further().orEmpty())
    }
    private val look = ReviewMarkLook(Mark.ofChange(), { Texts["review.mark.$it"] }, ::menu)
    private val marks = ReviewMarks(project, look).also { Disposer.register(this, it) }
    private var listener: ReviewListener? = null

    fun show(files: List<ReviewedFile>, listener: ReviewListener) {
        this.listener = listener
        later { marks.show(Path.of(project.basePath.orEmpty()), files) }
    }

    fun revert(file: ReviewedFile, parts: Set<Int>, done: (Reverted) -> Unit) = AppExecutorUtil.getAppExecutorService().execute {
        val reverted = reverter.revert(file, parts)
        later {
            file.reverted(reverted.parts)
            marks.refresh(file)
            done(reverted)
        }
    }

    private fun menu(file: ReviewedFile, part: Int, canRevert: Boolean): AnAction = PartAction(Texts["review.menu"], true) { event ->
        val group = DefaultActionGroup(actions(file, part, canRevert))
        val popup = JBPopupFactory.getInstance().createActionGroupPopup(
            Texts["review.menu"], group, event.dataContext, JBPopupFactory.ActionSelectionAid.SPEEDSEARCH, true,
        )
        val mouse = event.inputEvent as? MouseEvent
        if (mouse == null) popup.showInBestPositionFor(event.dataContext) else popup.show(RelativePoint(mouse))
    }

    /** What can be done at a mark. */
    fun actions(file: ReviewedFile, part: Int, canRevert: Boolean): List<AnAction> {
        val mayRevert = listener?.canRevert == true
        fun action(name: String, isEnabled: Boolean, work: () -> Unit) = PartAction(Texts["review.$name"], isEnabled) { _: AnActionEvent -> work() }
        return listOf(
            action("keep", true) { keep(file, setOf(part)) },
            action("revert", canRevert && mayRevert) { revertHere(file, setOf(part)) },
            action("diff", true) { diff(file.path, listOf(file.shown(part))) },
            action("keep.file", file.open.size > 1) { keep(file, file.open) },
            action("revert.file", mayRevert && file.open.size > 1) { revertHere(file, file.open) },
        )
    }

    private fun keep(file: ReviewedFile, parts: Set<Int>) = later {
        file.keep(parts)
        marks.refresh(file)
        listener?.decided(file, "")
    }

    private fun revertHere(file: ReviewedFile, parts: Set<Int>) = revert(file, parts) { listener?.decided(file, it.refusal) }

    /** The part as it was and as the agent left it, whatever the text is now. */
    private fun ReviewedFile.shown(part: Int): FileChange {
        val (old, new) = texts(part)
        return FileChange(path, old, new)
    }

    override fun dispose() = Unit
}
