// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

/** A nonblocking call. Once it is completed, waiting for it again does nothing. */
public final class Request {
    private long handle;

    Request(long handle) {
        this.handle = handle;
    }

    public Status Wait() {
        long mine = handle;
        handle = 0;
        return new Status(Native.waitFor(mine), 0);
    }

    /** Null: it is not completed. */
    public Status Test() {
        long[] found = Native.test(handle);
        if (found == null) {
            return null;
        }
        handle = 0;
        return new Status(found, 0);
    }

    public boolean Is_null() {
        return handle == 0;
    }

    public static Status[] Waitall(Request[] requests) {
        long[] handles = handlesOf(requests);
        long[] found;
        try {
            found = Native.waitForAll(handles);
        } finally {
            for (int i = 0; i < handles.length; i++) {
                requests[i].handle = handles[i];
            }
        }
        Status[] statuses = new Status[requests.length];
        for (int i = 0; i < statuses.length; i++) {
            statuses[i] = new Status(found, i * Native.STATUS);
        }
        return statuses;
    }

    /** Its index is MPI.UNDEFINED where all have been completed before. */
    public static Status Waitany(Request[] requests) {
        Status status = new Status(Native.waitForAny(handlesOf(requests)), 0);
        if (status.index != MPI.UNDEFINED) {
            requests[status.index].handle = 0;
        }
        return status;
    }

    private static long[] handlesOf(Request[] requests) {
        long[] handles = new long[requests.length];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = requests[i].handle;
        }
        return handles;
    }
}
