package dev.siderail.bridge;

public class NativeException extends RuntimeException {
    public NativeException(String text) {
        super(text);
    }
}
