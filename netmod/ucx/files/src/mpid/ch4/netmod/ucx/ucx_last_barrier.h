/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef UCX_LAST_BARRIER_H_INCLUDED
#define UCX_LAST_BARRIER_H_INCLUDED

/* The barrier before the workers go. It blocks in the process manager, but another process may not have disconnected
 * yet, and over TCP it cannot without this one's progress. So a thread waits, and this one goes on polling. Included by
 * ucx_init.c. */

#include <pthread.h>
#include <sched.h>

typedef struct MPIDI_UCX_last_barrier {
    int mpi_errno;
    MPL_atomic_int_t is_over;
} MPIDI_UCX_last_barrier_t;

static void *MPIDI_UCX_wait_in_barrier(void *barrier_)
{
    MPIDI_UCX_last_barrier_t *barrier = barrier_;
    barrier->mpi_errno = MPIR_pmi_barrier();
    MPL_atomic_release_store_int(&barrier->is_over, 1);
    return NULL;
}

static int MPIDI_UCX_last_barrier(void)
{
    pthread_t thread;
    MPIDI_UCX_last_barrier_t barrier = {.mpi_errno = MPI_SUCCESS };

    MPL_atomic_store_int(&barrier.is_over, 0);
    if (pthread_create(&thread, NULL, MPIDI_UCX_wait_in_barrier, &barrier) != 0)
        return MPIR_pmi_barrier();
    while (!MPL_atomic_acquire_load_int(&barrier.is_over)) {
        for (int i = 0; i < MPIDI_UCX_global.num_vnis; i++)
            ucp_worker_progress(MPIDI_UCX_global.ctx[i].worker);
        sched_yield();
    }
    pthread_join(thread, NULL);
    return barrier.mpi_errno;
}

#endif /* UCX_LAST_BARRIER_H_INCLUDED */
