/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_TARE_PORT_H_INCLUDED
#define MPIR_TARE_PORT_H_INCLUDED

/* Jobs that meet (MPI_Comm_connect and accept, spawned processes) must agree as the processes of one do: the name of a
 * port says what its job agreed on, and who connects compares. While delay is carried the address has another key, so
 * that an MPICH without Tare does not find it and gives up: a job that waits in MPI_Comm_accept goes on waiting.
 * Included by ch4_spawn.c and ch4_proc.c. Without HAVE_TARE all of it vanishes. */

#ifdef HAVE_TARE

#define MPIR_TARE_PORT_ADDRESS_KEY (tare_global.carry ? "tare-connentry" : "connentry")

/* Adds to a port's name; as MPL_str_add_string_arg. */
int MPIR_Tare_port_add(char **name, int *len);
/* True, and a sentence: the port is of a job that this one cannot talk to. */
int MPIR_Tare_port_is_foreign(const char *name);
/* How stamps are laid out on the network of the job that has spawned this one (MPIR_Tare_set_path). False: none has. */
#define MPIR_TARE_PATH 64
bool MPIR_Tare_parents_path(char path[MPIR_TARE_PATH]);
/* Addresses of processes of another job have come; who meets them asks before it does how many there were. */
#define MPIR_Tare_new_strangers() ((void) tare_clock.strangers++)
#define MPIR_Tare_strangers() ((int) tare_clock.strangers)
/* They have met: collective over both. */
int MPIR_Tare_meet(MPIR_Comm * both, int strangers);

#else /* !HAVE_TARE */

#define MPIR_TARE_PORT_ADDRESS_KEY "connentry"
#define MPIR_Tare_port_add(name, len) 0
#define MPIR_Tare_port_is_foreign(name) 0
#define MPIR_Tare_new_strangers()
#define MPIR_Tare_strangers() 0
#define MPIR_Tare_meet(both, strangers) ((void) (strangers), MPI_SUCCESS)

#endif /* HAVE_TARE */

#endif /* MPIR_TARE_PORT_H_INCLUDED */
