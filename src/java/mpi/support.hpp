// SPDX-License-Identifier: BSD-3-Clause
// Between Java and MPI: types, memory, statuses and errors.
#ifndef TARE_JAVA_SUPPORT_HPP
#define TARE_JAVA_SUPPORT_HPP

#include "tare_mpi_Native.h"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>

namespace tare::java {

// Of Datatype.java and Op.java.
struct element {
    MPI_Datatype type;
    std::size_t bytes;
};
element element_of(jint number);
MPI_Op op_of(jint number);

inline MPI_Comm comm_of(jint handle) { return MPI_Comm_f2c(handle); }

// Throws MPIException in Java, unless the call has gone well.
bool has_failed(JNIEnv &jni, int code);
void throw_no_memory(JNIEnv &jni);

// Elements of an array or of a direct buffer, while one call of MPI has them. Of an array this is a copy: the
// collector may move arrays, and would have to wait for MPI otherwise. MPI looks at no elements of what is null.
class buffer {
  public:
    buffer(JNIEnv &jni, jobject of, jint offset, jint count, jint type);
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;

    // False: there is no memory, and Java has been told.
    bool is_good() const { return is_good_; }
    void *data() const { return data_; }
    int count() const { return count_; }
    MPI_Datatype type() const { return element_.type; }

    void copy_in(JNIEnv &jni) const;
    // What came first, in bytes; all of it.
    void copy_out(JNIEnv &jni, jobject of, std::size_t bytes) const;
    void copy_out(JNIEnv &jni) const { copy_out(jni, of_, bytes_); }
    std::size_t bytes() const { return bytes_; }

  private:
    static constexpr std::size_t short_message = 1024;

    const jobject of_;
    const element element_;
    const int count_;
    const std::size_t at_, bytes_;
    bool is_good_ = true, is_copy_ = false;
    void *data_ = nullptr;
    std::unique_ptr<char[]> long_;
    alignas(16) std::array<char, short_message> short_;
};

// How much came.
std::size_t bytes_of(const MPI_Status &status);
// STATUS numbers for each (Native.java).
jlongArray to_java(JNIEnv &jni, const MPI_Status *statuses, int count, int index);

}  // namespace tare::java

#endif
