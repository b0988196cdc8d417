/* SPDX-License-Identifier: BSD-3-Clause */
/* An event of a trace, as threads record it. Units: nanoseconds. */
#ifndef TARE_TRACE_EVENT_H_INCLUDED
#define TARE_TRACE_EVENT_H_INCLUDED

#include <stdint.h>

/* END leaves all regions of the thread that are open. */
enum tare_trace_kind { TARE_TRACE_ENTER = 0, TARE_TRACE_LEAVE = 1, TARE_TRACE_END = 2 };

typedef struct tare_trace_event {
    int64_t time_ns;            /* CLOCK_MONOTONIC */
    int64_t delay_ns;           /* the thread's, then: compensated = time - delay */
    uint32_t region;            /* of ENTER: its number in the process */
    uint32_t kind;              /* enum tare_trace_kind */
} tare_trace_event_t;

#endif
