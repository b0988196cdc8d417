// SPDX-License-Identifier: BSD-3-Clause
package tare.agent;

/**
 * What the agent has put into methods calls these. The boot loader has this class, so that every other one finds it.
 */
public final class Probe {
    private Probe() {}

    public static native void enter(long region);

    public static native void leave(long region);

    /** The region of a method, by the names that its class file has; 0: it is not measured. */
    public static native long regionOf(String className, String method, String descriptor);

    /** What a call from Java costs without a hook behind it. */
    private static native void nothing(long region);

    private static void callNothing(int n) {
        for (int i = 0; i < n; i++) {
            nothing(i);
        }
    }

    private static volatile int last;

    private static void callNone(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        last = sum;
    }
}
