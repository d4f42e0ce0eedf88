package dev.siderail.toolwindow

import com.google.gson.JsonObject
import dev.siderail.ui.Texts
import java.text.NumberFormat
import java.util.Currency
import java.util.Locale

/**
 * What a conversation takes of the model's context and what it cost, as far as its agent reports it. Pure; nothing is
 * estimated.
 *
 * @property used tokens in the context now
 * @property size tokens that it holds
 * @property cost in whole units of [currency]
 * @property turn tokens of the last turn, by the words under which they are shown
 */
data class Usage(
    val used: Long? = null,
    val size: Long? = null,
    val cost: Double? = null,
    val currency: String = "",
    val turn: List<Pair<String, Long>> = emptyList(),
) {
    /** How full the context is, from 0 to 1; null where that is not known. */
    val share: Double? get() = if (used == null || size == null || size <= 0) null else (used.toDouble() / size).coerceIn(0.0, 1.0)

    /** One short line; empty where nothing is known. */
    fun line(locale: Locale = Locale.getDefault()): String {
        val context = when {
            used != null && size != null && size > 0 -> Texts["usage.of", short(used), short(size)]
            used != null -> Texts["usage.used", short(used)]
            else -> null
        }
        return listOfNotNull(context, cost?.let { money(it, locale) }).joinToString("  ·  ")
    }

    /** Everything that is known, a line each. */
    fun details(locale: Locale = Locale.getDefault()): List<String> = buildList {
        val number = NumberFormat.getIntegerInstance(locale)
        share?.let { add(Texts["usage.share", (it * 100).toInt(), number.format(used), number.format(this@Usage.size)]) }
        cost?.let { add(Texts["usage.cost", money(it, locale)]) }
        if (turn.isNotEmpty()) add(Texts["usage.turn", turn.joinToString { (word, tokens) -> Texts["usage.turn.$word", number.format(tokens)] }])
    }

    private fun money(amount: Double, locale: Locale): String {
        val format = NumberFormat.getCurrencyInstance(locale)
        val known = runCatching { Currency.getInstance(currency) }.getOrNull() ?: return "%.2f %s".format(locale, amount, currency.firstLine(8))
        format.currency = known
        // Cents of a cent are what a short question costs.
        format.minimumFractionDigits = if (amount in 0.0000001..0.0999) 4 else 2
        format.maximumFractionDigits = format.minimumFractionDigits
        return format.format(amount)
    }

    companion object {
        private val TURN = listOf("input", "cached_read", "cached_write", "output", "thought")

        /** A `USAGE`; what it leaves out is as it was [before]. */
        fun of(body: JsonObject, before: Usage?): Usage {
            val cost = body.get("cost")?.takeIf { it.isJsonObject }?.asJsonObject
            val turn = body.get("turn_tokens")?.takeIf { it.isJsonObject }?.asJsonObject
            return Usage(
                used = body.decimal("used")?.toLong() ?: before?.used,
                size = body.decimal("size")?.toLong() ?: before?.size,
                cost = cost?.decimal("amount") ?: before?.cost,
                currency = cost?.text("currency") ?: before?.currency.orEmpty(),
                turn = turn?.let { tokens -> TURN.mapNotNull { word -> tokens.decimal(word)?.toLong()?.takeIf { it > 0 }?.let { word to it } } }
                    ?: before?.turn.orEmpty(),
            )
        }

        /** `950`, `34k`, `1.2M`. */
        internal fun short(tokens: Long): String = when {
            tokens < 1_000 -> tokens.toString()
            tokens < 9_950 -> "%.1fk".format(Locale.ROOT, tokens / 1_000.0)
            tokens < 999_500 -> "${(tokens + 500) / 1_000}k"
            else -> "%.1fM".format(Locale.ROOT, tokens / 1_000_000.0)
        }
    }
}
