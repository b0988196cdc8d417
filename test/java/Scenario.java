// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the agent look for in a profile: java Scenario WHAT.
import java.util.function.IntSupplier;

public class Scenario {
    private static int sum;

    Scenario() {
        this(1);
    }

    Scenario(int begin) {
        sum += begin;
    }

    static void work() {
        for (int i = 0; i < 1000; i++) {
            sum += i;
        }
    }

    static int[] outer(int times, String[] names) {
        for (int i = 0; i < times; i++) {
            work();
        }
        IntSupplier last = () -> sum;
        return new int[] {last.getAsInt(), names.length};
    }

    private static void methods() {
        new Scenario();
        outer(10, new String[0]);
    }

    static void thrower(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("thrown on purpose");
        }
        thrower(depth - 1);
    }

    /** Its own handler comes first. */
    static int catcher() {
        try {
            thrower(3);
        } catch (IllegalStateException expected) {
            work();
        } finally {
            sum++;
        }
        return sum;
    }

    static class Base {
        Base(boolean fails) {
            if (fails) {
                throw new IllegalArgumentException("thrown on purpose");
            }
        }
    }

    static class Derived extends Base {
        Derived(boolean fails) {
            super(fails);
            work();
        }
    }

    static synchronized void divides(int by) {
        sum += 1 / by;
    }

    private static void exceptions() {
        for (int i = 0; i < 5; i++) {
            catcher();
        }
        for (int i = 0; i < 2; i++) {
            try {
                new Derived(i == 0);
            } catch (IllegalArgumentException expected) {
                sum++;
            }
            try {
                divides(i);
            } catch (ArithmeticException expected) {
                sum++;
            }
        }
    }

    static void deep(int depth) {
        deep(depth + 1);
    }

    private static void overflows() {
        try {
            deep(0);
        } catch (StackOverflowError expected) {
            work();
        }
    }

    private static void threads() throws InterruptedException {
        Thread[] all = new Thread[3];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> {
                work();
                if (Thread.currentThread().getName().equals("worker 2")) {
                    Thread.currentThread().setName("<\"2\" & more>");
                }
            }, "worker " + i);
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    private static void start(String... command) throws Exception {
        new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    static void last() throws Exception {
        work();
        start("kill", "-9", Long.toString(ProcessHandle.current().pid()));
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "methods" -> methods();
            case "exceptions" -> exceptions();
            case "overflows" -> overflows();
            case "gc" -> System.gc();
            case "threads" -> threads();
            case "starts" -> {
                work();
                start(args[1], "-cp", args[2], "Scenario", "methods");
                start("sh", "-c", "echo from a child");
                work();
            }
            case "killed" -> last();
            case "exits" -> {
                work();
                System.exit(7);
            }
            case "fails" -> thrower(2);
            case "tiny" -> {
                for (int i = 0; i < 200_000; i++) {
                    sum += Integer.signum(i);
                    divides(1);
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.out.println(args[0] + " done");
    }
}
