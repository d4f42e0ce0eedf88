package dev.siderail.bridge;

/** Stands in for the plugin's class of that name. */
final class Native {
    static native int abiVersion();

    static native long open(byte[] config, NativeHost host);

    static native void send(long handle, byte[] command);

    static native void complete(long handle, long call, byte[] reply);

    static native void close(long handle);
}
