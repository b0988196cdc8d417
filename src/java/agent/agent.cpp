// SPDX-License-Identifier: BSD-3-Clause
// libtare-jvmti: an agent of the Java virtual machine, which tells libtare what its threads do and are called.
//
// Threads are named by events. While garbage is collected no function of JVMTI or JNI may be called: libtare's may,
// and the thread that collects has a record like any other.
#include "agent.hpp"

#include "names.hpp"
#include "options.hpp"

#include <cstdio>
#include <unistd.h>
#include <vector>

namespace tare::java {
namespace {

agent_options options;
tare_region_t *collection = nullptr;

// A thread is named once: the main thread, when all is done, waits for the others under another name.
__thread bool is_named = false;

void name_thread(jvmtiEnv &jvmti, JNIEnv &jni, jthread thread)
{
    jvmtiThreadInfo info{};
    if (jvmti.GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE)
        return;
    tare_measure_name_thread(from_java(info.name).c_str());
    jvmti.Deallocate(reinterpret_cast<unsigned char *>(info.name));
    jni.DeleteLocalRef(info.thread_group);
    jni.DeleteLocalRef(info.context_class_loader);
}

void JNICALL thread_started(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    if (!is_named)
        name_thread(*jvmti, *jni, thread);
}

// The program may have given it a name meanwhile.
void JNICALL thread_ends(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    if (!is_named)
        name_thread(*jvmti, *jni, thread);
    is_named = true;
}

void JNICALL collection_begins(jvmtiEnv *)
{
    if (!is_named)
        tare_measure_name_thread("garbage collection");
    is_named = true;
    tare_enter(collection);
}

void JNICALL collection_ends(jvmtiEnv *) { tare_leave(collection); }

void listen(jvmtiEnv &jvmti, jvmtiEvent event)
{
    must(jvmti.SetEventNotificationMode(JVMTI_ENABLE, event, nullptr) == JVMTI_ERROR_NONE, "tells no event");
}

std::vector<jvmtiEvent> events_of(const agent_options &wanted)
{
    std::vector<jvmtiEvent> events = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END};
    if (wanted.gc)
        events.insert(events.end(), {JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH});
    if (wanted.methods == methods_by::events)
        events.insert(events.end(), {JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_EXIT});
    if (wanted.methods == methods_by::hooks)
        events.push_back(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    return events;
}

// All of it is measurement, and has a region for that. With the first region of the process libtare calibrates
// itself: now, and not while garbage is collected.
void start(jvmtiEnv &jvmti, JNIEnv &jni)
{
    tare_region_t *region = tare_measure_trial_region();
    if (region != nullptr)
        tare_enter(region);
    {
        const overhead all_of_it;
        if (options.methods == methods_by::hooks)
            start_hooks(jni);
        for (const jvmtiEvent event : events_of(options))
            listen(jvmti, event);
    }
    if (region != nullptr)
        tare_leave(region);
}

void JNICALL machine_is_ready(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    name_thread(*jvmti, *jni, thread);
    start(*jvmti, *jni);
}

// What is not asked for costs nothing.
void ask_for_capabilities(jvmtiEnv &jvmti)
{
    jvmtiCapabilities wanted{};
    wanted.can_generate_garbage_collection_events = options.gc;
    wanted.can_generate_method_entry_events = options.methods == methods_by::events;
    wanted.can_generate_method_exit_events = options.methods == methods_by::events;
    must(jvmti.AddCapabilities(&wanted) == JVMTI_ERROR_NONE, "does not have the events that are asked for");
}

void set_callbacks(jvmtiEnv &jvmti)
{
    jvmtiEventCallbacks callbacks{};
    callbacks.VMInit = machine_is_ready;
    callbacks.ThreadStart = thread_started;
    callbacks.ThreadEnd = thread_ends;
    callbacks.GarbageCollectionStart = collection_begins;
    callbacks.GarbageCollectionFinish = collection_ends;
    callbacks.MethodEntry = method_entered;
    callbacks.MethodExit = method_left;
    callbacks.ClassFileLoadHook = class_file_loaded;
    must(jvmti.SetEventCallbacks(&callbacks, sizeof callbacks) == JVMTI_ERROR_NONE, "takes no callbacks");
}

}  // namespace

void end_run(const std::string &sentence)
{
    std::fflush(nullptr);
    std::fprintf(stderr, "tare: %s\n", sentence.c_str());
    _exit(1);
}

void must(bool is_good, const char *what)
{
    if (!is_good)
        end_run(std::string("this Java virtual machine cannot be measured: it ") + what);
}

tare_region_t *region_of_method(const std::string &class_name, const std::string &method,
                                const std::string &descriptor)
{
    if (is_platform(class_name))
        return nullptr;
    const std::string name = from_java(name_of_method(class_name, method, descriptor));
    tare_region_t *region = tare_measure_region(name.c_str(), TARE_GROUP_JAVA);
    return tare_measure_is_excluded(region) ? nullptr : region;
}

}  // namespace tare::java

using namespace tare::java;

// Where nothing is measured the machine runs as without an agent.
extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *machine, char *text, void *)
{
    if (const std::string wrong = read_options(text, options); !wrong.empty())
        end_run(wrong);
    if (!tare_measure_is_on())
        return JNI_OK;
    jvmtiEnv *jvmti = nullptr;
    const jint found = machine->GetEnv(reinterpret_cast<void **>(&jvmti), JVMTI_VERSION_11);
    must(found == JNI_OK, "has no JVMTI of version 11");
    collection = tare_measure_region("garbage collection", TARE_GROUP_JAVA_GC);
    ask_for_capabilities(*jvmti);
    set_callbacks(*jvmti);
    listen(*jvmti, JVMTI_EVENT_VM_INIT);
    return JNI_OK;
}
