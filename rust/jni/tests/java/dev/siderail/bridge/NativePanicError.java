package dev.siderail.bridge;

public class NativePanicError extends Error {
    public NativePanicError(String text) {
        super(text);
    }
}
