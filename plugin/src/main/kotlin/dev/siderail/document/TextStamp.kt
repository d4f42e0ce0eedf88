package dev.siderail.document

/** Tells texts apart. */
internal object TextStamp {
    /**
     * FNV-1a 64 of the text in UTF-8, in hexadecimal. It is no protection against somebody who wants two texts to
     * look alike.
     */
    fun of(text: String): String {
        var hash = -0x340d631b7bdddcdb
        for (byte in text.toByteArray()) {
            hash = (hash xor (byte.toLong() and 0xff)) * 0x100000001b3
        }
        return java.lang.Long.toHexString(hash).padStart(16, '0')
    }
}
