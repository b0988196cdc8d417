/* SPDX-License-Identifier: BSD-3-Clause */
/* delays carried|stays NAME...: whether each receive joins the delay of its own sender; `delays list` names the ways
 * to send and receive.
 *
 * Two messages are in flight at once, sent with different delays, and the receiver completes the second one first. A
 * message tells when it was sent and with which delay D_s. The receiver has a far larger delay, so after the event E
 * its delay must be D_s + (E - sent) by rule (R): by what is on the wire, whatever the machine did meanwhile. With
 * `stays` it must be what it was. Two ranks.
 */
#include "tare_measure.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS INT64_C(1000000)
static const int64_t receivers_ns = 2000 * MS, tolerance_ns = 50 * MS;
static const int64_t senders_ns[2] = { 400 * MS, 100 * MS };

typedef struct letter {
    int64_t sent_ns, delay_ns;
    int which;
    char rest[300000];          /* sent only in large letters */
} letter_t;
enum { small_bytes = offsetof(letter_t, rest), answer_tag = 9 };

typedef enum { s_send, s_ssend, s_isend, s_issend, s_rsend, s_bsend, s_ibsend, s_persistent, s_sendrecv, s_replace,
    s_isendrecv, s_large } send_t;
typedef enum { p_nothing, p_irecv, p_wildcard, p_persistent, p_isendrecv } post_t;
typedef enum { c_recv, c_sendrecv, c_replace, c_mrecv, c_imrecv, c_probe, c_any_tag, c_named_first, c_wait, c_test,
    c_waitany, c_testany, c_waitsome, c_testsome, c_waitall, c_testall, c_get_status } complete_t;
typedef enum { on_world, on_dup, on_split, on_intercomm } on_t;

typedef struct way {
    const char *name;
    send_t send;
    post_t post;
    complete_t complete;
    on_t on;
} way_t;

static const way_t ways[] = {
    { "delay_recv", s_send, p_nothing, c_recv, on_world }, { "delay_irecv_wait", s_send, p_irecv, c_wait, on_world },
    { "delay_irecv_test", s_send, p_irecv, c_test, on_world },
    { "delay_waitall", s_send, p_irecv, c_waitall, on_world },
    { "delay_testall", s_send, p_irecv, c_testall, on_world },
    { "delay_waitany", s_send, p_irecv, c_waitany, on_world },
    { "delay_testany", s_send, p_irecv, c_testany, on_world },
    { "delay_waitsome", s_send, p_irecv, c_waitsome, on_world },
    { "delay_testsome", s_send, p_irecv, c_testsome, on_world },
    { "delay_get_status", s_send, p_irecv, c_get_status, on_world },
    { "delay_persistent_recv", s_send, p_persistent, c_wait, on_world },
    { "delay_persistent_waitall", s_persistent, p_persistent, c_waitall, on_world },
    { "delay_persistent_send", s_persistent, p_nothing, c_recv, on_world },
    { "delay_sendrecv", s_sendrecv, p_nothing, c_sendrecv, on_world },
    { "delay_sendrecv_replace", s_replace, p_nothing, c_replace, on_world },
    { "delay_mrecv", s_send, p_nothing, c_mrecv, on_world },
    { "delay_imrecv", s_send, p_nothing, c_imrecv, on_world },
    { "delay_probe_recv", s_send, p_nothing, c_probe, on_world },
    { "delay_any_tag", s_send, p_nothing, c_any_tag, on_world },
    { "delay_any_source_then_named", s_send, p_wildcard, c_named_first, on_world },
    { "delay_any_source_wait", s_send, p_wildcard, c_wait, on_world },
    { "delay_any_source_waitall", s_isend, p_wildcard, c_waitall, on_world },
    { "delay_any_source_test", s_isend, p_wildcard, c_test, on_world },
    { "delay_ssend", s_ssend, p_irecv, c_wait, on_world }, { "delay_isend", s_isend, p_nothing, c_recv, on_world },
    { "delay_issend", s_issend, p_nothing, c_recv, on_world },
    { "delay_rsend", s_rsend, p_irecv, c_wait, on_world }, { "delay_bsend", s_bsend, p_nothing, c_recv, on_world },
    { "delay_ibsend", s_ibsend, p_nothing, c_recv, on_world },
#if MPI_VERSION >= 4
    { "delay_isendrecv", s_isendrecv, p_isendrecv, c_wait, on_world },
#endif
    { "delay_large", s_large, p_irecv, c_wait, on_world },
    { "delay_large_waitall", s_large, p_irecv, c_waitall, on_world },
    { "delay_on_dup", s_send, p_nothing, c_recv, on_dup }, { "delay_on_split", s_send, p_wildcard, c_wait, on_split },
    { "delay_on_intercomm", s_send, p_irecv, c_wait, on_intercomm },
};
enum { way_count = sizeof ways / sizeof *ways };

