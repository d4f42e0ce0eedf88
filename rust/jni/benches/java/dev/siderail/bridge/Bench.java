package dev.siderail.bridge;

import static dev.siderail.bridge.Stage.bytes;
import static dev.siderail.bridge.Stage.quoted;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;

/** What the boundary costs, measured inside a virtual machine. Prints lines of "name value". */
public final class Bench {
    private static final String SMALL = "x".repeat(1 << 10);
    private static final String LARGE = "x".repeat(64 << 10);

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "load" -> load(args[1], args[2], Path.of(args[3]));
            case "crossings" -> crossings(args[1]);
            case "tools" -> tools(args[1], args[2], args[3], args[4], Path.of(args[5]));
            case "http" -> http();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** From nothing to an engine that takes commands, in a new virtual machine. */
    private static void load(String library, String relay, Path folder) throws Exception {
        Stage stage = new Stage(folder, relay);
        byte[] config = stage.config("");
        long start = System.nanoTime();
        System.load(library);
        Native.abiVersion();
        long loaded = System.nanoTime();
        stage.handle = Native.open(config, stage);
        long opened = System.nanoTime();
        System.out.println("load_and_open " + (opened - start) / 1e3);
        System.out.println("load " + (loaded - start) / 1e3);
        System.out.println("open " + (opened - loaded) / 1e3);
        stage.close();
    }

    private static void crossings(String library) {
        System.load(library);
        print("empty_call_ns", batched(1000, Testing::nothing));
        byte[] payload = LARGE.getBytes(UTF_8);
        print("echo_64k_us", batched(20, () -> Testing.echo(payload)) / 1e3);
        NativeHost inline = new NativeHost() {
            @Override
            void start(long call, byte[] request) {
                Testing.answer(request);
            }
        };
        ExecutorService thread = Executors.newSingleThreadExecutor();
        NativeHost hopping = new NativeHost() {
            @Override
            void start(long call, byte[] request) {
                thread.execute(() -> Testing.answer(request));
            }
        };
        for (int warm = 0; warm < 3; warm++) {
            Testing.hostCalls(inline, 20_000, 1 << 10);
        }
        print("host_call_1k_us", Testing.hostCalls(inline, 20_000, 1 << 10) / 1e3);
        print("host_call_64k_us", Testing.hostCalls(inline, 5_000, 64 << 10) / 1e3);
        Testing.hostCalls(hopping, 20_000, 1 << 10);
        print("host_call_other_thread_1k_us", Testing.hostCalls(hopping, 20_000, 1 << 10) / 1e3);
        thread.shutdown();
    }

    /** An agent calls a tool whose handler is here. */
    private static void tools(String library, String relay, String agent, String out, Path folder) throws Exception {
        System.load(library);
        // Nothing of a call is kept: the thread that waits for the turn's end would look through it, on a core that is
        // measured.
        Stage stage = new Stage(folder, relay) {
            @Override
            void start(long call, byte[] request) {
                String text = new String(request, UTF_8).contains("large") ? LARGE : SMALL;
                Native.complete(handle, call, bytes("{'reply':'tool','text':" + quoted(text) + "}"));
            }

            @Override
            synchronized void events(byte[] batch) {
                String text = new String(batch, UTF_8);
                if (text.contains("TURN_ENDED") || !text.contains("OWN_TOOL")) {
                    super.events(batch);
                }
            }
        };
        stage.open("");
        Native.send(stage.handle, bytes("{'command':'start_session','session':1,'options':{'agent':'measuring','agent_command':["
            + quoted(agent) + "," + quoted(out) + "]}}"));
        stage.prompt();
        stage.awaitEvent("TURN_ENDED");
        stage.close();
    }

    /** The same tool behind an HTTP server in the virtual machine, for a proxy on stdio. Prints its port. */
    private static void http() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            String request = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            String id = request.replaceAll("(?s).*\"id\":(\\d+).*", "$1");
            String text = request.contains("large") ? LARGE : SMALL;
            String result = request.contains("tools/call")
                ? "{\"content\":[{\"type\":\"text\",\"text\":" + quoted(text) + "}]}"
                : "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}";
            byte[] answer = request.contains("\"id\":")
                ? ("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}").getBytes(UTF_8)
                : new byte[0];
            exchange.sendResponseHeaders(answer.length == 0 ? 202 : 200, answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        System.out.println("port " + server.getAddress().getPort());
        System.in.read();
        System.exit(0);
    }

    /** Median time of one run in nanoseconds; runs that are shorter than a clock's step are timed in batches. */
    private static double batched(int size, Runnable action) {
        LongSupplier batch = () -> {
            long start = System.nanoTime();
            for (int i = 0; i < size; i++) {
                action.run();
            }
            return System.nanoTime() - start;
        };
        long[] times = new long[400];
        for (int warm = 0; warm < 3; warm++) {
            for (int i = 0; i < times.length; i++) {
                times[i] = batch.getAsLong();
            }
        }
        Arrays.sort(times);
        return (double) times[times.length / 2] / size;
    }

    private static void print(String name, double value) {
        System.out.println(name + " " + value);
    }
}
