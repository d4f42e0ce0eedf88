package dev.siderail.engine

/** When files that an agent changed are tidied. */
enum class Tidying {
    /** In the same undo step as the write; imports that a turn brings in stay until it ends. */
    EACH_WRITE,

    /** Once, when the turn ends: an undo step of its own for each file. */
    END_OF_TURN,

    /** Never, unless an agent asks for it. */
    OFF,
}

/** What a person has chosen about tools. An application service; asked anew for every call, on any thread. */
interface ToolSettings {
    val tidying: Tidying

    /** Whether tidying optimises imports. */
    val optimizeImports: Boolean

    /** Whether tidying formats what was changed. */
    val reformat: Boolean

    /** Whether tools are offered that have not been tried in every IDE. */
    val experimental: Boolean

    /** As long as nobody has chosen otherwise. */
    object Default : ToolSettings {
        override val tidying get() = Tidying.EACH_WRITE
        override val optimizeImports get() = true
        override val reformat get() = true
        override val experimental get() = false
    }
}