static int rank, carried, failed, peer;
static const way_t *way;
static const char *turn;
static MPI_Comm comm;
static letter_t out[2], in[2], none;
static MPI_Request requests[2];

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void set_delay(int64_t ns)
{
    tare_measure_core()->test_set_delay(ns);
}

/* --- the sender --- */

static int letter_bytes(void)
{
    return way->send == s_large ? (int) sizeof(letter_t) : small_bytes;
}

/* Wildcards take the letters by their order, the others by their tags. */
static int tag_of(int m)
{
    return way->post == p_wildcard || way->complete == c_any_tag ? 5 : m;
}

static void send_letter(int m, int64_t delay_ns)
{
    const int n = letter_bytes(), tag = tag_of(m);
    letter_t *l = &out[m];
    set_delay(delay_ns);
    l->delay_ns = delay_ns;
    l->which = m;
    l->sent_ns = now_ns();
    requests[m] = MPI_REQUEST_NULL;
    switch (way->send) {
    case s_send: MPI_Send(l, n, MPI_BYTE, peer, tag, comm); break;
    case s_ssend: MPI_Ssend(l, n, MPI_BYTE, peer, tag, comm); break;
    case s_rsend: MPI_Rsend(l, n, MPI_BYTE, peer, tag, comm); break;
    case s_bsend: MPI_Bsend(l, n, MPI_BYTE, peer, tag, comm); break;
    case s_ibsend: MPI_Ibsend(l, n, MPI_BYTE, peer, tag, comm, &requests[m]); break;
    case s_issend: MPI_Issend(l, n, MPI_BYTE, peer, tag, comm, &requests[m]); break;
    case s_isend: MPI_Isend(l, n, MPI_BYTE, peer, tag, comm, &requests[m]); break;
    case s_large:               /* its data leave when the receiver has answered, with the delay of that moment */
        MPI_Isend(l, n, MPI_BYTE, peer, tag, comm, &requests[m]);
        MPI_Wait(&requests[m], MPI_STATUS_IGNORE);
        break;
    case s_sendrecv:
        MPI_Sendrecv(l, n, MPI_BYTE, peer, tag, &none, 1, MPI_BYTE, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
        break;
    case s_replace:
        MPI_Sendrecv_replace(l, n, MPI_BYTE, peer, tag, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
        break;
    case s_isendrecv:
#if MPI_VERSION >= 4
        MPI_Isendrecv(l, n, MPI_BYTE, peer, tag, &in[m], 1, MPI_BYTE, peer, answer_tag, comm, &requests[m]);
#endif
        break;
    case s_persistent:
        MPI_Send_init(l, n, MPI_BYTE, peer, tag, comm, &requests[m]);
        set_delay(delay_ns);
        l->sent_ns = now_ns();
        MPI_Start(&requests[m]);
        break;
    }
}

static void end_sends(void)
{
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int m = 0; m < 2; m++)
        if (requests[m] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[m]);
}

/* --- the receiver --- */

/* The delay after an event that the letters of this list came with: the earliest of what they allow. */
static void check(int n, const int *letters)
{
    const int64_t now = now_ns(), got = tare_delay_ns();
    int64_t want = receivers_ns;
    for (int i = 0; carried && i < n; i++) {
        const letter_t *l = &in[letters[i]];
        const int64_t allows = l->delay_ns + now - l->sent_ns;
        want = allows < want ? allows : want;
        if (l->which != letters[i]) {
            failed = 1;
            printf("FAILED %s: letter %d came for letter %d\n", turn, l->which, letters[i]);
        }
    }
    if (got > want - tolerance_ns && got < want + tolerance_ns)
        return;
    failed = 1;
    printf("FAILED %s: the delay after letter %d is %lld ms, not %lld ms\n", turn, letters[0],
           (long long) (got / MS), (long long) (want / MS));
}

static void check_one(int m)
{
    check(1, &m);
}

static void post_letter(int m)
{
    const int n = sizeof *in, tag = tag_of(m);
    set_delay(receivers_ns);    /* the answer to a large message carries the delay of the post */
    switch (way->post) {
    case p_nothing: requests[m] = MPI_REQUEST_NULL; break;
    case p_irecv: MPI_Irecv(&in[m], n, MPI_BYTE, peer, tag, comm, &requests[m]); break;
    case p_wildcard:            /* the second one only where it does not come by a named receive */
        requests[m] = MPI_REQUEST_NULL;
        if (m == 0 || way->complete != c_named_first)
            MPI_Irecv(&in[m], n, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, &requests[m]);
        break;
    case p_persistent:
        MPI_Recv_init(&in[m], n, MPI_BYTE, peer, tag, comm, &requests[m]);
        MPI_Start(&requests[m]);
        break;
    case p_isendrecv:
#if MPI_VERSION >= 4
        MPI_Isendrecv(&out[m], 1, MPI_BYTE, peer, answer_tag, &in[m], n, MPI_BYTE, peer, tag, comm, &requests[m]);
#endif
        break;
    }
}

static void receive_matched(int m)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Mprobe(peer, tag_of(m), comm, &message, MPI_STATUS_IGNORE);
    if (way->complete == c_mrecv) {
        MPI_Mrecv(&in[m], sizeof *in, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Imrecv(&in[m], sizeof *in, MPI_BYTE, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void complete_one(int m)
{
    const int n = sizeof *in, tag = tag_of(m);
    int flag = 0;
    set_delay(receivers_ns);
    switch (way->complete) {
    case c_recv: MPI_Recv(&in[m], n, MPI_BYTE, peer, tag, comm, MPI_STATUS_IGNORE); break;
    case c_any_tag: MPI_Recv(&in[m], n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE); break;
    case c_probe:
        MPI_Probe(peer, tag, comm, MPI_STATUS_IGNORE);
        MPI_Recv(&in[m], n, MPI_BYTE, peer, tag, comm, MPI_STATUS_IGNORE);
        break;
    case c_sendrecv:
        MPI_Sendrecv(&none, 1, MPI_BYTE, MPI_PROC_NULL, 0, &in[m], n, MPI_BYTE, peer, tag, comm, MPI_STATUS_IGNORE);
        break;
    case c_replace:
        MPI_Sendrecv_replace(&in[m], n, MPI_BYTE, MPI_PROC_NULL, 0, peer, tag, comm, MPI_STATUS_IGNORE);
        break;
    case c_mrecv: case c_imrecv: receive_matched(m); break;
    case c_named_first:
        if (m == 1)
            MPI_Recv(&in[m], n, MPI_BYTE, peer, tag, comm, MPI_STATUS_IGNORE);
        else
            MPI_Wait(&requests[m], MPI_STATUS_IGNORE);
        break;
    case c_test: while (!flag) MPI_Test(&requests[m], &flag, MPI_STATUS_IGNORE); break;
    case c_get_status: while (!flag) MPI_Request_get_status(requests[m], &flag, MPI_STATUS_IGNORE); break;
    default: MPI_Wait(&requests[m], MPI_STATUS_IGNORE);
    }
    check_one(m);
}

/* One or both, as the MPI library likes. */
static int complete_some(void)
{
    int done = 0, flag = 0, letters[2] = { 0, 0 };
    set_delay(receivers_ns);
    switch (way->complete) {
    case c_waitany: MPI_Waitany(2, requests, letters, MPI_STATUS_IGNORE), done = 1; break;
    case c_testany: while (!flag) MPI_Testany(2, requests, letters, &flag, MPI_STATUS_IGNORE); done = 1; break;
    case c_waitsome: MPI_Waitsome(2, requests, &done, letters, MPI_STATUSES_IGNORE); break;
    default: while (!done) MPI_Testsome(2, requests, &done, letters, MPI_STATUSES_IGNORE);
    }
    check(done, letters);
    return done;
}

static void complete_both(void)
{
    const int letters[2] = { 0, 1 };
    int flag = 0;
    set_delay(receivers_ns);
    if (way->complete == c_waitall)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    while (way->complete == c_testall && !flag)
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    check(2, letters);
}

static void complete_letters(void)
{
    switch (way->complete) {
    case c_waitall: case c_testall: complete_both(); break;
    case c_waitany: case c_testany: case c_waitsome: case c_testsome:
        for (int left = 2; left > 0;)
            left -= complete_some();
        break;
    case c_any_tag:
        complete_one(0);
        complete_one(1);
        break;
    default:
        complete_one(1);
        complete_one(0);
    }
    end_sends();        /* frees persistent ones */
}

/* --- both --- */

/* late: the receives are there first; else the messages are. Synchronous and ready sends need the receives first, and
 * large messages arrive only when they are asked for. */
static void exchange(int late, int swap)
{
    if (rank == 1 && late)
        post_letter(0), post_letter(1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        for (int m = 0; m < 2; m++)
            send_letter(m, senders_ns[m ^ swap]);
    if (!late)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && !late)
        post_letter(0), post_letter(1);
    if (rank == 1)
        complete_letters();
    else
        end_sends();
    set_delay(0);
}

static void make_comm(void)
{
    MPI_Comm own;
    peer = 1 - rank;
    switch (way->on) {
    case on_world: comm = MPI_COMM_WORLD; break;
    case on_dup: MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
    case on_split: MPI_Comm_split(MPI_COMM_WORLD, 0, 1 - rank, &comm), peer = rank; break;
    case on_intercomm:
        MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
        MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank, 3, &comm);
        MPI_Comm_free(&own);
        peer = 0;
    }
}

static void run_way(void)
{
    static const char *const turns[4] = { "early", "early, swapped", "late", "late, swapped" };
    static char space[4 * (small_bytes + MPI_BSEND_OVERHEAD)];
    char *detached;
    int size;
    make_comm();
    MPI_Buffer_attach(space, sizeof space);
    const int only_late = way->send == s_ssend || way->send == s_rsend || way->send == s_large;
    for (int i = only_late ? 2 : 0; i < 4; i++) {
        turn = turns[i];
        exchange(i / 2, i % 2);
    }
    MPI_Buffer_detach(&detached, &size);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
}

/* --- two threads on one communicator and tag --- */

enum { thread_letters = 20 };

static void *send_in_thread(void *delay)
{
    letter_t *l = calloc(1, sizeof *l);
    for (int i = 0; i < thread_letters; i++) {
        l->delay_ns = *(const int64_t *) delay + i * 2 * tolerance_ns / 10;
        set_delay(l->delay_ns);
        l->sent_ns = now_ns();
        MPI_Send(l, small_bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    }
    free(l);
    return NULL;
}

static void *receive_in_thread(void *wrong)
{
    letter_t *l = calloc(1, sizeof *l);
    for (int i = 0; i < thread_letters; i++) {
        set_delay(receivers_ns);
        MPI_Recv(l, small_bytes, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const int64_t got = tare_delay_ns(), slack = now_ns() - l->sent_ns;
        const int64_t allows = l->delay_ns + slack < receivers_ns ? l->delay_ns + slack : receivers_ns;
        const int64_t want = carried ? allows : receivers_ns;
        *(int *) wrong += got < want - tolerance_ns || got > want + tolerance_ns;
    }
    free(l);
    return NULL;
}

static void run_threads(void)
{
    pthread_t second;
    int64_t delays[2] = { senders_ns[0], senders_ns[1] };
    int wrong[2] = { 0, 0 };
    if (rank == 0) {
        pthread_create(&second, NULL, send_in_thread, &delays[1]);
        send_in_thread(&delays[0]);
    } else {
        pthread_create(&second, NULL, receive_in_thread, &wrong[1]);
        receive_in_thread(&wrong[0]);
    }
    pthread_join(second, NULL);
    if (wrong[0] + wrong[1] == 0)
        return;
    failed = 1;
    printf("FAILED %d of %d messages gave another delay than their own\n", wrong[0] + wrong[1], 2 * thread_letters);
}

static const char threads_name[] = "delay_two_threads";

static int list_ways(void)
{
    for (int i = 0; i < way_count; i++)
        printf("%s\tthe delay is that of the message itself\n", ways[i].name);
    printf("%s\tthe delay is that of the message itself\n", threads_name);
    return 0;
}

static void run_named(const char *name)
{
    if (rank == 1)
        printf("%s, rank 1:\n", name);
    for (way = ways; way < ways + way_count; way++)
        if (strcmp(way->name, name) == 0) {
            run_way();
            return;
        }
    if (strcmp(name, threads_name) != 0) {
        fprintf(stderr, "delays: no way %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    run_threads();
}

int main(int argc, char **argv)
{
    int level, any_failed = 0;
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list_ways();
    if (argc < 3 || (strcmp(argv[1], "carried") != 0 && strcmp(argv[1], "stays") != 0)) {
        fputs("usage: delays carried|stays NAME...\n", stderr);
        return 2;
    }
    carried = strcmp(argv[1], "carried") == 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_delay(MS);      /* who never had a delay does not carry any */
    for (int i = 2; i < argc; i++) {
        run_named(argv[i]);
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any_failed;
}
