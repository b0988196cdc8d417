// SPDX-License-Identifier: BSD-3-Clause
// Native methods of collective calls.
#include "support.hpp"

#include <algorithm>
#include <cstdint>

using namespace tare::java;

namespace {

// Elements of all ranks together. Where they are too many Java has said so on every rank that looks at them.
jint of_all(jint count, jint ranks)
{
    return static_cast<jint>(std::min(std::int64_t{count} * ranks, std::int64_t{INT32_MAX}));
}

// call() gives MPI's result; what it leaves in `in` goes back to Java.
template <typename Call> void collect(JNIEnv &jni, const buffer &out, const buffer &in, Call call)
{
    if (!out.is_good() || !in.is_good())
        return;
    out.copy_in(jni);
    if (!has_failed(jni, call()))
        in.copy_out(jni);
}

}  // namespace

JNIEXPORT void JNICALL Java_tare_mpi_Native_barrier(JNIEnv *jni, jclass, jint comm)
{
    has_failed(*jni, MPI_Barrier(comm_of(comm)));
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_bcast(JNIEnv *jni, jclass, jboolean is_root, jobject of, jint offset,
                                                  jint count, jint type, jint root, jint comm)
{
    const buffer both(*jni, of, offset, count, type);
    if (!both.is_good())
        return;
    if (is_root == JNI_TRUE)
        both.copy_in(*jni);
    if (!has_failed(*jni, MPI_Bcast(both.data(), count, both.type(), root, comm_of(comm))) && is_root != JNI_TRUE)
        both.copy_out(*jni);
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_reduce(JNIEnv *jni, jclass, jobject out_of, jint out_offset,
                                                   jobject in_of, jint in_offset, jint count, jint type, jint op,
                                                   jint root, jint handle)
{
    const MPI_Comm comm = comm_of(handle);
    const buffer out(*jni, out_of, out_offset, count, type);
    const buffer in(*jni, in_of, in_offset, count, type);
    collect(*jni, out, in, [&] {
        return MPI_Reduce(out.data(), in.data(), count, out.type(), op_of(op), root, comm);
    });
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_allreduce(JNIEnv *jni, jclass, jobject out_of, jint out_offset,
                                                      jobject in_of, jint in_offset, jint count, jint type, jint op,
                                                      jint handle)
{
    const MPI_Comm comm = comm_of(handle);
    const buffer out(*jni, out_of, out_offset, count, type), in(*jni, in_of, in_offset, count, type);
    collect(*jni, out, in, [&] { return MPI_Allreduce(out.data(), in.data(), count, out.type(), op_of(op), comm); });
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_gather(JNIEnv *jni, jclass, jobject out_of, jint out_offset,
                                                   jint out_count, jint out_type, jobject in_of, jint in_offset,
                                                   jint in_count, jint in_type, jint root, jint ranks, jint handle)
{
    const MPI_Comm comm = comm_of(handle);
    const buffer out(*jni, out_of, out_offset, out_count, out_type);
    const buffer in(*jni, in_of, in_offset, of_all(in_count, ranks), in_type);
    collect(*jni, out, in, [&] {
        return MPI_Gather(out.data(), out_count, out.type(), in.data(), in_count, in.type(), root, comm);
    });
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_scatter(JNIEnv *jni, jclass, jobject out_of, jint out_offset,
                                                    jint out_count, jint out_type, jobject in_of, jint in_offset,
                                                    jint in_count, jint in_type, jint root, jint ranks, jint handle)
{
    const MPI_Comm comm = comm_of(handle);
    const buffer out(*jni, out_of, out_offset, of_all(out_count, ranks), out_type);
    const buffer in(*jni, in_of, in_offset, in_count, in_type);
    collect(*jni, out, in, [&] {
        return MPI_Scatter(out.data(), out_count, out.type(), in.data(), in_count, in.type(), root, comm);
    });
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_allgather(JNIEnv *jni, jclass, jobject out_of, jint out_offset,
                                                      jint out_count, jint out_type, jobject in_of, jint in_offset,
                                                      jint in_count, jint in_type, jint ranks, jint handle)
{
    const MPI_Comm comm = comm_of(handle);
    const buffer out(*jni, out_of, out_offset, out_count, out_type);
    const buffer in(*jni, in_of, in_offset, of_all(in_count, ranks), in_type);
    collect(*jni, out, in, [&] {
        return MPI_Allgather(out.data(), out_count, out.type(), in.data(), in_count, in.type(), comm);
    });
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_alltoall(JNIEnv *jni, jclass, jobject out_of, jint out_offset,
                                                     jint out_count, jint out_type, jobject in_of, jint in_offset,
                                                     jint in_count, jint in_type, jint ranks, jint handle)
{
    const MPI_Comm comm = comm_of(handle);
    const buffer out(*jni, out_of, out_offset, of_all(out_count, ranks), out_type);
    const buffer in(*jni, in_of, in_offset, of_all(in_count, ranks), in_type);
    collect(*jni, out, in, [&] {
        return MPI_Alltoall(out.data(), out_count, out.type(), in.data(), in_count, in.type(), comm);
    });
}
