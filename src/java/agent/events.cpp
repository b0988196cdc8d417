// SPDX-License-Identifier: BSD-3-Clause
// Methods by the events of the virtual machine: all of them, also the platform's, of which most are dropped here.
// What an event costs the machine itself nobody knows here, and it is not declared.
#include "agent.hpp"

#include <unordered_map>

namespace tare::java {
namespace {

// "La/B;" is the class a/B. One with a dot has been made at run time, and has another name in each process.
tare_region_t *find_region(const std::string &signature, const std::string &method, const std::string &descriptor)
{
    if (signature.size() < 2 || signature.find('.') != std::string::npos)
        return nullptr;
    return region_of_method(signature.substr(1, signature.size() - 2), method, descriptor);
}

tare_region_t *find_region(jvmtiEnv &jvmti, JNIEnv &jni, jmethodID method)
{
    jclass owner = nullptr;
    jvmti_text signature(jvmti), name(jvmti), descriptor(jvmti);
    if (jvmti.GetMethodDeclaringClass(method, &owner) != JVMTI_ERROR_NONE)
        return nullptr;
    const bool is_found =
        jvmti.GetClassSignature(owner, signature.to_fill(), nullptr) == JVMTI_ERROR_NONE &&
        jvmti.GetMethodName(method, name.to_fill(), descriptor.to_fill(), nullptr) == JVMTI_ERROR_NONE;
    jni.DeleteLocalRef(owner);
    return is_found ? find_region(signature.text(), name.text(), descriptor.text()) : nullptr;
}

// Of what the calling thread has called. nullptr: it is not measured.
tare_region_t *region_of(jvmtiEnv &jvmti, JNIEnv &jni, jmethodID method)
{
    static thread_local std::unordered_map<jmethodID, tare_region_t *> known;
    const auto [at, is_new] = known.try_emplace(method, nullptr);
    if (is_new)
        at->second = find_region(jvmti, jni, method);
    return at->second;
}

}  // namespace

void JNICALL method_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread, jmethodID method)
{
    if (tare_region_t *region = region_of(*jvmti, *jni, method); region != nullptr)
        tare_enter(region);
}

// By a return, or because something is thrown.
void JNICALL method_left(jvmtiEnv *jvmti, JNIEnv *jni, jthread, jmethodID method, jboolean, jvalue)
{
    if (tare_region_t *region = region_of(*jvmti, *jni, method); region != nullptr)
        tare_leave(region);
}

}  // namespace tare::java
