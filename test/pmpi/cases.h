/* SPDX-License-Identifier: BSD-3-Clause */
/* Small MPI programs whose every observation is printed, so that a run with a carrier can be compared with one
 * without.
 *
 * A case is run by all ranks. It notes what MPI tells it (counts, sources, error classes, bytes of buffers) with
 * note(), and what must be so whatever runs beneath with expect(). Rank 0 prints the notes of all ranks in order.
 */
#ifndef TARE_TEST_CASES_H
#define TARE_TEST_CASES_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

extern int rank, ranks, other;  /* other: the neighbour's rank among two */

/* A message that is too large for its receive. Open MPI 4.1 writes all of one above its eager limit into the room that
 * is too small for it. */
#ifdef OPEN_MPI
enum { too_large = 3000 };
#else
enum { too_large = 400000 };
#endif

void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void expect(int condition, const char *what, int line);
#define EXPECT(condition) expect((condition) != 0, #condition, __LINE__)

/* n bytes for a message, all alike, between canaries. The canaries are looked at when the case is over. */
void *room(size_t n);
/* The bytes of a room from this one on are as they were. */
int untouched(const void *room, size_t from);

/* This MPI library has not what the case needs. */
void skip(const char *reason);

void expect_status(const MPI_Status *status, int source, int tag, MPI_Datatype type, int count, int line);
#define EXPECT_STATUS(...) expect_status(__VA_ARGS__, __LINE__)

/* Count and elements of a status in units of a type, and its source and tag. */
void note_status(const char *what, MPI_Status *status, MPI_Datatype type);
/* A sum over bytes that depends on their order. */
unsigned checksum(const void *bytes, size_t n);
void fill(void *bytes, size_t n, int seed);
int error_class(int code);
/* Three bytes of payload in four bytes of memory. */
MPI_Datatype make_three_bytes(void);

typedef struct test_case {
    const char *name;
    void (*run) (void);
    const char *trap;           /* the same words for all cases of a trap; NULL: as the case before */
} test_case_t;

extern const test_case_t status_cases[], shape_cases[], call_cases[], request_cases[], null_cases[], error_cases[],
    persistent_cases[], buffered_cases[], order_cases[], test_cases[], comm_cases[], collective_cases[];

#endif
