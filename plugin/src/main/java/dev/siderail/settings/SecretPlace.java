package dev.siderail.settings;

import com.intellij.credentialStore.CredentialAttributes;
import com.intellij.credentialStore.CredentialAttributesKt;

/**
 * Where a secret is in the IDE's password store.
 *
 * <p>In Java, because Kotlin reaches the constructor of 2020.1 through its default arguments, and today's platform keeps
 * that shape only for old callers: here it is the constructor with two texts, which both have.
 */
final class SecretPlace {
    private SecretPlace() {}

    static CredentialAttributes of(String agent, String name) {
        return new CredentialAttributes(CredentialAttributesKt.generateServiceName("Siderail " + agent, name), name);
    }
}
