// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;

/** A basic type of Java's. */
public final class Datatype {
    final int number;
    private final int bytes;
    private final Class<?> arrays;

    Datatype(int number, int bytes, Class<?> arrays) {
        this.number = number;
        this.bytes = bytes;
        this.arrays = arrays;
    }

    /** Of an element, in bytes. */
    public int Size() {
        return bytes;
    }

    /** Whether the elements are there. Nothing is looked at where there are none. */
    void check(Object buffer, int offset, int count) {
        if (count == 0) {
            return;
        }
        long room = roomIn(buffer);
        if (offset < 0 || count < 0 || (long) offset + count > room) {
            throw new IndexOutOfBoundsException(count + " elements from " + offset + " on are not all in the buffer, "
                + "which has " + room);
        }
    }

    private long roomIn(Object buffer) {
        if (buffer != null && buffer.getClass() == arrays) {
            return Array.getLength(buffer);
        }
        if (buffer instanceof ByteBuffer && ((ByteBuffer) buffer).isDirect()) {
            return ((ByteBuffer) buffer).capacity() / bytes;
        }
        throw new IllegalArgumentException("a buffer of this type is " + arrays.getSimpleName()
            + " or a direct ByteBuffer, and not " + (buffer == null ? "null" : buffer.getClass().getTypeName()));
    }
}
