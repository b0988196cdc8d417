// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

/** A communicator inside one group. */
public final class Comm {
    private int handle;
    /** For checks of arguments, so that they are no calls of MPI; -1: not asked yet. */
    private int knownRank = -1;
    private int knownSize = -1;

    Comm(int handle) {
        this.handle = handle;
    }

    public int Rank() {
        return Native.rank(handle);
    }

    public int Size() {
        return Native.size(handle);
    }

    public Comm Dup() {
        return new Comm(Native.dup(handle));
    }

    /** Null for who gives MPI.UNDEFINED as its color. */
    public Comm Split(int color, int key) {
        int made = Native.split(handle, color, key);
        return made == Native.nullComm() ? null : new Comm(made);
    }

    public void Free() {
        handle = Native.free(handle);
    }

    public void Errhandler_set(Errhandler handler) {
        Native.setErrhandler(handle, handler.isFatal);
    }

    // ---- messages ----

    public void Send(Object buffer, int offset, int count, Datatype type, int dest, int tag) {
        type.check(buffer, offset, count);
        Native.send(false, buffer, offset, count, type.number, dest, tag, handle);
    }

    public void Ssend(Object buffer, int offset, int count, Datatype type, int dest, int tag) {
        type.check(buffer, offset, count);
        Native.send(true, buffer, offset, count, type.number, dest, tag, handle);
    }

    public Status Recv(Object buffer, int offset, int count, Datatype type, int source, int tag) {
        type.check(buffer, offset, count);
        return new Status(Native.receive(buffer, offset, count, type.number, source, tag, handle), 0);
    }

    public Status Sendrecv(Object sendBuffer, int sendOffset, int sendCount, Datatype sendType, int dest, int sendTag,
                           Object recvBuffer, int recvOffset, int recvCount, Datatype recvType, int source,
                           int recvTag) {
        sendType.check(sendBuffer, sendOffset, sendCount);
        recvType.check(recvBuffer, recvOffset, recvCount);
        return new Status(Native.sendReceive(sendBuffer, sendOffset, sendCount, sendType.number, dest, sendTag,
            recvBuffer, recvOffset, recvCount, recvType.number, source, recvTag, handle), 0);
    }

    public Request Isend(Object buffer, int offset, int count, Datatype type, int dest, int tag) {
        type.check(buffer, offset, count);
        return new Request(Native.startSend(buffer, offset, count, type.number, dest, tag, handle));
    }

    public Request Irecv(Object buffer, int offset, int count, Datatype type, int source, int tag) {
        type.check(buffer, offset, count);
        return new Request(Native.startReceive(buffer, offset, count, type.number, source, tag, handle));
    }

    public Status Probe(int source, int tag) {
        return new Status(Native.probe(source, tag, handle), 0);
    }

    /** Null: there is none. */
    public Status Iprobe(int source, int tag) {
        long[] found = Native.probeNow(source, tag, handle);
        return found == null ? null : new Status(found, 0);
    }

    // ---- collective calls ----

    public void Barrier() {
        Native.barrier(handle);
    }

    public void Bcast(Object buffer, int offset, int count, Datatype type, int root) {
        type.check(buffer, offset, count);
        Native.bcast(isMe(root), buffer, offset, count, type.number, root, handle);
    }

    public void Reduce(Object sendBuffer, int sendOffset, Object recvBuffer, int recvOffset, int count, Datatype type,
                       Op op, int root) {
        type.check(sendBuffer, sendOffset, count);
        Object mine = isMe(root) ? recvBuffer : null;
        if (isMe(root)) {
            type.check(recvBuffer, recvOffset, count);
        }
        Native.reduce(sendBuffer, sendOffset, mine, recvOffset, count, type.number, op.number, root, handle);
    }

    public void Allreduce(Object sendBuffer, int sendOffset, Object recvBuffer, int recvOffset, int count,
                          Datatype type, Op op) {
        type.check(sendBuffer, sendOffset, count);
        type.check(recvBuffer, recvOffset, count);
        Native.allreduce(sendBuffer, sendOffset, recvBuffer, recvOffset, count, type.number, op.number, handle);
    }

    public void Gather(Object sendBuffer, int sendOffset, int sendCount, Datatype sendType, Object recvBuffer,
                       int recvOffset, int recvCount, Datatype recvType, int root) {
        sendType.check(sendBuffer, sendOffset, sendCount);
        Object mine = isMe(root) ? recvBuffer : null;
        if (isMe(root)) {
            recvType.check(recvBuffer, recvOffset, ofAll(recvCount));
        }
        Native.gather(sendBuffer, sendOffset, sendCount, sendType.number, mine, recvOffset, recvCount,
            recvType.number, root, ranks(), handle);
    }

    public void Scatter(Object sendBuffer, int sendOffset, int sendCount, Datatype sendType, Object recvBuffer,
                        int recvOffset, int recvCount, Datatype recvType, int root) {
        Object mine = isMe(root) ? sendBuffer : null;
        if (isMe(root)) {
            sendType.check(sendBuffer, sendOffset, ofAll(sendCount));
        }
        recvType.check(recvBuffer, recvOffset, recvCount);
        Native.scatter(mine, sendOffset, sendCount, sendType.number, recvBuffer, recvOffset, recvCount,
            recvType.number, root, ranks(), handle);
    }

    public void Allgather(Object sendBuffer, int sendOffset, int sendCount, Datatype sendType, Object recvBuffer,
                          int recvOffset, int recvCount, Datatype recvType) {
        sendType.check(sendBuffer, sendOffset, sendCount);
        recvType.check(recvBuffer, recvOffset, ofAll(recvCount));
        Native.allgather(sendBuffer, sendOffset, sendCount, sendType.number, recvBuffer, recvOffset, recvCount,
            recvType.number, ranks(), handle);
    }

    public void Alltoall(Object sendBuffer, int sendOffset, int sendCount, Datatype sendType, Object recvBuffer,
                         int recvOffset, int recvCount, Datatype recvType) {
        sendType.check(sendBuffer, sendOffset, ofAll(sendCount));
        recvType.check(recvBuffer, recvOffset, ofAll(recvCount));
        Native.alltoall(sendBuffer, sendOffset, sendCount, sendType.number, recvBuffer, recvOffset, recvCount,
            recvType.number, ranks(), handle);
    }

    private boolean isMe(int root) {
        if (knownRank < 0) {
            knownRank = Rank();
        }
        return root == knownRank;
    }

    private int ranks() {
        if (knownSize < 0) {
            knownSize = Size();
        }
        return knownSize;
    }

    private int ofAll(int count) {
        return Math.multiplyExact(count, ranks());
    }
}
