/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Start of the compensation core in MPI_Init. Included by mpir_init.c, so that no Makefile changes. */

#include "tare_env.h"
#include "mpir_pmi.h"
#include "mpir_tare_variables.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where stamps are, in every packet, and what jobs say when they meet: increase when that changes. */
#define TARE_LAYOUT 7

/* What tools look for. */
extern MPICH_API_PUBLIC const tare_transport_v1_table_t tare_transport_v1;
const tare_transport_v1_table_t tare_transport_v1 = TARE_TRANSPORT_TABLE(1);

static tare_settings_t tare_settings;
static char tare_refusal[512];
static char tare_path[64] = "shm";
char MPIR_Tare_mode_name[MPIR_TARE_MODE_NAME_SZ] = "off";

const struct tare_settings *MPIR_Tare_settings(void)
{
    return &tare_settings;
}

void MPIR_Tare_set_path(const char *name)
{
    MPL_strncpy(tare_path, name, sizeof(tare_path));
}

void MPIR_Tare_refuse(const char *why)
{
    MPL_strncpy(tare_refusal, why, sizeof(tare_refusal));
}

static void tare_mute_messages(MPIR_Comm * comm, int value)
{
    comm->tare = value ? comm->tare | MPIR_TARE_MUTED : comm->tare & ~MPIR_TARE_MUTED;
}

/* MPICH's own communicators of nodes and groups were made with it, and have its messages. */
static int tare_mute(MPIR_Comm * comm, int key, int value)
{
    comm->hints[key] = value;
    tare_mute_messages(comm, value);
    if (comm->node_comm)
        tare_mute_messages(comm->node_comm, value);
    if (comm->node_roots_comm)
        tare_mute_messages(comm->node_roots_comm, value);
    if (comm->local_comm)
        tare_mute(comm->local_comm, key, value);
    return MPI_SUCCESS;
}

void MPIR_Tare_register_mute(void)
{
    MPIR_Comm_register_hint(MPIR_COMM_HINT_TARE_MUTE, MPIR_TARE_MUTE_KEY, tare_mute, MPIR_COMM_HINT_TYPE_BOOL, 0, 0);
}

/* The process manager is told that this process ends by itself: no banner hides the sentence. */
static void tare_leave(void)
{
    MPIR_pmi_finalize();
    exit(1);
}

static int tare_needs_layer(int mode)
{
    return mode == TARE_MODE_DATATYPE || mode == TARE_MODE_MESSAGE || mode == TARE_MODE_COPY;
}

void MPIR_Tare_configure(void)
{
    if (tare_env_read(&tare_settings, tare_refusal, sizeof(tare_refusal)) != 0)
        return;
    tare_refusal[0] = '\0';
    int mode = tare_settings.mode;
    if (tare_needs_layer(mode) && !(tare_global.layers & TARE_LAYER_PMPI)) {
        snprintf(tare_refusal, sizeof(tare_refusal), "TARE_MODE=%s needs the PMPI layer: "
                 "run under tare exec, or link -ltare-mpi", tare_env_mode_name(mode));
        return;
    }
    tare_core_configure(mode, tare_settings.rule, mode == TARE_MODE_HEADER);
    MPIR_Tare_number_messages(mode == TARE_MODE_HEADER && tare_settings.trace);
    MPL_strncpy(MPIR_Tare_mode_name, tare_env_mode_name(mode), sizeof(MPIR_Tare_mode_name));
}

/* What must be the same in all processes. One word: simple PMI knows no quotes. */
static void tare_describe(char *text, int size)
{
    const char *path = tare_settings.mode == TARE_MODE_HEADER ? tare_path : "none";
    const char *numbers = tare_global.numbered ? "+threads" : "";
    MPL_snprintf(text, size, "wire-%d/layout-%d/%s%s/%s/%s", TARE_WIRE_VERSION, TARE_LAYOUT, path, numbers,
                 tare_env_mode_name(tare_settings.mode), tare_env_rule_name(tare_settings.rule));
}

static void tare_warn(void)
{
    char text[512];
    for (int i = 0; tare_env_warning(i, text, sizeof(text)); i++)
        fprintf(stderr, "tare: %s\n", text);
    if (tare_settings.verbose >= 1) {
        tare_describe(text, sizeof(text));
        fprintf(stderr, "tare: MPICH %s, %s\n", MPII_Version_string, text);
    }
}

void MPIR_Tare_announce(void)
{
    char key[32], text[128];
    int rank = MPIR_Process.rank;

    if (tare_refusal[0] != '\0') {
        if (rank == 0)
            fprintf(stderr, "tare: %s\n", tare_refusal);
        MPIR_pmi_barrier();     /* nobody is left waiting in it, and rank 0 has spoken */
        tare_leave();
    }
    if (rank == 0)
        tare_warn();
    tare_describe(text, sizeof(text));
    MPL_snprintf(key, sizeof(key), "tare-%d", rank);
    MPIR_pmi_kvs_put(key, text);
}

/* Each process looks at its left neighbour: any mix is seen by somebody. */
void MPIR_Tare_agree(void)
{
    char key[32], mine[128], theirs[128] = "";
    int rank = MPIR_Process.rank, size = MPIR_Process.size;
    int left = (rank + size - 1) % size;

    /* A tool's time stamp of MPI_Init is old by now: starting the device is work, not waiting. */
    tare_self.event_source = TARE_EVENT_NONE;
    if (size == 1)
        return;
    tare_describe(mine, sizeof(mine));
    MPL_snprintf(key, sizeof(key), "tare-%d", left);
    MPIR_pmi_kvs_get(left, key, theirs, sizeof(theirs));
    if (strcmp(mine, theirs) == 0)
        return;
    /* Round the ring every mix has a second place: rank 0 leaves the word to the other, unless that one has no Tare. */
    if (rank != 0 || theirs[0] == '\0') {
        fprintf(stderr, "tare: rank %d runs %s, but rank %d runs %s: they must be the same\n", rank, mine, left,
                theirs[0] ? theirs : "an MPICH without Tare");
        usleep(200000); /* the process manager may drop what was said just before an abort */
    } else {
        usleep(1000000);
    }
    MPIR_pmi_abort(1, "tare");
}

#include "mpir_tare_clock.c"
#include "mpir_tare_port.c"
