package dev.siderail.bridge;

import static dev.siderail.bridge.Stage.bytes;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** One scenario per run: name, library, agent, private folder. Says "passed" at its end. */
public final class Scenarios {
    private static final String WRITES = "[[prompt]]\nstep = [ { create = \"src/App.java\", content = \"x\", expect = \"denied\" },"
        + " { call = \"intellij_write_file\", arguments = { path = \"src/App.java\", content = \"x\" }, expect = \"allowed\" } ]";
    private static final String FLOOD = "[[prompt]]\nstep = [ { flood = 30000 },"
        + " { call = \"intellij_write_file\", arguments = { path = \"src/App.java\", content = \"x\" }, expect = \"allowed\" }, { flood = 30000 } ]";

    private final String library;
    private final String agent;
    private final Path folder;

    private Scenarios(String library, String agent, Path folder) {
        this.library = library;
        this.agent = agent;
        this.folder = folder;
    }

    public static void main(String[] args) throws Exception {
        Scenarios scenarios = new Scenarios(args[1], args[2], Path.of(args[3]));
        if (!args[0].equals("unloads")) {
            System.load(args[1]);
        }
        Scenarios.class.getDeclaredMethod(args[0]).invoke(scenarios);
        System.out.println("passed");
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static void checkThrows(Class<? extends Throwable> type, String text, Runnable action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            check(thrown.getClass() == type && String.valueOf(thrown.getMessage()).contains(text), "threw " + thrown);
            return;
        }
        throw new AssertionError("nothing was thrown, not even " + type);
    }

    private Stage stage() {
        return new Stage(folder, agent);
    }

    void roundTrip() throws Exception {
        check(Native.abiVersion() == 1, "the version");
        Stage stage = stage().open("").session(WRITES);
        stage.prompt();
        stage.awaitEvent("TURN_ENDED");
        stage.end();
        stage.awaitEvent("SUMMARY");
        stage.close();
        stage.checkOrder();
        check(stage.calls.size() == 1 && stage.calls.get(0).contains("\"intellij_write_file\""), "calls " + stage.calls);
        List<String> names = stage.names();
        for (String name : List.of("SESSION_STARTED", "PERMISSION_DENIED", "GUIDANCE_FOLLOWED")) {
            check(names.contains(name), name + " in " + names);
        }
        check(names.get(names.size() - 1).equals("SUMMARY"), "the last word in " + names);
        check(stage.all().contains("\"files_written\":[\"src/App.java\"]"), stage.all());
    }

    void misuse() throws Exception {
        Stage stage = stage().open("");
        long open = stage.handle;
        byte[] cancel = bytes("{'command':'cancel','session':1}");
        checkThrows(NullPointerException.class, "config", () -> Native.open(null, stage));
        checkThrows(NullPointerException.class, "host", () -> Native.open(bytes("{}"), null));
        checkThrows(IllegalArgumentException.class, "configuration", () -> Native.open(bytes("{}"), stage));
        checkThrows(IllegalArgumentException.class, "command", () -> Native.send(open, new byte[0]));
        checkThrows(IllegalArgumentException.class, "command", () -> Native.send(open, new byte[] {(byte) 0xff}));
        checkThrows(IllegalArgumentException.class, "command", () -> Native.send(open, bytes("{'command':'dance'}")));
        checkThrows(IllegalArgumentException.class, "`policy` is", () -> Native.send(open,
            bytes("{'command':'start_session','session':1,'options':{'agent':'x','policy':'lax'}}")));
        checkThrows(NullPointerException.class, "command", () -> Native.send(open, null));
        checkThrows(IllegalArgumentException.class, "reply", () -> Native.complete(open, 1, bytes("{'reply':'maybe'}")));
        Native.complete(open, 4711, bytes("{'reply':'text','text':'too late'}"));
        for (long wrong : new long[] {0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, open + 1, open + (1L << 32)}) {
            checkThrows(IllegalStateException.class, "closed", () -> Native.send(wrong, cancel));
            checkThrows(IllegalStateException.class, "closed", () -> Native.close(wrong));
        }
        checkThrows(NativeException.class, "project", () -> Native.open(bytes("{'project':'/no/such/folder','relay':[],"
            + "'runtime_dir':'/no/such/folder','env':{}}"), stage));
        stage.close();
        checkThrows(IllegalStateException.class, "closed", () -> Native.close(open));
        checkThrows(IllegalStateException.class, "closed", () -> Native.send(open, cancel));
        checkThrows(IllegalStateException.class, "closed", () -> Native.complete(open, 1, bytes("{}")));
    }

