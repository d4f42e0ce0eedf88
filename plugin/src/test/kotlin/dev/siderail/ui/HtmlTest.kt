package dev.siderail.ui

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class HtmlTest {
    @Test
    fun `tags and comments go, and what is in angle brackets otherwise stays`() {
        for ((html, plain) in listOf(
            "<html><body>Call <a href='x'>it</a><br/>now.<p class=\"a\">So</p></body></html>" to "Call it now. So",
            "<HTML>Bold<BR>next</HTML>" to "Bold next",
            "a<!-- tooltip end -->b<!--\n<b>x</b> -->c" to "abc",
            "<h2>Head</h2><tt>x</tt><nobr>y</nobr>" to "Head xy",
            "Raw use of 'List<String>'" to "Raw use of 'List<String>'",
            "Map<Link, S>, Set<Table>, Box<P> and <T extends A>" to "Map<Link, S>, Set<Table>, Box<P> and <T extends A>",
            "<b>&lt;br&gt; &amp; &quot;x&quot;</b>" to "<br> & \"x\"",
            "x < a and b > y" to "x < a and b > y",
        )) assertEquals(plain, Html.plain(html))
    }
}
