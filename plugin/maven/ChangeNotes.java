import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The newest section of the changelog as a plugin's change notes. Both builds run this file as it is:
 * {@code java ChangeNotes.java CHANGELOG.md} prints the notes, a descriptor as second argument gets them put in, in place of older ones.
 * They are ASCII, so no build needs to know a charset.
 */
public final class ChangeNotes {
    private static final String PLACE = "<idea-version ";

    public static void main(String[] args) throws IOException {
        String notes = html(newestSection(Files.readAllLines(Path.of(args[0]))));
        if (args.length == 1) {
            System.out.print(notes);
            return;
        }
        Path descriptor = Path.of(args[1]);
        String text = Files.readString(descriptor).replaceFirst("(?s)<change-notes>.*</change-notes>\\s*", "");
        if (!text.contains(PLACE)) throw new IOException(descriptor + " has no " + PLACE);
        Files.writeString(descriptor, text.replace(PLACE, "<change-notes><![CDATA[\n" + notes + "  ]]></change-notes>\n  " + PLACE));
    }

    private static List<String> newestSection(List<String> changelog) {
        List<String> section = new ArrayList<>();
        boolean isInside = false;
        for (String line : changelog) {
            if (line.startsWith("## ")) {
                if (!section.isEmpty()) break;
                isInside = true;
            } else if (isInside && !line.isBlank()) {
                section.add(line);
            }
        }
        return section;
    }

    /** Headings, paragraphs and one level of lists: what a changelog is made of. */
    private static String html(List<String> lines) {
        StringBuilder html = new StringBuilder();
        String open = "";
        for (int at = 0; at < lines.size(); at++) {
            String line = lines.get(at);
            boolean isItem = line.startsWith("- ");
            boolean isHeading = line.startsWith("### ");
            StringBuilder text = new StringBuilder(line.substring(isItem ? 2 : isHeading ? 4 : 0).strip());
            while (!isHeading && at + 1 < lines.size() && lines.get(at + 1).matches("(?!- |#).*")) {
                text.append(' ').append(lines.get(++at).strip());
            }
            String list = isItem ? "ul" : "";
            if (!list.equals(open)) html.append(isItem ? "<ul>\n" : "</ul>\n");
            open = list;
            String tag = isItem ? "li" : isHeading ? "h3" : "p";
            html.append('<').append(tag).append('>').append(inline(text.toString())).append("</").append(tag).append(">\n");
        }
        return html.append(open.isEmpty() ? "" : "</ul>\n").toString();
    }

    /** Code and links within a line; links into the project's folders lead nowhere outside, so only their text stays. */
    private static String inline(String text) {
        StringBuilder safe = new StringBuilder();
        text.codePoints().forEach(letter -> {
            if (letter == '<' || letter == '>' || letter == '&' || letter > 126) safe.append("&#").append(letter).append(';');
            else safe.appendCodePoint(letter);
        });
        return safe.toString()
            .replaceAll("\\[([^\\]]+)\\]\\((https://[^)\\s]+)\\)", "<a href=\"$2\">$1</a>")
            .replaceAll("\\[([^\\]]+)\\]\\([^)\\s]+\\)", "$1")
            .replaceAll("`([^`]+)`", "<code>$1</code>");
    }
}
