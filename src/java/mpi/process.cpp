// SPDX-License-Identifier: BSD-3-Clause
// The library's begin, and native methods of the process and of communicators.
//
// libmpi is not linked but loaded when this library is, between two looks at the handlers of signals: what is linked
// is loaded before anything of this library runs. Its functions are found when they are first called, so none has its
// address taken here.
#include "handlers.hpp"
#include "support.hpp"

#include <dlfcn.h>

using namespace tare::java;

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *machine, void *)
{
    JNIEnv *jni = nullptr;
    if (machine->GetEnv(reinterpret_cast<void **>(&jni), JNI_VERSION_10) != JNI_OK)
        return JNI_ERR;
    ask_for_no_handlers();
    const handlers_stay quiet;
    if (dlopen(TARE_LIBMPI, RTLD_NOW | RTLD_GLOBAL) == nullptr)
        jni->ThrowNew(jni->FindClass("java/lang/UnsatisfiedLinkError"), dlerror());
    return JNI_VERSION_10;
}

// In the order of MPI.java.
JNIEXPORT jint JNICALL Java_tare_mpi_Native_constant(JNIEnv *, jclass, jint which)
{
    const std::array all = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL, MPI_UNDEFINED};
    return all[static_cast<std::size_t>(which)];
}

JNIEXPORT jint JNICALL Java_tare_mpi_Native_world(JNIEnv *, jclass) { return MPI_Comm_c2f(MPI_COMM_WORLD); }

JNIEXPORT jint JNICALL Java_tare_mpi_Native_self(JNIEnv *, jclass) { return MPI_Comm_c2f(MPI_COMM_SELF); }

JNIEXPORT jint JNICALL Java_tare_mpi_Native_nullComm(JNIEnv *, jclass) { return MPI_Comm_c2f(MPI_COMM_NULL); }

// Java's levels are in the same order.
JNIEXPORT jint JNICALL Java_tare_mpi_Native_init(JNIEnv *jni, jclass, jint required)
{
    const std::array levels = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    const handlers_stay quiet;
    int provided = MPI_THREAD_SINGLE;
    has_failed(*jni, MPI_Init_thread(nullptr, nullptr, levels[static_cast<std::size_t>(required)], &provided));
    jint level = 0;
    while (levels[static_cast<std::size_t>(level)] != provided)
        level++;
    return level;
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_end(JNIEnv *jni, jclass) { has_failed(*jni, MPI_Finalize()); }

JNIEXPORT jboolean JNICALL Java_tare_mpi_Native_isInitialized(JNIEnv *, jclass)
{
    int is_it = 0;
    MPI_Initialized(&is_it);
    return is_it != 0 ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jboolean JNICALL Java_tare_mpi_Native_isFinalized(JNIEnv *, jclass)
{
    int is_it = 0;
    MPI_Finalized(&is_it);
    return is_it != 0 ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jdouble JNICALL Java_tare_mpi_Native_wtime(JNIEnv *, jclass) { return MPI_Wtime(); }

JNIEXPORT jstring JNICALL Java_tare_mpi_Native_processorName(JNIEnv *jni, jclass)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    return has_failed(*jni, MPI_Get_processor_name(name, &length)) ? nullptr : jni->NewStringUTF(name);
}

JNIEXPORT jint JNICALL Java_tare_mpi_Native_rank(JNIEnv *jni, jclass, jint comm)
{
    int rank = 0;
    has_failed(*jni, MPI_Comm_rank(comm_of(comm), &rank));
    return rank;
}

JNIEXPORT jint JNICALL Java_tare_mpi_Native_size(JNIEnv *jni, jclass, jint comm)
{
    int size = 0;
    has_failed(*jni, MPI_Comm_size(comm_of(comm), &size));
    return size;
}

JNIEXPORT jint JNICALL Java_tare_mpi_Native_dup(JNIEnv *jni, jclass, jint comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    has_failed(*jni, MPI_Comm_dup(comm_of(comm), &made));
    return MPI_Comm_c2f(made);
}

JNIEXPORT jint JNICALL Java_tare_mpi_Native_split(JNIEnv *jni, jclass, jint comm, jint color, jint key)
{
    MPI_Comm made = MPI_COMM_NULL;
    has_failed(*jni, MPI_Comm_split(comm_of(comm), color, key, &made));
    return MPI_Comm_c2f(made);
}

JNIEXPORT jint JNICALL Java_tare_mpi_Native_free(JNIEnv *jni, jclass, jint handle)
{
    MPI_Comm comm = comm_of(handle);
    has_failed(*jni, MPI_Comm_free(&comm));
    return MPI_Comm_c2f(comm);
}

JNIEXPORT void JNICALL Java_tare_mpi_Native_setErrhandler(JNIEnv *jni, jclass, jint comm, jboolean is_fatal)
{
    has_failed(*jni, MPI_Comm_set_errhandler(comm_of(comm), is_fatal == JNI_TRUE ? MPI_ERRORS_ARE_FATAL
                                                                                 : MPI_ERRORS_RETURN));
}
