// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

/** What has come. */
public final class Status {
    public final int source;
    public final int tag;
    /** Which request it is of; only of Waitany. */
    public final int index;
    private final long bytes;

    /** All of them as in Native. */
    Status(long[] found, int at) {
        source = (int) found[at];
        tag = (int) found[at + 1];
        bytes = found[at + 2];
        index = (int) found[at + 3];
    }

    /** In elements; MPI.UNDEFINED: these are no whole ones. */
    public int Get_count(Datatype type) {
        return bytes % type.Size() == 0 ? (int) (bytes / type.Size()) : MPI.UNDEFINED;
    }
}
