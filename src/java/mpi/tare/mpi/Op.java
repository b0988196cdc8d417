// SPDX-License-Identifier: BSD-3-Clause
package tare.mpi;

/** An operation of reductions. */
public final class Op {
    final int number;

    Op(int number) {
        this.number = number;
    }
}
