// SPDX-License-Identifier: BSD-3-Clause
#include "support.hpp"

#include <cstring>
#include <new>
#include <vector>

namespace tare::java {
namespace {

void throw_mpi(JNIEnv &jni, const char *message, int code, int error_class)
{
    const jclass type = jni.FindClass("tare/mpi/MPIException");
    const jmethodID make = type == nullptr ? nullptr : jni.GetMethodID(type, "<init>", "(Ljava/lang/String;II)V");
    const jstring text = make == nullptr ? nullptr : jni.NewStringUTF(message);
    const jobject made = text == nullptr ? nullptr : jni.NewObject(type, make, text, code, error_class);
    if (made != nullptr)
        jni.Throw(static_cast<jthrowable>(made));
}

// Between an array and native memory; nothing else happens meanwhile.
template <typename Copy> void with_array(JNIEnv &jni, jobject array, Copy copy)
{
    void *elements = jni.GetPrimitiveArrayCritical(static_cast<jarray>(array), nullptr);
    if (elements == nullptr)
        return throw_no_memory(jni);
    const jint how = copy(static_cast<char *>(elements));
    jni.ReleasePrimitiveArrayCritical(static_cast<jarray>(array), elements, how);
}

}  // namespace

// Operations for numbers are none for MPI_BYTE.
element element_of(jint number)
{
    const std::array all = {element{MPI_INT8_T, 1}, element{MPI_C_BOOL, 1},  element{MPI_UINT16_T, 2},
                            element{MPI_INT16_T, 2}, element{MPI_INT32_T, 4}, element{MPI_INT64_T, 8},
                            element{MPI_FLOAT, 4},   element{MPI_DOUBLE, 8}};
    return all[static_cast<std::size_t>(number)];
}

MPI_Op op_of(jint number)
{
    const std::array all = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND,
                            MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR};
    return all[static_cast<std::size_t>(number)];
}

bool has_failed(JNIEnv &jni, int code)
{
    if (code == MPI_SUCCESS)
        return false;
    char message[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0, error_class = MPI_ERR_OTHER;
    PMPI_Error_string(code, message, &length);
    PMPI_Error_class(code, &error_class);
    throw_mpi(jni, message, code, error_class);
    return true;
}

void throw_no_memory(JNIEnv &jni)
{
    if (jni.ExceptionCheck() == JNI_FALSE)
        jni.ThrowNew(jni.FindClass("java/lang/OutOfMemoryError"), "no memory for a copy of a buffer of MPI's");
}

buffer::buffer(JNIEnv &jni, jobject of, jint offset, jint count, jint type)
    : of_(of), element_(element_of(type)), count_(count), at_(static_cast<std::size_t>(offset) * element_.bytes),
      bytes_(static_cast<std::size_t>(count) * element_.bytes)
{
    if (of == nullptr || bytes_ == 0)
        return;
    if (auto *direct = static_cast<char *>(jni.GetDirectBufferAddress(of)); direct != nullptr) {
        data_ = direct + at_;
        return;
    }
    is_copy_ = true;
    data_ = short_.data();
    if (bytes_ <= short_message)
        return;
    long_.reset(new (std::nothrow) char[bytes_]);
    data_ = long_.get();
    is_good_ = data_ != nullptr;
    if (!is_good_)
        throw_no_memory(jni);
}

void buffer::copy_in(JNIEnv &jni) const
{
    if (is_copy_)
        with_array(jni, of_, [this](const char *elements) {
            std::memcpy(data_, elements + at_, bytes_);
            return JNI_ABORT;
        });
}

void buffer::copy_out(JNIEnv &jni, jobject of, std::size_t bytes) const
{
    if (is_copy_ && bytes > 0)
        with_array(jni, of, [this, bytes](char *elements) {
            std::memcpy(elements + at_, data_, bytes);
            return 0;
        });
}

std::size_t bytes_of(const MPI_Status &status)
{
    MPI_Count bytes = 0;
    const bool is_known = MPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes > 0;
    return is_known ? static_cast<std::size_t>(bytes) : 0;
}

jlongArray to_java(JNIEnv &jni, const MPI_Status *statuses, int count, int index)
{
    constexpr std::size_t numbers = 4;
    std::vector<jlong> all;
    for (int i = 0; i < count; i++)
        for (const jlong number : {jlong{statuses[i].MPI_SOURCE}, jlong{statuses[i].MPI_TAG},
                                   static_cast<jlong>(bytes_of(statuses[i])), jlong{index}})
            all.push_back(number);
    const auto size = static_cast<jsize>(static_cast<std::size_t>(count) * numbers);
    const jlongArray result = jni.NewLongArray(size);
    if (result != nullptr)
        jni.SetLongArrayRegion(result, 0, size, all.data());
    return result;
}

}  // namespace tare::java
