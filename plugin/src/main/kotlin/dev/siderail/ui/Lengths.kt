package dev.siderail.ui

/** The first [most] characters. They are counted whole, however many units one has here, so that none is cut in two. */
internal fun String.atMost(most: Int): String =
    if (length <= most || codePointCount(0, length) <= most) this else substring(0, offsetByCodePoints(0, most))

/** At most [most] characters; where some are left out, the last one says so. */
internal fun String.shortened(most: Int): String =
    if (atMost(most).length == length) this else atMost(most - 1) + "…"
