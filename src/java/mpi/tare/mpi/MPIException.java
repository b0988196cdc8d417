// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

/** MPI has returned an error; the message is MPI's own. */
public class MPIException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final int errorClass;

    MPIException(String message, int code, int errorClass) {
        super(message);
        this.code = code;
        this.errorClass = errorClass;
    }

    public int Get_error_code() {
        return code;
    }

    public int Get_error_class() {
        return errorClass;
    }
}
