package dev.siderail.bridge;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/** What a relay on the JVM would be: lines from stdin to an HTTP server, answers to stdout. */
public final class Proxy {
    public static void main(String[] args) throws Exception {
        URI server = URI.create("http://127.0.0.1:" + args[0] + "/");
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            HttpRequest request = HttpRequest.newBuilder(server).POST(HttpRequest.BodyPublishers.ofString(line)).build();
            String answer = client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8)).body();
            if (!answer.isEmpty()) {
                out.print(answer);
                out.print('\n');
                out.flush();
            }
        }
    }
}
