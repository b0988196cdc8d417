// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

import java.io.File;
import java.net.URISyntaxException;
import java.security.CodeSource;

/**
 * MPI for Java in the style of mpiJava 1.2: what is here has the name and the order of arguments that it has there.
 *
 * <p>Buffers are arrays of the type that the datatype says, or direct buffers (ByteBuffer), in the machine's order,
 * of any datatype; offset and count are in elements. A nonblocking call on an array has a copy of it, and what has
 * come is copied back when the call is completed: until then the array is as it was. Errors that MPI returns are
 * MPIException; {@link Comm#Errhandler_set} says whether it returns them.
 */
public final class MPI {
    public static final int THREAD_SINGLE = 0;
    public static final int THREAD_FUNNELED = 1;
    public static final int THREAD_SERIALIZED = 2;
    public static final int THREAD_MULTIPLE = 3;

    static {
        loadLibrary();
    }

    public static final int ANY_SOURCE = Native.constant(0);
    public static final int ANY_TAG = Native.constant(1);
    public static final int PROC_NULL = Native.constant(2);
    public static final int UNDEFINED = Native.constant(3);

    public static final Datatype BYTE = new Datatype(0, 1, byte[].class);
    public static final Datatype BOOLEAN = new Datatype(1, 1, boolean[].class);
    public static final Datatype CHAR = new Datatype(2, 2, char[].class);
    public static final Datatype SHORT = new Datatype(3, 2, short[].class);
    public static final Datatype INT = new Datatype(4, 4, int[].class);
    public static final Datatype LONG = new Datatype(5, 8, long[].class);
    public static final Datatype FLOAT = new Datatype(6, 4, float[].class);
    public static final Datatype DOUBLE = new Datatype(7, 8, double[].class);

    public static final Op MAX = new Op(0);
    public static final Op MIN = new Op(1);
    public static final Op SUM = new Op(2);
    public static final Op PROD = new Op(3);
    public static final Op LAND = new Op(4);
    public static final Op BAND = new Op(5);
    public static final Op LOR = new Op(6);
    public static final Op BOR = new Op(7);
    public static final Op LXOR = new Op(8);
    public static final Op BXOR = new Op(9);

    public static final Errhandler ERRORS_ARE_FATAL = new Errhandler(true);
    public static final Errhandler ERRORS_RETURN = new Errhandler(false);

    public static final Comm COMM_WORLD = new Comm(Native.world());
    public static final Comm COMM_SELF = new Comm(Native.self());

    private MPI() {}

    /** Gives back the arguments of the program, which are as they were. */
    public static String[] Init(String[] args) {
        Native.init(THREAD_SINGLE);
        return args;
    }

    /** Gives back the level of threads that there is. */
    public static int InitThread(String[] args, int required) {
        if (required < THREAD_SINGLE || required > THREAD_MULTIPLE) {
            throw new IllegalArgumentException(required + " is none of MPI.THREAD_SINGLE to MPI.THREAD_MULTIPLE");
        }
        return Native.init(required);
    }

    public static int Query_thread() {
        return Native.queryThread();
    }

    public static void Finalize() {
        Native.end();
    }

    public static boolean Initialized() {
        return Native.isInitialized();
    }

    public static boolean Finalized() {
        return Native.isFinalized();
    }

    public static double Wtime() {
        return Native.wtime();
    }

    public static String Get_processor_name() {
        return Native.processorName();
    }

    /** Beside the jar, as they are installed; else along java.library.path. */
    private static void loadLibrary() {
        CodeSource from = MPI.class.getProtectionDomain().getCodeSource();
        try {
            File library = new File(new File(from.getLocation().toURI()).getParentFile(), "libtare-jni.so");
            if (library.canRead()) {
                System.load(library.getPath());
                return;
            }
        } catch (URISyntaxException | IllegalArgumentException elsewhere) {
            // It is in no file.
        }
        System.loadLibrary("tare-jni");
    }
}
