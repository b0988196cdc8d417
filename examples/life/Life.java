// SPDX-License-Identifier: BSD-3-Clause
// The game of life on a torus: each thread of each process has a strip of rows, and sends and receives for itself.
// Afterwards rank 0 plays the same board alone, and the two have to be equal.
import java.util.Arrays;
import tare.mpi.Comm;
import tare.mpi.MPI;
import tare.mpi.Request;

public final class Life {
    private static final int FROM_ABOVE = 0;
    private static final int FROM_BELOW = 1;

    private final int threads;
    private final int rows;
    private final int columns;
    private final int steps;

    private Life(String[] args) {
        threads = number(args, 0, 7);
        rows = number(args, 1, 4);
        columns = number(args, 2, 64);
        steps = number(args, 3, 20);
    }

    private static int number(String[] args, int which, int otherwise) {
        int value = args.length > which ? Integer.parseInt(args[which]) : otherwise;
        if (value < 1) {
            throw new IllegalArgumentException("THREADS ROWS COLUMNS STEPS: whole numbers from 1 on, not " + value);
        }
        return value;
    }

    /** Rows of cells, with one more above and below them, which others have. */
    private static final class Cells {
        final int rows;
        final int columns;
        byte[] now;
        private byte[] next;

        Cells(int rows, int columns) {
            this.rows = rows;
            this.columns = columns;
            now = new byte[(rows + 2) * columns];
            next = new byte[now.length];
        }

        int at(int row) {
            return row * columns;
        }

        /** The same board, however it is divided. */
        void fill(int firstRow) {
            for (int row = 1; row <= rows; row++) {
                for (int column = 0; column < columns; column++) {
                    int mixed = ((firstRow + row - 1) * 7919 + column * 104729) ^ 0x5bd1e995;
                    now[at(row) + column] = (byte) ((mixed * 0x9e3779b1) >>> 30 == 0 ? 1 : 0);
                }
            }
        }

        private int neighbours(int row, int column) {
            int left = (column + columns - 1) % columns;
            int right = (column + 1) % columns;
            int sum = now[at(row) + left] + now[at(row) + right];
            for (int other : new int[] {row - 1, row + 1}) {
                sum += now[at(other) + left] + now[at(other) + column] + now[at(other) + right];
            }
            return sum;
        }

        void step() {
            for (int row = 1; row <= rows; row++) {
                for (int column = 0; column < columns; column++) {
                    int sum = neighbours(row, column);
                    next[at(row) + column] = (byte) (sum == 3 || sum == 2 && now[at(row) + column] == 1 ? 1 : 0);
                }
            }
            byte[] before = now;
            now = next;
            next = before;
        }

        byte[] board() {
            return Arrays.copyOfRange(now, columns, (rows + 1) * columns);
        }
    }

    /** What one thread does. */
    private final class Strip extends Thread {
        private final int number;
        private final int strips;
        private final Cells cells = new Cells(rows, columns);

        Strip(int number, int strips) {
            super("strip " + number);
            this.number = number;
            this.strips = strips;
            cells.fill(number * rows);
        }

        /** A tag says which thread of the receiver's rank it is for, and on which side. */
        private int tagOf(int strip, int side) {
            return strip % threads * 2 + side;
        }

        private void exchange() {
            Comm world = MPI.COMM_WORLD;
            int above = (number + strips - 1) % strips;
            int below = (number + 1) % strips;
            Request.Waitall(new Request[] {
                world.Irecv(cells.now, 0, columns, MPI.BYTE, above / threads, tagOf(number, FROM_ABOVE)),
                world.Irecv(cells.now, cells.at(rows + 1), columns, MPI.BYTE, below / threads,
                    tagOf(number, FROM_BELOW)),
                world.Isend(cells.now, cells.at(1), columns, MPI.BYTE, above / threads, tagOf(above, FROM_BELOW)),
                world.Isend(cells.now, cells.at(rows), columns, MPI.BYTE, below / threads,
                    tagOf(below, FROM_ABOVE))});
        }

        @Override
        public void run() {
            for (int step = 0; step < steps; step++) {
                exchange();
                cells.step();
            }
        }
    }

    /** The rows of this rank. */
    private byte[] play(int rank, int strips) throws InterruptedException {
        Strip[] mine = new Strip[threads];
        for (int i = 0; i < threads; i++) {
            mine[i] = new Strip(rank * threads + i, strips);
        }
        for (int i = 1; i < threads; i++) {
            mine[i].start();
        }
        // The main thread has the first.
        Thread.currentThread().setName(mine[0].getName());
        mine[0].run();
        byte[] board = new byte[threads * rows * columns];
        for (int i = 0; i < threads; i++) {
            mine[i].join();
            System.arraycopy(mine[i].cells.board(), 0, board, i * rows * columns, rows * columns);
        }
        return board;
    }

    private byte[] playAlone(int strips) {
        Cells cells = new Cells(rows * strips, columns);
        cells.fill(0);
        for (int step = 0; step < steps; step++) {
            System.arraycopy(cells.now, cells.at(cells.rows), cells.now, 0, columns);
            System.arraycopy(cells.now, cells.at(1), cells.now, cells.at(cells.rows + 1), columns);
            cells.step();
        }
        return cells.board();
    }

    /** FNV-1a. */
    private static String hash(byte[] board) {
        long sum = 0xcbf29ce484222325L;
        for (byte cell : board) {
            sum = (sum ^ cell) * 0x100000001b3L;
        }
        return String.format("%016x", sum);
    }

    /** Whether the board is as it should be, which rank 0 knows. */
    private boolean run() throws InterruptedException {
        int rank = MPI.COMM_WORLD.Rank();
        int strips = MPI.COMM_WORLD.Size() * threads;
        byte[] mine = play(rank, strips);
        byte[] board = new byte[rank == 0 ? mine.length * MPI.COMM_WORLD.Size() : 0];
        MPI.COMM_WORLD.Gather(mine, 0, mine.length, MPI.BYTE, board, 0, mine.length, MPI.BYTE, 0);
        if (rank != 0) {
            return true;
        }
        String wanted = hash(playAlone(strips));
        String found = hash(board);
        System.out.printf("%d threads in %d processes, %d x %d cells, %d steps: board %s, played alone %s%n", strips,
            MPI.COMM_WORLD.Size(), strips * rows, columns, steps, found, wanted);
        return found.equals(wanted);
    }

    public static void main(String[] args) throws InterruptedException {
        Life life = new Life(args);
        if (MPI.InitThread(args, MPI.THREAD_MULTIPLE) != MPI.THREAD_MULTIPLE) {
            throw new IllegalStateException("this MPI is not for several threads at once");
        }
        boolean isRight = life.run();
        MPI.Finalize();
        if (!isRight) {
            System.exit(1);
        }
    }
}
