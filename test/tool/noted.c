/* SPDX-License-Identifier: BSD-3-Clause */
/* noted RANK RANKS RUN [DAMAGE]: a process with notes of MPI calls that it has made up, as the PMPI layer keeps them.
 * It is killed, or waits without end where DAMAGE is "run". Else DAMAGE is what is wrong with what it leaves.
 * The notes are those of test/tool/fixtures/two_ranks/tare-calls.1, in two threads' parts. */
#include "tare_measure.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct site {
    struct site *older;
    const char *function, *module, *symbol;
    uint64_t offset, symbol_offset;
    int64_t calls, sent_bytes, received_bytes, time_ns, least_ns, most_ns, delay_ns, wait_ns, wait_compensated_ns;
    int64_t completed, completion_ns, completion_compensated_ns;
} site_t;

typedef struct peer {
    struct peer *older;
    int64_t rank, messages, bytes, least, most;
    double squares;
} peer_t;

typedef struct waiting {
    struct waiting *older;
    const char *function;
    int64_t whom, order, calls, wait_ns, wait_compensated_ns;
} waiting_t;

typedef struct notes {
    site_t *sites;
    peer_t *peers;
    waiting_t *waits;
    struct notes *next;
    int64_t messages[TARE_SIZE_CLASSES], bytes[TARE_SIZE_CLASSES];
} notes_t;

static tare_measure_notes_layout_t layout = {
    .size = sizeof(notes_t),
    .messages = offsetof(notes_t, messages),
    .bytes = offsetof(notes_t, bytes),
    .sites = offsetof(notes_t, sites),
    .next = offsetof(notes_t, next),
    .site_size = sizeof(site_t),
    .site_next = offsetof(site_t, older),
    .function = offsetof(site_t, function),
    .module = offsetof(site_t, module),
    .symbol = offsetof(site_t, symbol),
    .offset = offsetof(site_t, offset),
    .symbol_offset = offsetof(site_t, symbol_offset),
    .calls = offsetof(site_t, calls),
    .sent_bytes = offsetof(site_t, sent_bytes),
    .received_bytes = offsetof(site_t, received_bytes),
    .time = offsetof(site_t, time_ns),
    .least = offsetof(site_t, least_ns),
    .most = offsetof(site_t, most_ns),
    .delay = offsetof(site_t, delay_ns),
    .wait = offsetof(site_t, wait_ns),
    .wait_compensated = offsetof(site_t, wait_compensated_ns),
    .completed = offsetof(site_t, completed),
    .completion = offsetof(site_t, completion_ns),
    .completion_compensated = offsetof(site_t, completion_compensated_ns),
    .peers = offsetof(notes_t, peers),
    .peer_size = sizeof(peer_t),
    .peer_next = offsetof(peer_t, older),
    .peer_rank = offsetof(peer_t, rank),
    .peer_messages = offsetof(peer_t, messages),
    .peer_bytes = offsetof(peer_t, bytes),
    .peer_least = offsetof(peer_t, least),
    .peer_most = offsetof(peer_t, most),
    .peer_squares = offsetof(peer_t, squares),
    .waits = offsetof(notes_t, waits),
    .wait_size = sizeof(waiting_t),
    .wait_next = offsetof(waiting_t, older),
    .wait_function = offsetof(waiting_t, function),
    .wait_whom = offsetof(waiting_t, whom),
    .wait_order = offsetof(waiting_t, order),
    .wait_calls = offsetof(waiting_t, calls),
    .wait_measured = offsetof(waiting_t, wait_ns),
    .wait_without_delay = offsetof(waiting_t, wait_compensated_ns),
};

static const char *damage;

static int has(const char *what)
{
    return strcmp(damage, what) == 0;
}

static const char *copy(const char *text)
{
    return strcpy(tare_measure_note_memory(strlen(text) + 1), text);
}

static site_t *add_site(notes_t *notes, const char *function, const char *symbol, uint64_t within, site_t figures)
{
    site_t *s = tare_measure_note_memory(sizeof *s);
    *s = figures;
    s->function = copy(function);
    s->module = copy("/there/is/no/such/module");
    s->symbol = copy(symbol);
    s->symbol_offset = 0x1000;
    s->offset = s->symbol_offset + within;
    s->older = notes->sites;
    notes->sites = s;
    return s;
}

static void add_peer(notes_t *notes, peer_t figures)
{
    peer_t *p = tare_measure_note_memory(sizeof *p);
    *p = figures;
    p->older = notes->peers;
    notes->peers = p;
}

static void add_waiting(notes_t *notes, const char *function, waiting_t figures)
{
    waiting_t *w = tare_measure_note_memory(sizeof *w);
    *w = figures;
    w->function = copy(function);
    w->older = notes->waits;
    notes->waits = w;
}

/* What went on in the other thread is a part of the barriers, and of the small messages. */
static void add_other_thread(void)
{
    notes_t *other = tare_measure_note_memory(sizeof *other);
    other->messages[6] = 1;
    other->bytes[6] = 32;
    add_peer(other, (peer_t) { .rank = 0, .messages = 1, .bytes = 32, .least = 32, .most = 32, .squares = 1024 });
    add_site(other, "MPI_Barrier()", "main", 0x91, (site_t) { .calls = 1, .time_ns = 500, .least_ns = 500,
             .most_ns = 500, .delay_ns = 100, .wait_ns = 20, .wait_compensated_ns = 10, .completed = 1,
             .completion_ns = 300, .completion_compensated_ns = 200 });
    add_waiting(other, "MPI_Barrier()", (waiting_t) { .whom = TARE_WHOM_ALL, .calls = 1, .wait_ns = 20,
                .wait_compensated_ns = 10 });
    tare_measure_show_notes(other, &layout);
}

