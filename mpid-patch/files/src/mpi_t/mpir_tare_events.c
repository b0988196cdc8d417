/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* What happens in the core, for tools that want to be told by MPI_T. Part of mpir_tare_variables.c.
 *
 * Callbacks run in the thread that it happens to, several at a time, and must not call MPI: MPI_T_CB_REQUIRE_THREAD_SAFE.
 * Nobody locks for them: handles that are freed stay until the end, because another thread may be at one. */

static int tare_stamp_index = -1, tare_wait_index = -1;
static int tare_stamp_is_heard, tare_wait_is_heard;

static void tare_tell_stamp(const tare_stamp_event_t * event)
{
    MPIR_T_event_instance(tare_stamp_index, MPI_T_CB_REQUIRE_THREAD_SAFE, (void *) event);
}

static void tare_tell_wait(const tare_wait_event_t * event)
{
    MPIR_T_event_instance(tare_wait_index, MPI_T_CB_REQUIRE_THREAD_SAFE, (void *) event);
}

static const tare_listener_t tare_listeners[4] = {
    {NULL, NULL}, {tare_tell_stamp, NULL}, {NULL, tare_tell_wait}, {tare_tell_stamp, tare_tell_wait}
};

/* Somebody has a handle for this event, or nobody any more. */
void MPIR_Tare_listen(int event_index, bool is_heard)
{
    if (event_index == tare_stamp_index)
        tare_stamp_is_heard = is_heard;
    else if (event_index == tare_wait_index)
        tare_wait_is_heard = is_heard;
    else
        return;
    int heard = tare_stamp_is_heard | tare_wait_is_heard << 1;
    tare_core_listen(heard ? &tare_listeners[heard] : NULL);
}

typedef struct tare_freed_handle {
    struct tare_freed_handle *next;
    MPI_T_event_registration handle;
} tare_freed_handle_t;

static tare_freed_handle_t *tare_freed_handles;

/* Called by one thread at a time. Out of the list already, but it still leads to the next. */
void MPIR_Tare_free_handle(MPI_T_event_registration handle)
{
    tare_freed_handle_t *freed = MPL_malloc(sizeof(*freed), MPL_MEM_MPIT);

    memset(handle->callbacks, 0, sizeof(handle->callbacks));
    handle->dropped_cb = NULL;
    if (freed == NULL)
        return;
    freed->handle = handle;
    freed->next = tare_freed_handles;
    tare_freed_handles = freed;
}

/* MPI_T ends. */
void MPIR_Tare_stop_telling(void)
{
    tare_core_listen(NULL);
    tare_stamp_is_heard = tare_wait_is_heard = 0;
    while (tare_freed_handles != NULL) {
        tare_freed_handle_t *freed = tare_freed_handles;
        tare_freed_handles = freed->next;
        MPL_free(freed->handle);
        MPL_free(freed);
    }
}

static MPI_Count tare_timestamp(void)
{
    return (MPI_Count) tare_core_now_ns();
}

/* Eight bytes each, one behind the other. */
static void tare_register_event(int source, const char *name, const MPI_Datatype types[], int count, const char *what,
                                int *index)
{
    MPI_Datatype each[10];
    MPI_Aint places[10];

    MPIR_Assert(count <= 10);
    for (int i = 0; i < count; i++) {
        each[i] = types[i];
        places[i] = 8 * i;
    }
    MPIR_T_register_event(source, name, MPI_T_VERBOSITY_USER_DETAIL, each, places, count, what,
                          MPI_T_BIND_NO_OBJECT, TARE_CATEGORY, index);
}

_Static_assert(sizeof(tare_stamp_event_t) == 4 * 8 && sizeof(tare_wait_event_t) == 10 * 8,
               "the elements of an event are found by their places");

static void tare_register_events(void)
{
    static const MPI_Datatype stamp[] = { MPI_INT64_T, MPI_INT64_T, MPI_UINT64_T, MPI_UINT64_T };
    static const MPI_Datatype wait[] = { MPI_INT64_T, MPI_INT64_T, MPI_INT64_T, MPI_INT64_T, MPI_INT64_T, MPI_INT64_T,
        MPI_INT64_T, MPI_INT64_T, MPI_UINT64_T, MPI_UINT64_T
    };
    int source = -1;

    MPIR_T_register_source("tare", "Tare's compensation core: CLOCK_MONOTONIC", MPI_T_SOURCE_UNORDERED,
                           tare_timestamp, 1000000000, INT64_MAX, &source);
    tare_register_event(source, "tare_stamp_arrived", stamp, 4,
                        "A stamp has arrived: the sender's delay in ns, when it "
                        "was sent (0: not known), the sender (context << 32 | rank), the class of its size.",
                        &tare_stamp_index);
    tare_register_event(source, "tare_wait_adjusted", wait, 10,
                        "A wait has changed the delay: when it began and "
                        "ended, the delay at its begin and at its end, the least and the most that this may be; all in "
                        "ns; and the four elements of the stamp that has changed it.", &tare_wait_index);
}
