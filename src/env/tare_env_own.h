/* SPDX-License-Identifier: BSD-3-Clause */
/* What the environment says to libtare alone, and what the tool tells of the table. MPICH is built with tare_env.h, so
 * what stands here is no part of its build. The variables are rows of the one table in env.cpp; tare_env_read has
 * checked them.
 */
#ifndef TARE_ENV_OWN_H_INCLUDED
#define TARE_ENV_OWN_H_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rest of a row of tare_env_table. Everybody checks every variable; the readers are those who act on it. */
typedef struct tare_env_more {
    const char *preset;         /* what holds where the variable is not set */
    const char *unit;           /* of the numbers in the value; NULL: there are none */
    const char *readers;        /* libmpi (the patched MPICH), libtare, libtare-mpi, tare COMMAND; or none */
} tare_env_more_t;

/* NULL where the table has no such row. */
const tare_env_more_t *tare_env_more(size_t row);

/* TARE_REPEAT_PROBES, 0 to 9; 0 also where it holds what is not allowed. */
int tare_env_repeat_probes(void);

/* TARE_TRACE_RECORDS, bits; 0 also where it holds what is not allowed. */
#define TARE_RECORD_SITES 1u
#define TARE_RECORD_BUFFERS 2u
#define TARE_RECORD_DATA 4u
#define TARE_RECORD_CONTENTS 8u
#define TARE_RECORD_COUNTERS 16u
#define TARE_RECORD_PAGES 32u
#define TARE_RECORD_HEAP 64u
#define TARE_RECORD_STACK 128u
#define TARE_RECORD_USES 256u
#define TARE_RECORD_THREADS 512u
unsigned tare_env_trace_records(void);

/* Of a sentence that quotes what a variable holds: it stays on its line. */
void tare_env_make_readable(char *message);

enum tare_access_value { TARE_ACCESS_OWNER = 0, TARE_ACCESS_GROUP = 1, TARE_ACCESS_ALL = 2 };

/* TARE_FILE_ACCESS, enum tare_access_value; the owner also where it holds what is not allowed. */
int tare_env_file_access(void);

#ifdef __cplusplus
}
#endif

#endif /* TARE_ENV_OWN_H_INCLUDED */
