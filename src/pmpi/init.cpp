// SPDX-License-Identifier: BSD-3-Clause
// The calls by which MPI begins and ends, and MPI_Pcontrol.
#include "begin.hpp"
#include "constants.hpp"

using namespace tare::pmpi;

namespace {

std::atomic<int> sessions_open{0};
bool world_is_open;

void need_library(const char *function)
{
    if (!bound.load(std::memory_order_acquire) && !bind())
        die("%s was called, but this process has loaded no MPI library", function);
}

// In a process without MPI: code that finds these functions may ask.
bool has_library() { return bound.load(std::memory_order_acquire) || bind(); }

int end_call(call c, entry how, const void *caller, int rc)
{
    if (how != entry::raw)
        leave(c, how, caller);
    return rc;
}

// The program's own time begins behind everything that is done here.
int end_init(call c, entry how, const void *caller, int rc)
{
    if (rc != MPI_SUCCESS || how == entry::raw)
        return end_call(c, how, caller, rc);
    begin_world();
    world_is_open = true;
    leave(c, how, caller);
    tare_measure_total_begin();
    return rc;
}

}  // namespace

TARE_MPI_EXPORT int MPI_Init(int *argc, char ***argv)
{
    need_library("MPI_Init");
    prepare_settings();
    const entry how = enter(call::Init, __builtin_return_address(0));
    return end_init(call::Init, how, __builtin_return_address(0), real.Init(argc, argv));
}
TARE_MPI_ALIAS(MPI_Init);

TARE_MPI_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    need_library("MPI_Init_thread");
    prepare_settings();
    const entry how = enter(call::Init_thread, __builtin_return_address(0));
    const int rc = real.Init_thread(argc, argv, required, provided);
    return end_init(call::Init_thread, how, __builtin_return_address(0), rc);
}
TARE_MPI_ALIAS(MPI_Init_thread);

TARE_MPI_EXPORT int MPI_Finalize(void)
{
    tare_measure_total_end();
    const entry how = enter(call::Finalize, __builtin_return_address(0));
    if (how == entry::raw)
        return real.Finalize();
    world_is_open = false;
    if (sessions_open == 0)
        end_world();
    const int rc = real.Finalize();
    return end_call(call::Finalize, how, __builtin_return_address(0), rc);
}
TARE_MPI_ALIAS(MPI_Finalize);

#if MPI_VERSION >= 4
TARE_MPI_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    need_library("MPI_Session_init");
    prepare_settings();
    const entry how = enter(call::Session_init, __builtin_return_address(0));
    const int rc = real.Session_init(info, errhandler, session);
    if (rc == MPI_SUCCESS && how != entry::raw) {
        sessions_open++;
        begin_session(*session);
    }
    return end_call(call::Session_init, how, __builtin_return_address(0), rc);
}
TARE_MPI_ALIAS(MPI_Session_init);

TARE_MPI_EXPORT int MPI_Session_finalize(MPI_Session *session)
{
    const entry how = enter(call::Session_finalize, __builtin_return_address(0));
    if (how != entry::raw && --sessions_open == 0 && !world_is_open)
        end_layer();
    const int rc = real.Session_finalize(session);
    return end_call(call::Session_finalize, how, __builtin_return_address(0), rc);
}
TARE_MPI_ALIAS(MPI_Session_finalize);
#endif

// These two may be called in a process that has no MPI, by code that finds them there.
TARE_MPI_EXPORT int MPI_Initialized(int *flag)
{
    if (!has_library()) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    const entry how = enter(call::Initialized, __builtin_return_address(0));
    const int rc = real.Initialized(flag);
    return end_call(call::Initialized, how, __builtin_return_address(0), rc);
}
TARE_MPI_ALIAS(MPI_Initialized);

TARE_MPI_EXPORT int MPI_Finalized(int *flag)
{
    if (!has_library()) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    const entry how = enter(call::Finalized, __builtin_return_address(0));
    const int rc = real.Finalized(flag);
    return end_call(call::Finalized, how, __builtin_return_address(0), rc);
}
TARE_MPI_ALIAS(MPI_Finalized);

// The profile first: the launcher may kill this process before MPI_Abort returns.
TARE_MPI_EXPORT int MPI_Abort(MPI_Comm comm, int errorcode)
{
    const entry how = enter(call::Abort, __builtin_return_address(0));
    if (how == entry::raw)
        return real.Abort(comm, errorcode);
    tare_measure_finalizing();
    const int rc = real.Abort(comm, errorcode);
    return end_call(call::Abort, how, __builtin_return_address(0), rc);
}
TARE_MPI_ALIAS(MPI_Abort);

// 0 pauses measuring, 1 resumes it, 2 writes the profile as it is now, as the MPI standard has it; 3 is our own and
// calibrates again; other levels mean nothing here.
TARE_MPI_EXPORT int MPI_Pcontrol(const int level, ...)
{
    if (level == 0 || level == 1)
        tare_measure_pause(level == 0);
    else if (level == 2)
        tare_flush();
    else if (level == 3)
        calibrate_again(world_is_open || sessions_open > 0);
    return MPI_SUCCESS;
}
TARE_MPI_ALIAS(MPI_Pcontrol);
