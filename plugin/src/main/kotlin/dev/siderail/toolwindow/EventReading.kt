package dev.siderail.toolwindow

import com.google.gson.JsonArray
import com.google.gson.JsonElement
import com.google.gson.JsonObject
import dev.siderail.ui.atMost
import dev.siderail.ui.shortened

/*
 * Reading events' bodies. A member that is absent, null or of another type reads as empty: an event of a later
 * engine is shown as far as it is understood, and never breaks the window.
 */

internal fun JsonObject.text(member: String): String = textOrNull(member) ?: ""

internal fun JsonObject.textOrNull(member: String): String? =
    get(member)?.takeIf { it.isJsonPrimitive && !it.asJsonPrimitive.isBoolean }?.asString

internal fun JsonObject.flag(member: String): Boolean =
    get(member)?.takeIf { it.isJsonPrimitive && it.asJsonPrimitive.isBoolean }?.asBoolean ?: false

internal fun JsonObject.number(member: String): Long = decimal(member)?.toLong() ?: 0

internal fun JsonObject.decimal(member: String): Double? =
    get(member)?.takeIf { it.isJsonPrimitive && it.asJsonPrimitive.isNumber }?.asDouble

internal fun JsonObject.texts(member: String): List<String> =
    elements(member).filter { it.isJsonPrimitive }.map { it.asString }

internal fun JsonObject.numbers(member: String): List<Long> =
    elements(member).filter { it.isJsonPrimitive && it.asJsonPrimitive.isNumber }.map { it.asLong }

/** Lists of as many numbers each. */
internal fun JsonObject.numbers(member: String, each: Int): List<List<Int>> =
    elements(member).mapNotNull { some -> (some as? JsonArray)?.takeIf { it.size() == each }?.map { it.asInt } }

internal fun JsonObject.objects(member: String): List<JsonObject> =
    elements(member).filter { it.isJsonObject }.map { it.asJsonObject }

private fun JsonObject.elements(member: String): List<JsonElement> =
    get(member)?.takeIf { it.isJsonArray }?.asJsonArray?.toList() ?: emptyList()

/**
 * At most [limit] characters, the middle left out, so that beginning and end of an output both stay. As the library does
 * with the texts that it keeps: `tests/boundary/rule.capped.json` holds both to it.
 */
internal fun String.capped(limit: Int): String {
    if (length <= limit) return this
    val all = codePointCount(0, length)
    if (all <= limit) return this
    val half = limit / 2
    return atMost(half) + "\n… " + (all - 2 * half) + " …\n" + substring(offsetByCodePoints(0, all - half))
}

/** The first line that says something, for places with room for one. */
internal fun String.firstLine(limit: Int = 200): String =
    lineSequence().map { it.trim() }.firstOrNull { it.isNotEmpty() }?.shortened(limit).orEmpty()
