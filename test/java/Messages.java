// SPDX-License-Identifier: BSD-3-Clause
// MPI for Java: java Messages CASE, on two ranks or more. Each case checks what it gets.
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import tare.mpi.Comm;
import tare.mpi.Datatype;
import tare.mpi.MPI;
import tare.mpi.MPIException;
import tare.mpi.Op;
import tare.mpi.Request;
import tare.mpi.Status;

public class Messages {
    private static final Datatype[] TYPES = {MPI.BYTE, MPI.BOOLEAN, MPI.CHAR, MPI.SHORT, MPI.INT, MPI.LONG, MPI.FLOAT,
        MPI.DOUBLE};
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static int rank;
    private static int size;

    static void same(Object found, Object wanted) {
        if (!Objects.deepEquals(found, wanted)) {
            throw new AssertionError("found " + Arrays.deepToString(new Object[] {found}) + ", wanted "
                + Arrays.deepToString(new Object[] {wanted}));
        }
    }

    private static Object array(Datatype type, int length, int from) {
        Class<?>[] elements = {byte.class, boolean.class, char.class, short.class, int.class, long.class, float.class,
            double.class};
        Object result = Array.newInstance(elements[Arrays.asList(TYPES).indexOf(type)], length);
        for (int i = 0; i < length; i++) {
            set(result, i, from + i);
        }
        return result;
    }

    private static void set(Object array, int at, int value) {
        if (array instanceof boolean[]) {
            Array.setBoolean(array, at, value % 3 == 0);
        } else if (array instanceof char[]) {
            Array.setChar(array, at, (char) (0xff00 + value));
        } else {
            Array.setByte(array, at, (byte) value);      // made wider where the array is
        }
    }

    private static Object part(Object array, int from, int count, Object into) {
        System.arraycopy(array, from, into, from, count);
        return into;
    }

    /** Of each type, short and long, with an offset; what lies around it stays. */
    private static void types() {
        for (Datatype type : TYPES) {
            for (int count : new int[] {1, 5, 3000}) {
                Object sent = array(type, count + 7, 1);
                Object received = array(type, count + 7, 50);
                if (rank == 0) {
                    WORLD.Send(sent, 3, count, type, 1, 4);
                    WORLD.Ssend(sent, 3, count, type, 1, 5);
                } else {
                    Object wanted = part(sent, 3, count, array(type, count + 7, 50));
                    Status status = WORLD.Recv(received, 3, count, type, 0, 4);
                    same(received, wanted);
                    same(new int[] {status.source, status.tag, status.Get_count(type)}, new int[] {0, 4, count});
                    WORLD.Recv(received, 3, count, type, 0, 5);
                    same(received, wanted);
                }
            }
        }
    }

    /** What does not come is not changed. */
    private static void shorter() {
        int[] numbers = {1, 2, 3, 4, 5};
        if (rank == 0) {
            WORLD.Send(numbers, 0, 2, MPI.INT, 1, 0);
            WORLD.Send(null, 0, 0, MPI.INT, 1, 0);
            return;
        }
        int[] received = new int[5];
        Status status = WORLD.Recv(received, 0, 5, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
        same(received, new int[] {1, 2, 0, 0, 0});
        same(status.Get_count(MPI.INT), 2);
        same(status.Get_count(MPI.BYTE), 8);
        same(status.Get_count(MPI.DOUBLE), 1);
        same(WORLD.Recv(received, 0, 5, MPI.INT, 0, 0).Get_count(MPI.INT), 0);
        same(received, new int[] {1, 2, 0, 0, 0});
    }

    private static void direct() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(800).order(ByteOrder.nativeOrder());
        if (rank == 0) {
            for (int i = 0; i < 100; i++) {
                buffer.putLong(i * 8, i);
            }
            WORLD.Send(buffer, 10, 90, MPI.LONG, 1, 0);
            Request.Waitall(new Request[] {WORLD.Isend(buffer, 0, 10, MPI.LONG, 1, 1)});
            return;
        }
        Request later = WORLD.Irecv(buffer, 0, 10, MPI.LONG, 0, 1);
        long[] received = new long[90];
        WORLD.Recv(received, 0, 90, MPI.LONG, 0, 0);
        later.Wait();
        same(received[0], 10L);
        same(received[89], 99L);
        same(buffer.getLong(72), 9L);
    }

