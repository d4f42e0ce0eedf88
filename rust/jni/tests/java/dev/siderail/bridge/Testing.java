package dev.siderail.bridge;

/** What only the library of tests has. */
final class Testing {
    static native void panic();

    static native void nothing();
}
