// SPDX-License-Identifier: BSD-3-Clause
// Native methods of nonblocking messages. What a call needs until it is completed lies on the heap: its request, the
// copy of an array, and a reference that keeps what is received into, or a direct buffer, from the collector.
#include "support.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

using namespace tare::java;

namespace {

class pending {
  public:
    pending(JNIEnv &jni, jobject of, jint offset, jint count, jint type, bool receives)
        : memory(jni, of, offset, count, type), receives_(receives), kept_(jni.NewGlobalRef(of))
    {
    }
    pending(const pending &) = delete;
    pending &operator=(const pending &) = delete;

    // Java has what came.
    void finish(JNIEnv &jni, const MPI_Status &status) const
    {
        if (receives_)
            memory.copy_out(jni, kept_, std::min(memory.bytes(), bytes_of(status)));
    }
    void let_go(JNIEnv &jni) const { jni.DeleteGlobalRef(kept_); }

    buffer memory;
    MPI_Request request = MPI_REQUEST_NULL;

  private:
    const bool receives_;
    const jobject kept_;
};

pending *of(jlong handle) { return reinterpret_cast<pending *>(handle); }

MPI_Request request_of(jlong handle) { return handle == 0 ? MPI_REQUEST_NULL : of(handle)->request; }

// Of a call that has been completed.
void end(JNIEnv &jni, jlong handle, const MPI_Status *status)
{
    const std::unique_ptr<pending> done(of(handle));
    if (done == nullptr)
        return;
    if (status != nullptr)
        done->finish(jni, *status);
    done->let_go(jni);
}

// start(pending) gives MPI's result.
template <typename Start>
jlong begin(JNIEnv &jni, jobject array, jint offset, jint count, jint type, bool receives, Start start)
{
    std::unique_ptr<pending> call(new (std::nothrow) pending(jni, array, offset, count, type, receives));
    if (call == nullptr)
        return throw_no_memory(jni), 0;
    if (!receives && call->memory.is_good())
        call->memory.copy_in(jni);
    if (!call->memory.is_good() || has_failed(jni, start(*call)))
        return call->let_go(jni), 0;
    return reinterpret_cast<jlong>(call.release());
}

std::vector<jlong> handles_of(JNIEnv &jni, jlongArray requests)
{
    std::vector<jlong> handles(static_cast<std::size_t>(jni.GetArrayLength(requests)));
    jni.GetLongArrayRegion(requests, 0, static_cast<jsize>(handles.size()), handles.data());
    return handles;
}

std::vector<MPI_Request> requests_of(const std::vector<jlong> &handles)
{
    std::vector<MPI_Request> requests;
    std::transform(handles.begin(), handles.end(), std::back_inserter(requests), request_of);
    return requests;
}

// The error of the first that has one of its own.
int error_of(int code, const std::vector<MPI_Status> &statuses)
{
    if (code != MPI_ERR_IN_STATUS)
        return code;
    const auto failed = std::find_if(statuses.begin(), statuses.end(), [](const MPI_Status &s) {
        return s.MPI_ERROR != MPI_SUCCESS && s.MPI_ERROR != MPI_ERR_PENDING;
    });
    return failed == statuses.end() ? code : failed->MPI_ERROR;
}

}  // namespace

JNIEXPORT jlong JNICALL Java_tare_mpi_Native_startSend(JNIEnv *jni, jclass, jobject array, jint offset, jint count,
                                                       jint type, jint to, jint tag, jint comm)
{
    return begin(*jni, array, offset, count, type, false, [&](pending &call) {
        return MPI_Isend(call.memory.data(), count, call.memory.type(), to, tag, comm_of(comm), &call.request);
    });
}

JNIEXPORT jlong JNICALL Java_tare_mpi_Native_startReceive(JNIEnv *jni, jclass, jobject array, jint offset, jint count,
                                                          jint type, jint from, jint tag, jint comm)
{
    return begin(*jni, array, offset, count, type, true, [&](pending &call) {
        return MPI_Irecv(call.memory.data(), count, call.memory.type(), from, tag, comm_of(comm), &call.request);
    });
}

JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_waitFor(JNIEnv *jni, jclass, jlong handle)
{
    MPI_Status status{};
    MPI_Request request = request_of(handle);
    const int code = MPI_Wait(&request, &status);
    end(*jni, handle, code == MPI_SUCCESS ? &status : nullptr);
    return has_failed(*jni, code) ? nullptr : to_java(*jni, &status, 1, 0);
}

JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_test(JNIEnv *jni, jclass, jlong handle)
{
    MPI_Status status{};
    MPI_Request request = request_of(handle);
    int is_done = 0;
    const int code = MPI_Test(&request, &is_done, &status);
    if (code == MPI_SUCCESS && is_done == 0)
        return nullptr;
    end(*jni, handle, code == MPI_SUCCESS ? &status : nullptr);
    return has_failed(*jni, code) ? nullptr : to_java(*jni, &status, 1, 0);
}

// Where one has failed others may not be completed yet: MPI goes on with them.
JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_waitForAll(JNIEnv *jni, jclass, jlongArray all)
{
    std::vector<jlong> handles = handles_of(*jni, all);
    std::vector<MPI_Request> requests = requests_of(handles);
    std::vector<MPI_Status> statuses(handles.size());
    const int code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
    for (std::size_t i = 0; i < handles.size(); i++) {
        if (requests[i] != MPI_REQUEST_NULL)
            continue;
        const bool is_good =
            code == MPI_SUCCESS || (code == MPI_ERR_IN_STATUS && statuses[i].MPI_ERROR == MPI_SUCCESS);
        end(*jni, handles[i], is_good ? &statuses[i] : nullptr);
        handles[i] = 0;
    }
    jni->SetLongArrayRegion(all, 0, static_cast<jsize>(handles.size()), handles.data());
    if (has_failed(*jni, error_of(code, statuses)))
        return nullptr;
    return to_java(*jni, statuses.data(), static_cast<int>(statuses.size()), 0);
}

JNIEXPORT jlongArray JNICALL Java_tare_mpi_Native_waitForAny(JNIEnv *jni, jclass, jlongArray all)
{
    const std::vector<jlong> handles = handles_of(*jni, all);
    std::vector<MPI_Request> requests = requests_of(handles);
    MPI_Status status{};
    int index = MPI_UNDEFINED;
    const int code = MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
    if (index != MPI_UNDEFINED && index >= 0)
        end(*jni, handles[static_cast<std::size_t>(index)], code == MPI_SUCCESS ? &status : nullptr);
    return has_failed(*jni, code) ? nullptr : to_java(*jni, &status, 1, index);
}
