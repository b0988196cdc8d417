// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

/** What becomes of an error: the end of the job, or an MPIException. */
public final class Errhandler {
    final boolean isFatal;

    Errhandler(boolean isFatal) {
        this.isFatal = isFatal;
    }
}
