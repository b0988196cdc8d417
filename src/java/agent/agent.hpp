// SPDX-License-Identifier: BSD-3-Clause
// The parts of the agent: each registers what it wants to hear of the virtual machine.
#ifndef TARE_JAVA_AGENT_HPP
#define TARE_JAVA_AGENT_HPP

#include "tare_measure.h"

#include <jvmti.h>

#include <cstdint>
#include <ctime>
#include <string>

namespace tare::java {

// One sentence, and the process ends with status 1.
[[noreturn]] void end_run(const std::string &sentence);
// Of JVMTI or JNI, where nothing else can be done.
void must(bool is_good, const char *what);

// The region of a method, whose names are those of its class file; nullptr: it is not measured.
tare_region_t *region_of_method(const std::string &class_name, const std::string &method,
                                const std::string &descriptor);

// Hooks in class files (hooks.cpp). start: on the main thread, when the virtual machine is ready.
void start_hooks(JNIEnv &jni);
void JNICALL class_file_loaded(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
                               jobject, jint size, const unsigned char *file, jint *new_size,
                               unsigned char **new_file);

// Events of each method (events.cpp).
void JNICALL method_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread, jmethodID method);
void JNICALL method_left(jvmtiEnv *jvmti, JNIEnv *jni, jthread, jmethodID method, jboolean, jvalue);

// What is done while this lives is measurement, on the calling thread.
class overhead {
  public:
    overhead() = default;
    ~overhead() { tare_measure_overhead(clock_ns() - start_ns_); }
    overhead(const overhead &) = delete;
    overhead &operator=(const overhead &) = delete;

  private:
    static std::int64_t clock_ns()
    {
        timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
    }

    const std::int64_t start_ns_ = clock_ns();
};

// A text that JVMTI has allocated.
class jvmti_text {
  public:
    explicit jvmti_text(jvmtiEnv &jvmti) : jvmti_(jvmti) {}
    ~jvmti_text() { jvmti_.Deallocate(reinterpret_cast<unsigned char *>(text_)); }
    jvmti_text(const jvmti_text &) = delete;
    jvmti_text &operator=(const jvmti_text &) = delete;

    char **to_fill() { return &text_; }
    std::string text() const { return text_ == nullptr ? "" : text_; }

  private:
    jvmtiEnv &jvmti_;
    char *text_ = nullptr;
};

}  // namespace tare::java

#endif
