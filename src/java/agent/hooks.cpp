// SPDX-License-Identifier: BSD-3-Clause
// Methods by hooks in their code. The class files are changed in Java, by a library for class files
// (Instrumenter.java); here is what comes from the virtual machine, and where the hooks lead.
//
// A hook is a native method, so that it costs a call from Java to C beside libtare's own. That is calibrated as what
// it costs when it is compiled, and declared: half of each call lies on each side of libtare's hook, so that the method
// has as much of it as one call costs, and who has called it has the other.
#include "agent.hpp"

#include "boot_classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <dlfcn.h>
#include <filesystem>
#include <unistd.h>

namespace tare::java {
namespace {

namespace fs = std::filesystem;

jclass probe = nullptr, loader = nullptr;            // global references
jobject platform_loader = nullptr;
jmethodID call_nothing = nullptr, call_none = nullptr, instrument = nullptr;
JNIEnv *calibrating = nullptr;

// Of a call from Java.
std::int64_t call_ns = 0;
std::uint32_t call_fraction = 0;

// The classes that the instrumenter itself needs come while it works.
thread_local bool is_instrumenting = false;

void declare_call()
{
    tare_measure_core()->overhead_add(call_ns, call_fraction);
}

void JNICALL enter(JNIEnv *, jclass, jlong region)
{
    tare_enter(reinterpret_cast<tare_region_t *>(region));
    declare_call();
}

void JNICALL leave(JNIEnv *, jclass, jlong region)
{
    tare_leave(reinterpret_cast<tare_region_t *>(region));
    declare_call();
}

void JNICALL nothing(JNIEnv *, jclass, jlong) { declare_call(); }

std::string text_of(JNIEnv &jni, jstring text)
{
    const char *bytes = jni.GetStringUTFChars(text, nullptr);
    std::string result = bytes == nullptr ? "" : bytes;
    if (bytes != nullptr)
        jni.ReleaseStringUTFChars(text, bytes);
    return result;
}

jlong JNICALL region_of(JNIEnv *jni, jclass, jstring class_name, jstring method, jstring descriptor)
{
    return reinterpret_cast<jlong>(
        region_of_method(text_of(*jni, class_name), text_of(*jni, method), text_of(*jni, descriptor)));
}

// The Java that belongs to this library lies beside it, in the build tree as well.
std::string jar(const char *name)
{
    Dl_info own{};
    dladdr(reinterpret_cast<void *>(&jar), &own);
    const fs::path folder = fs::absolute(own.dli_fname).parent_path();
    const fs::path path = (folder.filename() == ".libs" ? folder.parent_path() : folder) / name;
    if (access(path.c_str(), R_OK) != 0)
        end_run("cannot read " + path.string() + ": install Tare completely, or anew");
    return path;
}

// For the boot loader. Its classes are shared among machines as long as it gets no further jar.
template <std::size_t size> jclass define_class(JNIEnv &jni, const char *name, const unsigned char (&file)[size])
{
    const jclass made = jni.DefineClass(name, nullptr, reinterpret_cast<const jbyte *>(file), size);
    must(made != nullptr, "does not take the agent's classes");
    return static_cast<jclass>(jni.NewGlobalRef(made));
}

void register_hooks(JNIEnv &jni)
{
    // The table is not changed, and its texts are not const for the sake of C.
    const auto entry = [](const char *name, const char *types, auto code) {
        return JNINativeMethod{const_cast<char *>(name), const_cast<char *>(types), reinterpret_cast<void *>(code)};
    };
    const std::array methods = {
        entry("enter", "(J)V", enter), entry("leave", "(J)V", leave), entry("nothing", "(J)V", nothing),
        entry("regionOf", "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)J", region_of)};
    must(jni.RegisterNatives(probe, methods.data(), methods.size()) == JNI_OK, "does not take the agent's methods");
}

void find_platform_loader(JNIEnv &jni)
{
    const jclass loaders = jni.FindClass("java/lang/ClassLoader");
    const jmethodID get = jni.GetStaticMethodID(loaders, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;");
    const jobject found = jni.CallStaticObjectMethod(loaders, get);
    must(jni.ExceptionCheck() == JNI_FALSE, "does not tell its platform's classes");
    platform_loader = jni.NewGlobalRef(found);
}

void load_instrumenter(JNIEnv &jni)
{
    const std::array jars = {jar("tare-instrument.jar"), std::string(TARE_ASM_DIR "/asm.jar"),
                             std::string(TARE_ASM_DIR "/asm-commons.jar")};
    const jobjectArray paths = jni.NewObjectArray(jars.size(), jni.FindClass("java/lang/String"), nullptr);
    for (std::size_t i = 0; i < jars.size(); i++) {
        if (access(jars[i].c_str(), R_OK) != 0)
            end_run("cannot read " + jars[i] + ", which changes class files: install the package libasm-java, or "
                    "give the Java agent the option methods=events");
        jni.SetObjectArrayElement(paths, static_cast<jsize>(i), jni.NewStringUTF(jars[i].c_str()));
    }
    jni.CallStaticVoidMethod(loader, jni.GetStaticMethodID(loader, "load", "([Ljava/lang/String;)V"), paths);
    if (jni.ExceptionCheck() == JNI_FALSE)
        return;
    jni.ExceptionDescribe();
    end_run("the Java agent's instrumenter cannot be loaded");
}

// Nothing is thrown there, but JNI wants to be asked.
void call(jmethodID method, int n)
{
    calibrating->CallStaticVoidMethod(probe, method, n);
    calibrating->ExceptionClear();
}

void call_with(int n) { call(call_nothing, n); }

void call_without(int n) { call(call_none, n); }

// As what it costs when the machine has compiled it, which is so soon for methods whose cost matters. In the region
// of calibrations.
void calibrate(JNIEnv &jni)
{
    constexpr int rounds = 20, calls = 5000;
    call_nothing = jni.GetStaticMethodID(probe, "callNothing", "(I)V");
    call_none = jni.GetStaticMethodID(probe, "callNone", "(I)V");
    calibrating = &jni;
    for (int i = 0; i < rounds; i++) {
        call_with(calls);
        call_without(calls);
        usleep(1000);                    // compilers are threads of their own
    }
    const double ns = std::max(0.0, tare_measure_constant("java call", call_with, call_without));
    call_ns = static_cast<std::int64_t>(ns);
    call_fraction = static_cast<std::uint32_t>((ns - std::floor(ns)) * 4294967296.0);
}

// nullptr: the class stays as it is.
jbyteArray with_hooks(JNIEnv &jni, const unsigned char *file, jint size)
{
    const jbyteArray before = jni.NewByteArray(size);
    if (before == nullptr)
        return nullptr;
    jni.SetByteArrayRegion(before, 0, size, reinterpret_cast<const jbyte *>(file));
    const auto changed = static_cast<jbyteArray>(jni.CallStaticObjectMethod(loader, instrument, before));
    return jni.ExceptionCheck() == JNI_TRUE ? nullptr : changed;
}

void give(jvmtiEnv &jvmti, JNIEnv &jni, jbyteArray changed, jint *new_size, unsigned char **new_file)
{
    const jint size = jni.GetArrayLength(changed);
    unsigned char *memory = nullptr;
    if (jvmti.Allocate(size, &memory) != JVMTI_ERROR_NONE)
        return;
    jni.GetByteArrayRegion(changed, 0, size, reinterpret_cast<jbyte *>(memory));
    *new_file = memory;
    *new_size = size;
}

// An exception that was there before is there afterwards.
class no_exceptions {
  public:
    explicit no_exceptions(JNIEnv &jni) : jni_(jni), before_(jni.ExceptionOccurred()) { jni_.ExceptionClear(); }
    ~no_exceptions()
    {
        jni_.ExceptionClear();
        if (before_ != nullptr)
            jni_.Throw(before_);
    }
    no_exceptions(const no_exceptions &) = delete;
    no_exceptions &operator=(const no_exceptions &) = delete;

  private:
    JNIEnv &jni_;
    const jthrowable before_;
};

}  // namespace

void start_hooks(JNIEnv &jni)
{
    probe = define_class(jni, "tare/agent/Probe", Probe_class);
    loader = define_class(jni, "tare/agent/Loader", Loader_class);
    instrument = jni.GetStaticMethodID(loader, "instrument", "([B)[B");
    must(instrument != nullptr, "has other classes of the agent's");
    register_hooks(jni);
    find_platform_loader(jni);
    load_instrumenter(jni);
    calibrate(jni);
}

void JNICALL class_file_loaded(jvmtiEnv *jvmti, JNIEnv *jni, jclass, jobject of, const char *name, jobject, jint size,
                               const unsigned char *file, jint *new_size, unsigned char **new_file)
{
    if (is_instrumenting || of == nullptr || name == nullptr || jni->IsSameObject(of, platform_loader) == JNI_TRUE)
        return;
    const overhead all_of_it;
    is_instrumenting = true;
    {
        const no_exceptions quiet(*jni);
        constexpr jint references = 16;
        if (jni->PushLocalFrame(references) == JNI_OK) {
            if (const jbyteArray changed = with_hooks(*jni, file, size); changed != nullptr)
                give(*jvmti, *jni, changed, new_size, new_file);
            jni->PopLocalFrame(nullptr);
        }
    }
    is_instrumenting = false;
}

}  // namespace tare::java
