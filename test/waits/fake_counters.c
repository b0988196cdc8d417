/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: a core that counts, for machines that give no counters and for tests that need to know them. A thread has two
 * cycles in each ns on a core, but for what it says itself (fake_stall): stalled cycles, and reads from another node, of
 * which each is a miss. Reading leaves an errno. FAKE_COUNTERS: how many counters the core has places for (default 5); 0: it counts nothing.
 * And a machine of two nodes, on the first of which is every thread: pages are where the program says (fake_node), else
 * they were never touched. FAKE_PAGES=no: the kernel tells nothing of pages. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { places = 8, threads = 64, pieces = 16 };

/* A group is its leader's descriptor, and what each member counts. */
static struct group {
    int leader, count;
    uint64_t events[places];
} groups[threads];
static int group_count;

static __thread uint64_t stalled_ns, remote;

void fake_stall(long ns, long reads);
void fake_stall(long ns, long reads)
{
    stalled_ns += (uint64_t) ns;
    remote += (uint64_t) reads;
}

static struct { const char *start, *end; int node; } nodes[pieces];

void fake_node(const void *start, size_t bytes, int node);
void fake_node(const void *start, size_t bytes, int node)
{
    int i = 0;
    while (nodes[i].start != NULL && nodes[i].start != start)
        i++;
    nodes[i].start = start;
    nodes[i].end = nodes[i].start + bytes;
    nodes[i].node = node;
}

static int node_of(const char *page)
{
    for (int i = 0; i < pieces; i++)
        if (page >= nodes[i].start && page < nodes[i].end)
            return nodes[i].node;
    return -ENOENT;
}

static long tell_nodes(unsigned long count, void **pages, int *node)
{
    const char *told = getenv("FAKE_PAGES");
    if (told) {
        errno = ENOSYS;
        return -1;
    }
    for (unsigned long i = 0; i < count; i++)
        node[i] = node_of(pages[i]);
    errno = EAGAIN;     /* as any call may that has done well */
    return 0;
}

int getcpu(unsigned *core, unsigned *node)
{
    *core = *node = 0;
    return 0;
}

static struct group *group_of(int leader)
{
    for (int i = 0; i < group_count; i++)
        if (groups[i].leader == leader)
            return &groups[i];
    return NULL;
}

static uint64_t value_of(uint64_t event)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    const uint64_t cycles = 2 * ((uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec), stalled = 2 * stalled_ns;
    switch (event) {
    case PERF_COUNT_HW_CPU_CYCLES: return cycles;
    case PERF_COUNT_HW_INSTRUCTIONS: return cycles - stalled;
    case PERF_COUNT_HW_STALLED_CYCLES_BACKEND: return stalled;
    default: return remote;
    }
}

static long open_counter(const struct perf_event_attr *wanted, int leader)
{
    const char *room = getenv("FAKE_COUNTERS");
    struct group *g = leader < 0 ? &groups[__atomic_fetch_add(&group_count, 1, __ATOMIC_SEQ_CST)] : group_of(leader);
    if (room && atoi(room) == 0) {
        errno = ENOENT;
        return -1;
    }
    const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (leader < 0)
        *g = (struct group) { descriptor, 0, { 0 } };
    g->events[g->count++] = wanted->type == PERF_TYPE_HARDWARE ? wanted->config : UINT64_MAX;
    return descriptor;
}

long syscall(long number, ...)
{
    long a[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_perf_event_open)
        return open_counter((const struct perf_event_attr *) a[0], (int) a[3]);
    if (number == SYS_move_pages && a[3] == 0)
        return tell_nodes((unsigned long) a[1], (void **) a[2], (int *) a[4]);
    long (*real) (long, ...) = (long (*)(long, ...)) dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Members that there is no place for: the group is never counted. */
ssize_t read(int descriptor, void *to, size_t size)
{
    struct group *g = group_of(descriptor);
    if (g == NULL || g->count == 0) {
        ssize_t (*real) (int, void *, size_t) = (ssize_t (*)(int, void *, size_t)) dlsym(RTLD_NEXT, "read");
        return real(descriptor, to, size);
    }
    const char *room = getenv("FAKE_COUNTERS");
    uint64_t *value = to;
    const int fits = g->count <= (room ? atoi(room) : 5);
    value[0] = (uint64_t) g->count;
    value[1] = 1000;
    value[2] = fits ? 1000 : 0;
    for (int i = 0; i < g->count; i++)
        value[3 + i] = fits ? value_of(g->events[i]) : 0;
    const ssize_t length = (ssize_t) ((3 + (size_t) g->count) * sizeof *value);
    if (!fits)
        g->count--;     /* it is closed next */
    errno = EAGAIN;     /* as any call may that has done well */
    return length;
}
