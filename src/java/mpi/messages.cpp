// SPDX-License-Identifier: BSD-3-Clause
// Native methods of blocking messages and probes.
#include "support.hpp"

#include <algorithm>

using namespace tare::java;

JNIEXPORT void JNICALL Java_tare_mpi_Native_send(JNIEnv *jni, jclass, jboolean synchronous, jobject of, jint offset,
                                                 jint count, jint type, jint to, jint tag, jint comm)
{
    const buffer out(*jni, of, offset, count, type);
    if (!out.is_good())
        return;
    out.copy_in(*jni);
    if (synchronous == JNI_TRUE)
        has_failed(*jni, MPI_Ssend(out.data(), count, out.type(), to, tag, comm_of(comm)));
    else
        has_failed(*jni, MPI_Send(out.data(), count, out.type(), to, tag, comm_of(comm)));
}

JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_receive(JNIEnv *jni, jclass, jobject of, jint offset, jint count,
                                                          jint type, jint from, jint tag, jint comm)
{
    const buffer in(*jni, of, offset, count, type);
    MPI_Status status{};
    if (!in.is_good() ||
        has_failed(*jni, MPI_Recv(in.data(), count, in.type(), from, tag, comm_of(comm), &status)))
        return nullptr;
    in.copy_out(*jni, of, std::min(in.bytes(), bytes_of(status)));
    return to_java(*jni, &status, 1, 0);
}

JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_sendReceive(
    JNIEnv *jni, jclass, jobject out_of, jint out_offset, jint out_count, jint out_type, jint to, jint out_tag,
    jobject in_of, jint in_offset, jint in_count, jint in_type, jint from, jint in_tag, jint comm)
{
    const buffer out(*jni, out_of, out_offset, out_count, out_type);
    const buffer in(*jni, in_of, in_offset, in_count, in_type);
    MPI_Status status{};
    if (!out.is_good() || !in.is_good())
        return nullptr;
    out.copy_in(*jni);
    if (has_failed(*jni, MPI_Sendrecv(out.data(), out_count, out.type(), to, out_tag, in.data(), in_count, in.type(),
                                      from, in_tag, comm_of(comm), &status)))
        return nullptr;
    in.copy_out(*jni, in_of, std::min(in.bytes(), bytes_of(status)));
    return to_java(*jni, &status, 1, 0);
}

JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_probe(JNIEnv *jni, jclass, jint from, jint tag, jint comm)
{
    MPI_Status status{};
    if (has_failed(*jni, MPI_Probe(from, tag, comm_of(comm), &status)))
        return nullptr;
    return to_java(*jni, &status, 1, 0);
}

JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_probeNow(JNIEnv *jni, jclass, jint from, jint tag, jint comm)
{
    MPI_Status status{};
    int is_there = 0;
    if (has_failed(*jni, MPI_Iprobe(from, tag, comm_of(comm), &is_there, &status)) || is_there == 0)
        return nullptr;
    return to_java(*jni, &status, 1, 0);
}