    /** Many at once, completed in each way, while the collector moves their arrays. */
    private static void nonblocking() {
        int count = 40;
        double[][] numbers = new double[count][1000];
        Request[] requests = new Request[count];
        for (int i = 0; i < count; i++) {
            Arrays.fill(numbers[i], rank == 0 ? i : -1);
            requests[i] = rank == 0 ? WORLD.Isend(numbers[i], 0, 1000, MPI.DOUBLE, 1, i)
                : WORLD.Irecv(numbers[i], 0, 1000, MPI.DOUBLE, 0, i);
            // A copy is on its way already.
            if (rank == 0) {
                Arrays.fill(numbers[i], 77);
            }
            if (i % 10 == 0) {
                System.gc();
            }
        }
        complete(requests);
        for (int i = 0; rank == 1 && i < count; i++) {
            same(numbers[i][0], (double) i);
            same(numbers[i][999], (double) i);
        }
    }

    private static void complete(Request[] requests) {
        same(requests[0].Wait().Get_count(MPI.DOUBLE) * rank, 1000 * rank);
        while (requests[1].Test() == null) {
            Thread.yield();
        }
        Status any = Request.Waitany(Arrays.copyOfRange(requests, 0, 10));
        same(any.index > 1 && any.index < 10, true);
        same(requests[any.index].Is_null(), true);
        Status[] statuses = Request.Waitall(requests);
        same(statuses.length, requests.length);
        same(statuses[39].Get_count(MPI.DOUBLE) * rank, 1000 * rank);
        same(Request.Waitany(requests).index, MPI.UNDEFINED);
        // Once more: nothing is left.
        Request.Waitall(requests);
    }

    private static void sendrecv() {
        int[] out = {rank, rank + 10};
        long[] in = new long[2];
        int[] numbers = new int[2];
        int other = 1 - rank;
        Status status = WORLD.Sendrecv(out, 0, 2, MPI.INT, other, 1, numbers, 0, 2, MPI.INT, other, 1);
        same(numbers, new int[] {other, other + 10});
        same(status.source, other);
        // To nobody.
        WORLD.Sendrecv(out, 0, 2, MPI.INT, MPI.PROC_NULL, 1, in, 0, 2, MPI.LONG, MPI.PROC_NULL, 1);
        same(in, new long[2]);
    }

    private static void probes() {
        if (rank == 0) {
            same(WORLD.Iprobe(1, 99), null);
            WORLD.Send(new char[] {'a', 'b', 'c'}, 0, 3, MPI.CHAR, 1, 7);
            WORLD.Send(new char[] {'d'}, 0, 1, MPI.CHAR, 1, 8);
            return;
        }
        Status status = WORLD.Probe(MPI.ANY_SOURCE, 7);
        char[] letters = new char[status.Get_count(MPI.CHAR)];
        WORLD.Recv(letters, 0, letters.length, MPI.CHAR, status.source, status.tag);
        same(letters, new char[] {'a', 'b', 'c'});
        while ((status = WORLD.Iprobe(0, MPI.ANY_TAG)) == null) {
            Thread.yield();
        }
        same(status.tag, 8);
        WORLD.Recv(letters, 2, 1, MPI.CHAR, 0, 8);
        same(letters, new char[] {'a', 'b', 'd'});
    }

