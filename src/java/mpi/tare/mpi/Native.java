// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

/**
 * What libtare-jni does. Communicators are Fortran's handles, datatypes and operations numbers of a table there, and
 * a request is an address; 0: none. A status is STATUS numbers: source, tag, bytes and index.
 */
final class Native {
    static final int STATUS = 4;

    private Native() {}

    static native int constant(int which);

    static native int world();

    static native int self();

    static native int init(int required);

    static native int queryThread();

    static native void end();

    static native boolean isInitialized();

    static native boolean isFinalized();

    static native double wtime();

    static native String processorName();

    static native int rank(int comm);

    static native int size(int comm);

    static native int dup(int comm);

    static native int split(int comm, int color, int key);

    /** Gives back what the handle is now. */
    static native int free(int comm);

    static native int nullComm();

    static native void setErrhandler(int comm, boolean isFatal);

    static native void send(boolean synchronous, Object buffer, int offset, int count, int type, int to, int tag,
                            int comm);

    static native long[] receive(Object buffer, int offset, int count, int type, int from, int tag, int comm);

    static native long[] sendReceive(Object out, int outOffset, int outCount, int outType, int to, int outTag,
                                     Object in, int inOffset, int inCount, int inType, int from, int inTag, int comm);

    static native long startSend(Object buffer, int offset, int count, int type, int to, int tag, int comm);

    static native long startReceive(Object buffer, int offset, int count, int type, int from, int tag, int comm);

    static native long[] waitFor(long request);

    static native long[] test(long request);

    /** Those that are completed are 0 then, also if another one has failed. */
    static native long[] waitForAll(long[] requests);

    static native long[] waitForAny(long[] requests);

    static native long[] probe(int from, int tag, int comm);

    static native long[] probeNow(int from, int tag, int comm);

    static native void barrier(int comm);

    // A buffer that only the root has is null elsewhere.

    static native void bcast(boolean isRoot, Object buffer, int offset, int count, int type, int root, int comm);

    static native void reduce(Object out, int outOffset, Object in, int inOffset, int count, int type, int op,
                              int root, int comm);

    static native void allreduce(Object out, int outOffset, Object in, int inOffset, int count, int type, int op,
                                 int comm);

    static native void gather(Object out, int outOffset, int outCount, int outType, Object in, int inOffset,
                              int inCount, int inType, int root, int ranks, int comm);

    static native void scatter(Object out, int outOffset, int outCount, int outType, Object in, int inOffset,
                               int inCount, int inType, int root, int ranks, int comm);

    static native void allgather(Object out, int outOffset, int outCount, int outType, Object in, int inOffset,
                                 int inCount, int inType, int ranks, int comm);

    static native void alltoall(Object out, int outOffset, int outCount, int outType, Object in, int inOffset,
                                int inCount, int inType, int ranks, int comm);
}