static site_t *add_first_thread(notes_t *first)
{
    first->messages[6] = 1;
    first->bytes[6] = 48;
    first->messages[21] = 1;
    first->bytes[21] = 1048576;
    add_peer(first, (peer_t) { .rank = 0, .messages = 2, .bytes = 1048624, .least = 48, .most = 1048576,
             .squares = 1099511630080 });
    add_peer(first, (peer_t) { .rank = 1, .least = INT64_MAX });
    add_site(first, "MPI_Barrier()", "main", 0x91, (site_t) { .calls = 4, .time_ns = 29500, .least_ns = 2000,
             .most_ns = 12000, .delay_ns = 1900, .wait_ns = 3480, .wait_compensated_ns = 2490, .completed = 3,
             .completion_ns = 4000, .completion_compensated_ns = 1000 });
    add_site(first, "MPI_Bcast()", "main", 0x20, (site_t) { .least_ns = INT64_MAX, .most_ns = INT64_MIN });
    add_waiting(first, "MPI_Barrier()", (waiting_t) { .whom = TARE_WHOM_ALL, .calls = 3, .wait_ns = 3480,
                .wait_compensated_ns = 2490 });
    add_waiting(first, "MPI_Bcast()", (waiting_t) { .whom = 1 });
    add_waiting(first, "MPI_Recv()", (waiting_t) { .whom = 0, .calls = 9, .wait_ns = 240000,
                .wait_compensated_ns = 140000 });
    return add_site(first, "MPI_Recv()", "exchange", 0x51, (site_t) { .calls = 10, .received_bytes = 400,
                    .time_ns = 250000, .least_ns = 4000, .most_ns = 100000, .delay_ns = 100000, .wait_ns = 240000,
                    .wait_compensated_ns = 140000 });
}

/* So often that the file has no room for so many. */
static void show_one_list_often(notes_t *n)
{
    for (int i = 0; i < 100; i++)
        add_site(n, "MPI_Bcast()", "main", 0x20, (site_t) { 0 });
    for (int i = 0; i < 100; i++) {
        notes_t *other = tare_measure_note_memory(sizeof *other);
        other->sites = n->sites;
        tare_measure_show_notes(other, &layout);
    }
}

static void do_damage(notes_t *n, site_t *s)
{
    static site_t elsewhere;
    if (has("circle of sites")) s->older->older = s;
    if (has("circle of threads")) n->next = n;
    if (has("site elsewhere")) s->older = &elsewhere;
    if (has("thread elsewhere")) n->next = (notes_t *) &elsewhere;
    if (has("one list for all")) show_one_list_often(n);
    if (has("no function")) s->function = NULL;
    if (has("no module")) s->module = NULL;
    if (has("no symbol")) s->symbol = NULL;
    if (has("calls below none")) s->calls = -1;
    if (has("bytes below none")) s->received_bytes = -1;
    if (has("messages below none")) n->messages[3] = -1;
    if (has("too much")) s->time_ns = INT64_MAX;
    if (has("too little")) s->wait_ns = INT64_MIN;
    if (has("too many bytes")) n->bytes[5] = INT64_MAX;
    if (has("too much together")) s->older->older->time_ns = n->next->sites->time_ns = ((int64_t) 1 << 58) - 1;
    if (has("circle of peers")) n->peers->older->older = n->peers;
    if (has("peer elsewhere")) n->peers->older = (peer_t *) &elsewhere;
    if (has("no such rank")) n->peers->rank = (int64_t) 1 << 40, n->peers->messages = 1;
    if (has("peer's bytes below none")) n->peers->older->bytes = -1;
    if (has("circle of waits")) n->waits->older->older->older = n->waits;
    if (has("wait elsewhere")) n->waits->older = (waiting_t *) &elsewhere;
    if (has("nobody awaited")) n->waits->whom = TARE_WHOM_UNKNOWN - 1;
    if (has("no such rank awaited")) n->waits->whom = (int64_t) 1 << 40;
    if (has("no function awaits")) n->waits->function = NULL;
    if (has("no such order")) n->waits->order = TARE_ORDERS;
    if (has("order below none")) n->waits->order = -1;
    if (has("waiting calls below none")) n->waits->calls = -1;
    if (has("too long a wait")) n->waits->wait_ns = INT64_MAX;
    if (has("least above most")) s->least_ns = s->most_ns + 1;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    damage = argc > 4 ? argv[4] : "";
    tare_measure_initialized(atoi(argv[1]), atoi(argv[2]), argv[3]);
    tare_region_t *work = tare_region("work");
    tare_enter(work);
    tare_leave(work);
    if (!has("nothing noted")) {
        if (has("layout"))
            layout.wait_compensated = sizeof(site_t);
        if (has("layout of waits"))
            layout.wait_whom = sizeof(waiting_t);
        if (has("layout of orders"))
            layout.wait_order = sizeof(waiting_t);
        add_other_thread();
        notes_t *first = tare_measure_note_memory(sizeof *first);
        site_t *latest = add_first_thread(first);
        tare_measure_show_notes(first, &layout);
        do_damage(first, latest);
    }
    if (has("run")) {
        puts("here");
        fflush(stdout);
        for (;;)
            pause();
    }
    raise(SIGKILL);
    return 0;
}
