package dev.siderail.bridge;

/** Stands in for the plugin's class of that name; scenarios override what they are about. */
class NativeHost {
    void events(byte[] batch) {}

    void start(long call, byte[] request) {}

    void cancel(long call) {}

    void log(int level, byte[] target, byte[] text) {}

    void closed() {}
}
