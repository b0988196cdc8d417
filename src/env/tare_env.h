/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of Tare: one table says which variables there are, what they may hold and what they mean.
 * `tare info --env` prints it and the man page is made from it.
 *
 * No allocation, no exception, no libstdc++: this is linked into libmpi as well as into libtare and the tool.
 * Strings point into the process's environment or are constant; they stay valid as long as nobody calls setenv.
 * Threads: read once, before threads are started.
 */
#ifndef TARE_ENV_H_INCLUDED
#define TARE_ENV_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tare_overhead_value { TARE_OVERHEAD_MEASURED = 0, TARE_OVERHEAD_CALIBRATED = 1 };
enum tare_ofi_value { TARE_OFI_AUTO = 0, TARE_OFI_NATIVE = 1, TARE_OFI_AM = 2 };
enum tare_clock_value { TARE_CLOCK_COMPENSATED = 0, TARE_CLOCK_MEASURED = 1 };

/* Bits of profile_formats. */
#define TARE_FORMAT_TAU 1u
#define TARE_FORMAT_CUBE 2u
#define TARE_FORMAT_JSON 4u
#define TARE_FORMAT_CSV 8u

/* What the variables say. */
typedef struct tare_settings {
    int mode;                   /* enum tare_mode_value of tare_transport.h */
    int mode_is_set;            /* 0: TARE_MODE is not in the environment */
    int rule;                   /* enum tare_rule_value */
    int ofi;                    /* enum tare_ofi_value */
    int carrier_published;      /* TARE_CARRIER_FORM=published */
    int profile;                /* TARE_PROFILE; -1: not set */
    const char *profile_dir;
    unsigned profile_formats;   /* TARE_FORMAT_* */
    int overhead;               /* enum tare_overhead_value */
    const char *filter;         /* path, or NULL */
    int64_t throttle_calls;     /* 0: no throttling */
    int64_t throttle_ns;
    int callpath_depth;         /* 0: flat profile */
    int trace;
    int trace_clock;            /* enum tare_clock_value */
    const char *signal_name;    /* "USR2", ..., or "none" */
    const char *inject;         /* rules as text, or NULL; parsed by tare_env_inject_next */
    int verbose;                /* 0..2 */
} tare_settings_t;

/* Reads and checks everything. 0: good; -1: a value is not allowed, and `message` holds one sentence without a line
 * end that names the variable, the value and what is allowed. */
int tare_env_read(tare_settings_t * settings, char *message, size_t size);

/* The n-th warning about the environment (a name that begins with TARE_ and means nothing): 1 and one sentence in
 * `message`, or 0 when there are no more. n counts from 0. */
int tare_env_warning(int n, char *message, size_t size);

/* One rule of TARE_INJECT. rank -1: every rank. The region's name is not terminated: use its length. */
typedef struct tare_inject_rule {
    int rank;
    const char *region;
    size_t region_length;
    int64_t ns;
} tare_inject_rule_t;

/* Takes the next rule off *text (start with settings->inject). 1: a rule; 0: no more. */
int tare_env_inject_next(const char **text, tare_inject_rule_t * rule);

/* The table itself, for `tare info --env` and the man page. */
typedef struct tare_env_row {
    const char *name;
    const char *values;         /* what is allowed, the default first */
    const char *meaning;
} tare_env_row_t;

const tare_env_row_t *tare_env_table(size_t * rows);

/* The name of a mode or rule as users write it. */
const char *tare_env_mode_name(int mode);
const char *tare_env_rule_name(int rule);

#ifdef __cplusplus
}
#endif

#endif /* TARE_ENV_H_INCLUDED */
