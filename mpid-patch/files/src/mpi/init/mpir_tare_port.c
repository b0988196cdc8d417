/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The hooks of mpir_tare_port.h. Included by mpir_tare_init.c. */

#include "mpir_tare_port.h"

#define TARE_PORT_KEY "tare"

/* Where nothing is carried, names and messages are those of any MPICH. */
int MPIR_Tare_port_add(char **name, int *len)
{
    char text[128];

    if (!tare_global.carry)
        return 0;
    tare_describe(text, sizeof(text));
    return MPL_str_add_string_arg(name, len, TARE_PORT_KEY, text);
}

int MPIR_Tare_port_is_foreign(const char *name)
{
    char mine[128] = "", theirs[128] = "";

    if (tare_global.carry)
        tare_describe(mine, sizeof(mine));
    if (MPL_str_get_string_arg(name, TARE_PORT_KEY, theirs, sizeof(theirs)) != MPL_SUCCESS)
        theirs[0] = '\0';
    if (strcmp(mine, theirs) == 0)
        return 0;
    fprintf(stderr, "tare: rank %d runs %s, but the port is of a job that runs %s: they must be the same\n",
            MPIR_Process.rank, mine[0] ? mine : "without TARE_MODE=header",
            theirs[0] ? theirs : "without TARE_MODE=header");
    return 1;
}

bool MPIR_Tare_parents_path(char path[MPIR_TARE_PATH])
{
    char port[MPI_MAX_PORT_NAME], text[128];

    if (!MPIR_Process.has_parent ||
        MPIR_pmi_kvs_get(-1, MPIDI_PARENT_PORT_KVSKEY, port, MPI_MAX_PORT_NAME) != MPI_SUCCESS ||
        MPL_str_get_string_arg(port, TARE_PORT_KEY, text, sizeof(text)) != MPL_SUCCESS)
        return false;
    /* As tare_describe has it. */
    return sscanf(text, "wire-%*d/layout-%*d/%63[^+/]", path) == 1;
}
