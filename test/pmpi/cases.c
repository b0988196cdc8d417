/* SPDX-License-Identifier: BSD-3-Clause */
/* cases NAME...: runs the named cases one after the other; `cases list` names them and their traps (without MPI). */
#include "cases.h"

#include <stdarg.h>
#include <stdio.h>

int rank, ranks, other;

enum { notes_size = 1 << 16 };
static char notes[notes_size];
static size_t notes_used;
static int failed;

void note(const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const int n = snprintf(notes + notes_used, notes_size - notes_used, "%s\n", line);
    notes_used += (size_t) n;
    if (notes_used >= notes_size) {
        fputs("cases: too many notes\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

void expect(int condition, const char *what, int line)
{
    if (condition)
        return;
    failed = 1;
    note("FAILED line %d: %s", line, what);
}

void skip(const char *reason)
{
    note("SKIPPED: %s", reason);
}

/* A room lies behind its canary, and a second canary behind the room. */
enum { canary_size = 64, untouched_byte = 0xA5, canary_byte = 0x3C };
typedef struct canary {
    struct canary *next;
    size_t size;
    char before[canary_size];
    char bytes[];
} canary_t;
static canary_t *rooms;

void *room(size_t n)
{
    canary_t *c = malloc(sizeof *c + n + canary_size);
    c->next = rooms;
    c->size = n;
    rooms = c;
    memset(c->before, canary_byte, canary_size);
    memset(c->bytes, untouched_byte, n);
    memset(c->bytes + n, canary_byte, canary_size);
    return c->bytes;
}

static int all_are(const char *bytes, size_t n, int byte)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char) bytes[i] != byte)
            return 0;
    return 1;
}

int untouched(const void *room, size_t from)
{
    for (const canary_t *c = rooms; c != NULL; c = c->next)
        if (c->bytes == room)
            return all_are(c->bytes + from, c->size - from, untouched_byte);
    return 0;
}

static void look_at_canaries(void)
{
    while (rooms != NULL) {
        canary_t *c = rooms;
        EXPECT(all_are(c->before, canary_size, canary_byte));
        EXPECT(all_are(c->bytes + c->size, canary_size, canary_byte));
        rooms = c->next;
        free(c);
    }
}

void expect_status(const MPI_Status *status, int source, int tag, MPI_Datatype type, int count, int line)
{
    int got;
    MPI_Get_count(status, type, &got);
    if (status->MPI_SOURCE == source && status->MPI_TAG == tag && got == count)
        return;
    failed = 1;
    note("FAILED line %d: status has source %d tag %d count %d, not %d %d %d", line, status->MPI_SOURCE,
         status->MPI_TAG, got, source, tag, count);
}

void note_status(const char *what, MPI_Status *status, MPI_Datatype type)
{
    int count, elements;
    MPI_Count bytes;
    MPI_Get_count(status, type, &count);
    MPI_Get_elements(status, type, &elements);
    MPI_Get_elements_x(status, MPI_BYTE, &bytes);
    note("%s: count %d elements %d bytes %lld source %d tag %d", what, count, elements, (long long) bytes,
         status->MPI_SOURCE, status->MPI_TAG);
}

unsigned checksum(const void *bytes, size_t n)
{
    unsigned sum = 2166136261u;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const unsigned char *) bytes)[i]) * 16777619u;
    return sum;
}

void fill(void *bytes, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *) bytes)[i] = (unsigned char) (i * 7 + i / 251 + (unsigned) seed * 31);
}

int error_class(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

MPI_Datatype make_three_bytes(void)
{
    MPI_Datatype three, spaced;
    MPI_Type_contiguous(3, MPI_BYTE, &three);
    MPI_Type_create_resized(three, 0, 4, &spaced);
    MPI_Type_commit(&spaced);
    MPI_Type_free(&three);
    return spaced;
}

static const test_case_t *const tables[] = {
    status_cases, shape_cases, call_cases, request_cases, null_cases, error_cases, persistent_cases, buffered_cases,
    order_cases, test_cases, comm_cases, collective_cases
};
enum { table_count = sizeof tables / sizeof *tables };

static const test_case_t *find_case(const char *name)
{
    for (int t = 0; t < table_count; t++)
        for (const test_case_t *c = tables[t]; c->name != NULL; c++)
            if (strcmp(c->name, name) == 0)
                return c;
    return NULL;
}

static void print_notes(const char *name)
{
    char *all = rank == 0 ? malloc((size_t) ranks * notes_size) : NULL;
    MPI_Gather(notes, notes_size, MPI_CHAR, all, notes_size, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++)
        printf("%s, rank %d:\n%s", name, r, all + (size_t) r * notes_size);
    fflush(stdout);
    free(all);
    notes_used = 0;
    notes[0] = 0;
}

static int list_cases(void)
{
    const char *trap = "";
    for (int t = 0; t < table_count; t++)
        for (const test_case_t *c = tables[t]; c->name != NULL; c++) {
            trap = c->trap != NULL ? c->trap : trap;
            printf("%s\t%s\n", c->name, trap);
        }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list_cases();
    int level, any_failed = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    other = 1 - rank;
    for (int i = 1; i < argc; i++) {
        const test_case_t *c = find_case(argv[i]);
        if (c == NULL) {
            fprintf(stderr, "cases: no case %s\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        c->run();
        look_at_canaries();
        print_notes(c->name);
    }
    MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any_failed;
}
