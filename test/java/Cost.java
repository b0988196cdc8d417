// SPDX-License-Identifier: BSD-3-Clause
// A tiny method, called so often that what a call of it costs can be told: java Cost. In laps, each of a thread of its
// own, so that the profile tells them apart; the first ones are for the compiler. Prints the fastest lap, in ns a call.
public final class Cost {
    private static final int CALLS = 50_000;
    private static final int LAPS = 40;
    private static volatile int last;

    private Cost() {}

    static int tiny(int x) {
        return x * 3 + 1;
    }

    static void lap() {
        int sum = 0;
        for (int i = 0; i < CALLS; i++) {
            sum += tiny(i);
        }
        last = sum;
    }

    public static void main(String[] args) throws InterruptedException {
        double[] fastest = {Double.MAX_VALUE};
        for (int i = 0; i < LAPS; i++) {
            Thread thread = new Thread(() -> {
                long start = System.nanoTime();
                lap();
                fastest[0] = Math.min(fastest[0], (double) (System.nanoTime() - start) / CALLS);
            });
            thread.start();
            thread.join();
        }
        System.out.printf("%.2f%n", fastest[0]);
    }
}