    private static void collectives() {
        int last = size - 1;
        WORLD.Barrier();
        float[] shared = rank == last ? new float[] {1.5f, 2.5f, 3.5f} : new float[3];
        WORLD.Bcast(shared, 1, 2, MPI.FLOAT, last);
        same(shared, rank == last ? new float[] {1.5f, 2.5f, 3.5f} : new float[] {0, 2.5f, 3.5f});
        long[] sums = new long[2];
        WORLD.Allreduce(new long[] {9, rank, 1}, 1, sums, 0, 2, MPI.LONG, MPI.SUM);
        same(sums, new long[] {size * last / 2, size});
        int[] gathered = new int[2 * size];
        WORLD.Gather(new int[] {rank, -rank}, 0, 2, MPI.INT, gathered, 0, 2, MPI.INT, last);
        int[] all = new int[2 * size];
        for (int i = 0; i < size; i++) {
            all[2 * i] = i;
            all[2 * i + 1] = -i;
        }
        same(gathered, rank == last ? all : new int[2 * size]);
        WORLD.Allgather(new int[] {rank, -rank}, 0, 2, MPI.INT, gathered, 0, 2, MPI.INT);
        same(gathered, all);
        int[] mine = new int[2];
        WORLD.Scatter(rank == 0 ? all : null, 0, 2, MPI.INT, mine, 0, 2, MPI.INT, 0);
        same(mine, new int[] {rank, -rank});
        short[] out = new short[size];
        short[] in = new short[size];
        short[] wanted = new short[size];
        for (int i = 0; i < size; i++) {
            out[i] = (short) (100 * rank + i);
            wanted[i] = (short) (100 * i + rank);
        }
        WORLD.Alltoall(out, 0, 1, MPI.SHORT, in, 0, 1, MPI.SHORT);
        same(in, wanted);
    }

    private static void reductions() {
        int[] mine = {rank + 1, 6 >> rank, rank};
        int[][] wanted = {{2, 6, 1}, {1, 3, 0}, {3, 9, 1}, {2, 18, 0}, {1, 1, 0}, {0, 2, 0}, {1, 1, 1}, {3, 7, 1},
            {0, 0, 1}, {3, 5, 1}};
        Op[] ops = {MPI.MAX, MPI.MIN, MPI.SUM, MPI.PROD, MPI.LAND, MPI.BAND, MPI.LOR, MPI.BOR, MPI.LXOR, MPI.BXOR};
        for (int i = 0; i < ops.length; i++) {
            int[] result = new int[3];
            WORLD.Reduce(mine, 0, rank == 1 ? result : null, 0, 3, MPI.INT, ops[i], 1);
            same(result, rank == 1 ? wanted[i] : new int[3]);
        }
        for (Datatype type : TYPES) {
            Object result = array(type, 2, 0);
            WORLD.Allreduce(array(type, 2, 3 * rank), 0, result, 0, 2, type, type == MPI.BOOLEAN ? MPI.LOR : MPI.MAX);
            same(result, array(type, 2, 3));
        }
    }

    private static void communicators() {
        Comm copy = WORLD.Dup();
        same(copy.Size(), size);
        Comm mine = WORLD.Split(rank % 2, -rank);
        same(mine.Size(), (size + 1 - rank % 2) / 2);
        same(WORLD.Split(rank == 0 ? 1 : MPI.UNDEFINED, 0) == null, rank != 0);
        // A message of one is none of the other.
        Request later = copy.Isend(new int[] {rank}, 0, 1, MPI.INT, (rank + 1) % size, 3);
        same(WORLD.Iprobe(MPI.ANY_SOURCE, 3), null);
        int[] from = new int[1];
        copy.Recv(from, 0, 1, MPI.INT, MPI.ANY_SOURCE, 3);
        same(from[0], (rank + size - 1) % size);
        later.Wait();
        copy.Free();
        mine.Free();
    }

