package dev.siderail.bridge;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An engine with a project and a scripted agent, and what it said. */
class Stage extends NativeHost {
    static final long PATIENCE_S = 60;
    private static final Pattern SEQ = Pattern.compile("\"seq\":(\\d+)");
    private static final Pattern EVENT = Pattern.compile("\"event\":\"([A-Z_]+)\"");

    final Path folder;
    final String agent;
    long handle;
    final List<String> batches = new ArrayList<>();
    final List<String> calls = new ArrayList<>();
    final List<String> records = new ArrayList<>();
    final List<Long> cancelled = new ArrayList<>();
    final CountDownLatch closed = new CountDownLatch(1);

    Stage(Path folder, String agent) {
        this.folder = folder;
        this.agent = agent;
    }

    @Override
    synchronized void events(byte[] batch) {
        batches.add(new String(batch, UTF_8));
        notifyAll();
    }

    @Override
    void start(long call, byte[] request) {
        String text = new String(request, UTF_8);
        synchronized (this) {
            calls.add(text);
            notifyAll();
        }
        perform(call, text);
    }

    /** Answers every call at once. */
    void perform(long call, String request) {
        Native.complete(handle, call, bytes("{'reply':'tool','text':'done\\n','files_written':['src/App.java']}"));
    }

    @Override
    synchronized void cancel(long call) {
        cancelled.add(call);
        notifyAll();
    }

    @Override
    synchronized void log(int level, byte[] target, byte[] text) {
        records.add(level + " " + new String(target, UTF_8) + ": " + new String(text, UTF_8));
    }

    @Override
    void closed() {
        closed.countDown();
    }

    Stage open(String more) throws Exception {
        handle = Native.open(config(more), this);
        return this;
    }

    /** What the engine is opened with. */
    byte[] config(String more) throws Exception {
        Path project = Files.createDirectories(folder.resolve("project"));
        Path home = Files.createDirectories(folder.resolve("home"));
        return bytes("{'project':" + quoted(project.toString()) + ",'relay':[" + quoted(agent) + ",'relay'],'runtime_dir':"
            + quoted(folder.resolve("run").toString()) + ",'env':{'HOME':" + quoted(home.toString()) + ",'PATH':"
            + quoted(System.getenv("PATH")) + ",'SystemRoot':" + quoted(System.getenv().getOrDefault("SystemRoot", "")) + "},'tools':['intellij_read_file','intellij_write_file']" + more + "}");
    }

    Stage session(String script) {
        Native.send(handle, bytes("{'command':'start_session','session':1,'options':{'agent':'claude','hide':false,'agent_command':["
            + quoted(agent) + ",'scripted-agent','--shape','claude','--script-text'," + quoted(script) + "]}}"));
        return this;
    }

    void prompt() {
        Native.send(handle, bytes("{'command':'prompt','session':1,'text':'go'}"));
    }

    void end() {
        Native.send(handle, bytes("{'command':'end_session','session':1}"));
    }

    void close() throws Exception {
        Native.close(handle);
        Scenarios.check(closed.await(PATIENCE_S, TimeUnit.SECONDS), "closed() came");
    }

    synchronized String all() {
        return String.join("\n", batches);
    }

    /** The log; all of it once the engine is closed. */
    synchronized String logged() {
        return String.join("\n", records);
    }

    void awaitEvent(String name) throws Exception {
        await(text -> text.contains("\"event\":\"" + name + "\""), name);
    }

    synchronized void await(Predicate<String> wanted, String what) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (!wanted.test(all())) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            Scenarios.check(left > 0, "waited for " + what + "; came:\n" + all() + "\n" + logged());
            wait(left);
        }
    }

    /** Numbers of events rise without exception. */
    void checkOrder() {
        Matcher matcher = SEQ.matcher(all());
        long last = 0;
        while (matcher.find()) {
            long seq = Long.parseLong(matcher.group(1));
            Scenarios.check(seq > last, seq + " after " + last);
            last = seq;
        }
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        Matcher matcher = EVENT.matcher(all());
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    /** JSON with single quotes, as bytes. */
    static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(UTF_8);
    }

    static String quoted(String text) {
        String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
        return "\"" + escaped + "\"";
    }
}