    void closesUnderFire() throws Exception {
        for (int round = 0; round < 10; round++) {
            Stage stage = new Stage(folder.resolve("round" + round), agent).open("");
            AtomicReference<Throwable> wrong = new AtomicReference<>();
            AtomicInteger n_refused = new AtomicInteger();
            CountDownLatch busy = new CountDownLatch(4);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> {
                    busy.countDown();
                    while (n_refused.get() < 100 && wrong.get() == null) {
                        try {
                            Native.send(stage.handle, bytes("{'command':'prompt','session':9,'text':'x'}"));
                            Native.complete(stage.handle, 5, bytes("{'reply':'written','diff':null}"));
                        } catch (IllegalStateException refused) {
                            n_refused.incrementAndGet();
                        } catch (NativeException full) {
                            Thread.onSpinWait();
                        } catch (Throwable other) {
                            wrong.set(other);
                        }
                    }
                });
                thread.start();
                threads.add(thread);
            }
            busy.await();
            Thread.sleep(5);
            stage.close();
            for (Thread thread : threads) {
                thread.join();
            }
            check(wrong.get() == null, "threw " + wrong.get());
        }
    }

    void throwingHost() throws Exception {
        Stage stage = new Stage(folder, agent) {
            @Override
            synchronized void events(byte[] batch) {
                super.events(batch);
                throw new IllegalStateException("a listener is broken");
            }

            @Override
            void perform(long call, String request) {
                throw new UnsupportedOperationException("a tool is broken");
            }
        };
        stage.open("").session(WRITES.replace("\"allowed\" }", "\"failed\", expect_result_contains = \"a tool is broken\" }"));
        stage.prompt();
        stage.awaitEvent("TURN_ENDED");
        stage.end();
        stage.awaitEvent("SUMMARY");
        stage.close();
        check(!stage.all().contains("EXPECTATION FAILED"), stage.all());
        check(stage.logged().contains("a listener is broken"), "records " + stage.logged());
    }

    void cancellingHost() throws Exception {
        Stage stage = new Stage(folder, agent) {
            @Override
            void perform(long call, String request) {
                throw new CancellationException("the project is being closed");
            }
        };
        stage.open("").session(WRITES.replace("\"allowed\" }", "\"failed\", expect_result_contains = \"CANCELLED\" }"));
        stage.prompt();
        stage.awaitEvent("TURN_ENDED");
        stage.close();
        check(!stage.all().contains("EXPECTATION FAILED"), stage.all());
        check(!stage.logged().contains("a bug"), "records " + stage.logged());
    }

    void silentHost() throws Exception {
        Stage stage = new Stage(folder, agent) {
            @Override
            void perform(long call, String request) {}
        };
        stage.open(",'call_limit_s':0.3")
            .session(WRITES.replace("\"allowed\" }", "\"failed\", expect_result_contains = \"TIMEOUT\" }"));
        stage.prompt();
        stage.awaitEvent("TURN_ENDED");
        check(!stage.all().contains("EXPECTATION FAILED"), stage.all());
        synchronized (stage) {
            while (stage.cancelled.isEmpty()) {
                stage.wait(1000);
            }
        }
        check(stage.calls.get(0).contains("\"call\":" + stage.cancelled.get(0)), stage.calls + " " + stage.cancelled);
        Native.complete(stage.handle, stage.cancelled.get(0), bytes("{'reply':'tool','text':'too late'}"));
        stage.close();
    }

    /** Nobody takes events while an agent writes 60 000 of them and uses a tool in between. */
    void slowListener() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch called = new CountDownLatch(1);
        Stage stage = new Stage(folder, agent) {
            @Override
            void events(byte[] batch) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                super.events(batch);
            }

            @Override
            void perform(long call, String request) {
                super.perform(call, request);
                called.countDown();
            }
        };
        stage.open("").session(FLOOD);
        stage.prompt();
        check(called.await(Stage.PATIENCE_S, TimeUnit.SECONDS), "a call was performed although nobody took events");
        Thread.sleep(1500);
        released.countDown();
        stage.awaitEvent("TURN_ENDED");
        stage.end();
        stage.awaitEvent("SUMMARY");
        stage.close();
        stage.checkOrder();
        StringBuilder text = new StringBuilder();
        var matcher = java.util.regex.Pattern.compile("\"event\":\"AGENT_MESSAGE\",\"text\":\"([^\"]*)\"").matcher(stage.all());
        while (matcher.find()) {
            text.append(matcher.group(1));
        }
        StringBuilder expected = new StringBuilder();
        for (int flood = 0; flood < 2; flood++) {
            for (int n = 1; n <= 30000; n++) {
                expected.append("n:").append(n);
            }
        }
        String came = text.toString().replaceAll("[^n:0-9]", "");
        check(came.contentEquals(expected), "all pieces in order, not " + came.length() + " of " + expected.length() + " characters");
        int n_events = stage.names().size();
        check(n_events < 5000, n_events + " events: waiting pieces are joined");
    }

    void panics() throws Exception {
        for (int i = 0; i < 3; i++) {
            checkThrows(NativePanicError.class, "provoked by test 7", Testing::panic);
        }
        Stage stage = stage().open("");
        checkThrows(NativePanicError.class, "provoked by test 7", Testing::panic);
        stage.close();
        check(stage.logged().contains("testing.rs"), "the log has the place: " + stage.logged());
    }

    /** The end of main ends the machine although an engine, its session and an agent are there. */
    void exits() throws Exception {
        Stage stage = stage().open("").session("[[prompt]]\nstep = [ { sleep = 60 } ]");
        stage.prompt();
        stage.awaitEvent("TURN_STARTED");
    }

    /** Engines in two class loaders, one after the other and at the same time; both loaders can go. */
    void unloads() throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            loaders.add(inAnotherLoader(i));
        }
        for (WeakReference<ClassLoader> loader : loaders) {
            for (int i = 0; i < 200 && loader.get() != null; i++) {
                System.gc();
                Thread.sleep(50);
            }
            check(loader.get() == null, "a class loader stays in memory");
        }
    }

    private WeakReference<ClassLoader> inAnotherLoader(int number) throws Exception {
        Path own = Files.createDirectories(folder.resolve("loader" + number));
        Path copy = own.resolve("copy.so");
        Files.copy(Path.of(library), copy);
        URL classes = Scenarios.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            String[] args = {"roundTrip", copy.toString(), agent, own.toString()};
            loader.loadClass("dev.siderail.bridge.Scenarios").getMethod("main", String[].class).invoke(null, (Object) args);
            return new WeakReference<>(loader);
        }
    }
}