    private static void expect(Class<? extends RuntimeException> kind, String part, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException caught) {
            if (caught.getClass() == kind && caught.getMessage().contains(part)) {
                return;
            }
            throw caught;
        }
        throw new AssertionError(kind + " was not thrown");
    }

    private static void errors() {
        WORLD.Errhandler_set(MPI.ERRORS_RETURN);
        int[] two = new int[2];
        expect(MPIException.class, "Invalid rank", () -> WORLD.Send(two, 0, 2, MPI.INT, size, 0));
        expect(MPIException.class, "Invalid rank", () -> WORLD.Irecv(two, 0, 2, MPI.INT, size + 5, 0));
        expect(MPIException.class, "Invalid tag", () -> WORLD.Send(two, 0, 2, MPI.INT, 0, -5));
        expect(MPIException.class, "Invalid root", () -> WORLD.Bcast(two, 0, 2, MPI.INT, size));
        expect(IndexOutOfBoundsException.class, "2 elements from 1", () -> WORLD.Send(two, 1, 2, MPI.INT, 0, 0));
        expect(IndexOutOfBoundsException.class, "", () -> WORLD.Send(two, -1, 2, MPI.INT, 0, 0));
        expect(IndexOutOfBoundsException.class, "", () -> WORLD.Recv(two, 0, -1, MPI.INT, 0, 0));
        expect(IllegalArgumentException.class, "double[]", () -> WORLD.Send(two, 0, 1, MPI.DOUBLE, 0, 0));
        expect(IllegalArgumentException.class, "null", () -> WORLD.Send(null, 0, 1, MPI.INT, 0, 0));
        expect(IllegalArgumentException.class, "HeapByteBuffer",
            () -> WORLD.Send(ByteBuffer.allocate(8), 0, 1, MPI.INT, 0, 0));
        truncated();
        try {
            WORLD.Send(two, 0, 2, MPI.INT, size, 0);
        } catch (MPIException caught) {
            same(caught.Get_error_class(), 6);
        }
    }

    /** Of several, by the one that it is. */
    private static void truncated() {
        WORLD.Barrier();
        if (rank == 0) {
            WORLD.Send(new int[4], 0, 4, MPI.INT, 1, 1);
            WORLD.Send(new int[] {5}, 0, 1, MPI.INT, 1, 2);
        } else if (rank == 1) {
            int[] small = new int[2];
            int[] good = new int[1];
            Request[] both = {WORLD.Irecv(small, 0, 2, MPI.INT, 0, 1), WORLD.Irecv(good, 0, 1, MPI.INT, 0, 2)};
            expect(MPIException.class, "truncated", () -> Request.Waitall(both));
            same(small, new int[2]);
            both[1].Wait();
            same(good, new int[] {5});
        }
    }

    private static int lengthOf(int[] array) {
        return array.length;
    }

    /** In compiled code the machine waits for a SIGSEGV, for which libraries below MPI may have handlers. */
    private static void nullPointers() {
        int sum = 0;
        for (int i = 0; i < 200_000; i++) {
            sum += lengthOf(new int[] {i});
        }
        same(sum, 200_000);
        expect(NullPointerException.class, "", () -> lengthOf(null));
    }

    private static void fatal() {
        WORLD.Send(new int[1], 0, 1, MPI.INT, size, 0);
    }

    private static void all() {
        types();
        shorter();
        nonblocking();
        collectives();
    }

    /** Each thread with the one of its number on the other rank. */
    private static void threads() throws InterruptedException {
        Thread[] all = new Thread[4];
        int other = 1 - rank;
        for (int i = 0; i < all.length; i++) {
            int tag = i;
            all[i] = new Thread(() -> {
                for (int round = 0; round < 50; round++) {
                    int[] in = new int[1];
                    int[] out = {100 * tag + round};
                    WORLD.Sendrecv(out, 0, 1, MPI.INT, other, tag, in, 0, 1, MPI.INT, other, tag);
                    same(in[0], 100 * tag + round);
                }
            }, "exchange " + i);
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        same(MPI.Initialized(), false);
        boolean isThreaded = args[0].equals("threads");
        same(MPI.InitThread(args, isThreaded ? MPI.THREAD_MULTIPLE : MPI.THREAD_SINGLE) >= 0, true);
        rank = WORLD.Rank();
        size = WORLD.Size();
        switch (args[0]) {
            case "types" -> types();
            case "shorter" -> shorter();
            case "direct" -> direct();
            case "nonblocking" -> nonblocking();
            case "sendrecv" -> sendrecv();
            case "probes" -> probes();
            case "collectives" -> collectives();
            case "reductions" -> reductions();
            case "communicators" -> communicators();
            case "errors" -> errors();
            case "null-pointers" -> nullPointers();
            case "fatal" -> fatal();
            case "threads" -> threads();
            case "all" -> all();
            default -> throw new IllegalArgumentException(args[0]);
        }
        double end = MPI.Wtime();
        same(end > 0 && !MPI.Get_processor_name().isEmpty() && !MPI.Finalized(), true);
        MPI.Finalize();
        same(MPI.Finalized(), true);
        System.out.println(rank + " done");
    }
}
