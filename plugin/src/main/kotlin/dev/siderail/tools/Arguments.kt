package dev.siderail.tools

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import com.google.gson.JsonPrimitive
import dev.siderail.document.ToolFailure

/**
 * Arguments of a tool call, read by name and type.
 *
 * The engine has checked them against the schema. Null counts as absent, and numbers may come as text: models do all
 * of that. A number that means something else than was asked for is refused with its bounds; how much of something is
 * wanted ends at what there is.
 */
class Arguments(private val members: JsonObject) {
    private fun get(name: String): JsonElement? = members.get(name)?.takeUnless { it.isJsonNull }

    fun has(name: String): Boolean = get(name) != null

    fun text(name: String): String? {
        val value = get(name) ?: return null
        if (value is JsonPrimitive && value.isString) return value.asString
        throw wrongType(name, "a string")
    }

    fun requiredText(name: String): String = text(name) ?: throw ToolFailure.missing(name)

    fun flag(name: String): Boolean {
        val value = get(name) ?: return false
        if (value is JsonPrimitive) {
            if (value.isBoolean) return value.asBoolean
            if (value.isString) value.asString.toBooleanStrictOrNull()?.let { return it }
        }
        throw wrongType(name, "true or false")
    }

    /** A whole number within the bounds; the largest there is means no upper bound. */
    fun number(name: String, least: Int, most: Int): Int? {
        val value = get(name) ?: return null
        val number = (value as? JsonPrimitive)?.takeUnless { it.isBoolean }?.asString?.trim()?.toDoubleOrNull()
        if (number == null || !number.isFinite() || number != Math.floor(number)) throw wrongType(name, "a whole number")
        val hasMost = most != Int.MAX_VALUE
        if (number < least || hasMost && number > most) {
            val bounds = if (hasMost) "$least to $most" else "$least or more"
            throw wrongType(name, "$bounds, not ${number.toBigDecimal().stripTrailingZeros().toPlainString()}")
        }
        // The cast saturates, so that hostile numbers end at the largest.
        return number.toInt()
    }

    /**
     * How much of something is wanted, from 1 on. More than [most] is [most], less than [least] is [least]: the answer
     * says what it leaves out, and how to get the rest.
     */
    fun amount(name: String, least: Int, most: Int): Int? = number(name, 1, Int.MAX_VALUE)?.coerceIn(least, most)

    /** Seconds to wait. More than [most] is a wait of that, since the answer says that the work continues. */
    fun wait(name: String, most: Int): Int = minOf(number(name, 0, Int.MAX_VALUE) ?: most, most)

    fun list(name: String): List<JsonElement>? {
        val value = get(name) ?: return null
        return (value as? JsonArray)?.toList() ?: throw wrongType(name, "an array")
    }

    /** The position that a `cursor` of an earlier answer names. */
    fun cursor(): Int = try {
        number("cursor", 0, Int.MAX_VALUE) ?: 0
    } catch (_: ToolFailure) {
        throw ToolFailure.invalid("`cursor` is not one that an answer has named; leave it out to start over")
    }

    private fun wrongType(name: String, wanted: String) = ToolFailure.invalid("`$name` must be $wanted")
}
