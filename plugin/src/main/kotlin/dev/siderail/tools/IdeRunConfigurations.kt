package dev.siderail.tools

import com.intellij.execution.CommonProgramRunConfigurationParameters
import com.intellij.execution.ExecutionManager
import com.intellij.execution.ProgramRunnerUtil
import com.intellij.execution.RunManager
import com.intellij.execution.RunnerAndConfigurationSettings
import com.intellij.execution.configurations.ConfigurationType
import com.intellij.execution.configurations.RunConfiguration
import com.intellij.execution.executors.DefaultRunExecutor
import com.intellij.execution.process.ProcessEvent
import com.intellij.execution.process.ProcessHandler
import com.intellij.execution.process.ProcessListener
import com.intellij.execution.runners.ExecutionEnvironment
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Key
import dev.siderail.bridge.ToolErrorCode
import dev.siderail.bridge.ToolName
import dev.siderail.document.EventThread
import dev.siderail.document.Patience
import dev.siderail.document.ToolFailure
import org.jdom.Element

/** The platform's run configurations. Experimental, see [RunConfigurations]. */
internal class IdeRunConfigurations(private val project: Project) : RunConfigurations {
    private val eventThread = EventThread(project)
    private val manager get() = RunManager.getInstance(project)

    override fun all(): List<RunConfigurationFacts> =
        manager.allSettings.map { RunConfigurationFacts(it.name, it.type.displayName, it.isTemporary) }

    override fun types(): List<String> =
        ConfigurationType.CONFIGURATION_TYPE_EP.extensionList.map { it.displayName }.distinct().sorted()

    override fun create(name: String, type: String, change: RunChange, patience: Patience) {
        val factory = ConfigurationType.CONFIGURATION_TYPE_EP.extensionList
            .find { it.displayName.equals(type, ignoreCase = true) || it.id.equals(type, ignoreCase = true) }
            ?.configurationFactories?.firstOrNull()
            ?: throw ToolFailure.invalid("there is no type `$type`; the IDE has ${types().joinToString()}")
        eventThread.run(patience) {
            if (find(name) != null) throw ToolFailure.invalid("a run configuration `$name` exists; ${ToolName.EDIT_RUN_CONFIGURATION} changes it")
            val settings = manager.createConfiguration(name, factory)
            apply(settings.configuration, change)
            manager.addConfiguration(settings)
        }
    }

    override fun edit(name: String, change: RunChange, patience: Patience) =
        eventThread.run(patience) { apply(known(name).configuration, change) }

    override fun start(name: String, record: RunRecord, patience: Patience) {
        val connection = project.messageBus.connect()
        connection.subscribe(ExecutionManager.EXECUTION_TOPIC, Recorder(name, record) { connection.disconnect() })
        try {
            eventThread.run(patience) {
                ProgramRunnerUtil.executeConfiguration(known(name), DefaultRunExecutor.getRunExecutorInstance())
            }
        } catch (failure: ToolFailure) {
            connection.disconnect()
            throw failure
        }
    }

    private fun find(name: String): RunnerAndConfigurationSettings? = manager.findConfigurationByName(name)

    private fun known(name: String) = find(name) ?: throw ToolFailure.invalid(
        "there is no run configuration `$name`; the IDE has ${all().joinToString { it.name }.ifEmpty { "none" }}",
    )

    /** On the event dispatch thread. Nothing is changed where something of it cannot be. */
    private fun apply(configuration: RunConfiguration, change: RunChange) {
        val options = listOf("MAIN_CLASS_NAME" to change.mainClass, "VM_PARAMETERS" to change.vmArgs)
            .mapNotNull { (option, value) -> value?.let { option to it } }
        val common = configuration as? CommonProgramRunConfigurationParameters
        if (common == null && (change.programArgs != null || change.workingDir != null || change.env != null)) {
            throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "configurations of the type ${configuration.type.displayName} take no arguments, folder or variables from here; the person can set them in the IDE")
        }
        if (options.isNotEmpty()) setOptions(configuration, options)
        change.programArgs?.let { common?.programParameters = it }
        change.workingDir?.let { common?.workingDirectory = it }
        change.env?.let { common?.envs = it }
    }

    /**
     * What only configurations of the JVM have is in the Java plugin, and by the same names in what
     * is stored.
     */
    private fun setOptions(configuration: RunConfiguration, options: List<Pair<String, String>>) {
        val before = Element("configuration").also(configuration::writeExternal)
        val after = before.clone()
        for ((name, value) in options) {
            after.getChildren("option").removeIf { it.getAttributeValue("name") == name }
            after.addContent(Element("option").setAttribute("name", name).setAttribute("value", value))
        }
        configuration.readExternal(after)
        val stored = Element("configuration").also(configuration::writeExternal)
        for ((name, value) in options) {
            val taken = stored.getChildren("option").any { it.getAttributeValue("name") == name && it.getAttributeValue("value") == value }
            if (!taken && value.isNotEmpty()) {
                configuration.readExternal(before)
                throw ToolFailure(ToolErrorCode.NOT_APPLICABLE, "configurations of the type ${configuration.type.displayName} have no main class or JVM options that can be set from here")
            }
        }
    }

    /** Follows the first run of a configuration from now on. */
    private class Recorder(private val name: String, private val record: RunRecord, private val over: () -> Unit) : RunStarts() {
        private var handler: ProcessHandler? = null

        override fun notStarted(environment: ExecutionEnvironment) {
            if (handler == null && isMeant(environment)) end("was not started; the IDE's notifications say why (${ToolName.GET_NOTIFICATIONS})")
        }

        override fun started(environment: ExecutionEnvironment, handler: ProcessHandler) {
            if (this.handler != null || !isMeant(environment)) return
            this.handler = handler
            handler.addProcessListener(
                object : ProcessListener {
                    override fun startNotified(event: ProcessEvent) = Unit

                    override fun onTextAvailable(event: ProcessEvent, outputType: Key<*>) = record.append(event.text.orEmpty())

                    override fun processTerminated(event: ProcessEvent) = end("ended with exit code ${event.exitCode}")
                },
            )
            if (handler.isProcessTerminated) end("ended with exit code ${handler.exitCode ?: "unknown"}")
        }

        private fun isMeant(env: ExecutionEnvironment) = env.runnerAndConfigurationSettings?.name == name

        private fun end(how: String) {
            record.end(how)
            over()
        }
    }
}
