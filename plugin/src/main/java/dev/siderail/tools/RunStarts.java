package dev.siderail.tools;

import com.intellij.execution.ExecutionListener;
import com.intellij.execution.process.ProcessHandler;
import com.intellij.execution.runners.ExecutionEnvironment;

/**
 * Hears of runs that start, the same one perhaps twice.
 *
 * <p>In Java, because {@code processStarting} with a handler, which comes before the program's first word, exists in
 * today's platform and not in 2020.1: a method of that shape overrides it there and is just a method here.
 */
abstract class RunStarts implements ExecutionListener {
    abstract void started(ExecutionEnvironment environment, ProcessHandler handler);

    abstract void notStarted(ExecutionEnvironment environment);

    public void processStarting(String executorId, ExecutionEnvironment environment, ProcessHandler handler) {
        started(environment, handler);
    }

    @Override
    public void processStarted(String executorId, ExecutionEnvironment environment, ProcessHandler handler) {
        started(environment, handler);
    }

    @Override
    public void processNotStarted(String executorId, ExecutionEnvironment environment) {
        notStarted(environment);
    }
}
