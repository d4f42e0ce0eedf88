package dev.siderail.bridge;

/** What only the library of tests has. */
final class Testing {
    static native void panic();

    static native void nothing();

    static native byte[] echo(byte[] bytes);

    static native long hostCalls(NativeHost host, int n, int size);

    static native void answer(byte[] bytes);
}
