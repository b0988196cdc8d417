/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Clocks are compared when MPI starts, once: send times travel on the job's clock, so that what comes early over a
 * network can be placed in time though nobody ever waited for its sender. Included by mpir_tare_init.c.
 *
 * Processes of one kernel and one time namespace share a clock. If all do, nothing else is sent. Else the first of each
 * clock (its keeper) asks another keeper, along a binomial tree, and tells the others of its clock: half the shortest
 * round trip is the error (F. Cristian, Probabilistic clock synchronization, Distributed Computing 3, 1989). */

#include <sys/stat.h>
#include <fcntl.h>

#define TARE_CLOCK_TAG 1
/* So many round trips, or more if all of them were slow: where ranks share cores, most are. */
#define TARE_CLOCK_ROUNDS 64
#define TARE_CLOCK_SLOW_NS 100000
#define TARE_CLOCK_PATIENCE_NS 200000000

/* The number of the clock that all processes have, of this job and of those that it has met; 0: there are several. */
static uint64_t tare_job_clock;

/* What is told of a clock: the job's clock minus it, and by how much that may be wrong. */
typedef struct {
    int64_t to_job_ns;
    int64_t error_ns;
} tare_offset_t;

/* Which process has which clock, sorted by clock. */
typedef struct {
    uint64_t clock;
    int rank;
} tare_holder_t;

/* FNV-1a, 64 bits. */
static uint64_t tare_hash(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *) data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A number for the clock of this process: equal numbers mean one clock. Where the kernel does not tell, each process
 * of a job is thought to have its own. */
static uint64_t tare_clock_number(bool * is_known)
{
    struct stat name_space;
    char boot[64];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, boot, sizeof(boot));
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    if (fd >= 0)
        close(fd);
    *is_known = size > 0 && stat("/proc/self/ns/time", &name_space) == 0;
    if (!*is_known)
        return tare_hash(hash, &MPIR_Process.rank, sizeof(MPIR_Process.rank));
    hash = tare_hash(hash, boot, size);
    return tare_hash(hash, &name_space.st_ino, sizeof(name_space.st_ino));
}

static int tare_compare_holders(const void *a_, const void *b_)
{
    const tare_holder_t *a = a_, *b = b_;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int tare_say(const void *what, MPI_Aint size, int whom)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    return MPIC_Send(what, size, MPI_BYTE, whom, TARE_CLOCK_TAG, MPIR_Process.comm_world, &errflag);
}

static int tare_hear(void *what, MPI_Aint size, int whom)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    return MPIC_Recv(what, size, MPI_BYTE, whom, TARE_CLOCK_TAG, MPIR_Process.comm_world, MPI_STATUS_IGNORE,
                     &errflag);
}

/* Its clock was what it says between question and answer; in the middle, most likely. */
static int tare_ask_clock(int whom, tare_offset_t * own)
{
    int mpi_errno = MPI_SUCCESS;
    int64_t least = INT64_MAX, to_its_ns = 0, begin = tare_core_now_ns(), now = begin;
    tare_offset_t its;

    for (int i = 0; i < TARE_CLOCK_ROUNDS || (least > TARE_CLOCK_SLOW_NS && now < begin + TARE_CLOCK_PATIENCE_NS);
         i++) {
        int64_t theirs, start = tare_core_now_ns();
        mpi_errno = tare_say("?", 1, whom);
        MPIR_ERR_CHECK(mpi_errno);
        mpi_errno = tare_hear(&theirs, sizeof(theirs), whom);
        MPIR_ERR_CHECK(mpi_errno);
        now = tare_core_now_ns();
        if (now - start < least) {
            least = now - start;
            to_its_ns = theirs - (start + least / 2);
        }
    }
    mpi_errno = tare_say(".", 1, whom);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = tare_hear(&its, sizeof(its), whom);
    MPIR_ERR_CHECK(mpi_errno);
    own->to_job_ns = to_its_ns + its.to_job_ns;
    own->error_ns = (least + 1) / 2 + its.error_ns;

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static int tare_tell_clock(int whom, const tare_offset_t * own)
{
    int mpi_errno = MPI_SUCCESS;

    while (true) {
        char question;
        mpi_errno = tare_hear(&question, 1, whom);
        MPIR_ERR_CHECK(mpi_errno);
        if (question == '.')
            break;
        int64_t now = tare_core_now_ns();
        mpi_errno = tare_say(&now, sizeof(now), whom);
        MPIR_ERR_CHECK(mpi_errno);
    }
    mpi_errno = tare_say(own, sizeof(*own), whom);
    MPIR_ERR_CHECK(mpi_errno);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* keepers[0..count - 1]: the first process of each clock. Number i asks i without its lowest bit, then answers. */
static int tare_compare_clocks(const int *keepers, int count, int i, tare_offset_t * own)
{
    int mpi_errno = MPI_SUCCESS;

    if (i > 0) {
        mpi_errno = tare_ask_clock(keepers[i & (i - 1)], own);
        MPIR_ERR_CHECK(mpi_errno);
    }
    for (int bit = 1; i + bit < count && (i & bit) == 0; bit <<= 1) {
        mpi_errno = tare_tell_clock(keepers[i + bit], own);
        MPIR_ERR_CHECK(mpi_errno);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* holders: of all processes, sorted. The keepers compare, then each tells the others of its clock. */
static int tare_find_offset(const tare_holder_t * holders, int *keepers, uint64_t clock, tare_offset_t * own)
{
    int mpi_errno = MPI_SUCCESS;
    int size = MPIR_Process.size, count = 0, mine = 0, first = 0;

    for (int i = 0; i < size; i++) {
        if (i > 0 && holders[i].clock == holders[i - 1].clock)
            continue;
        if (holders[i].clock == clock) {
            mine = count;
            first = i;
        }
        keepers[count++] = holders[i].rank;
    }
    if (keepers[mine] != MPIR_Process.rank)
        return tare_hear(own, sizeof(*own), keepers[mine]);
    mpi_errno = tare_compare_clocks(keepers, count, mine, own);
    MPIR_ERR_CHECK(mpi_errno);
    for (int i = first + 1; i < size && holders[i].clock == clock; i++) {
        mpi_errno = tare_say(own, sizeof(*own), holders[i].rank);
        MPIR_ERR_CHECK(mpi_errno);
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Stamps in shared memory count on one clock. */
static void tare_check_node(const uint64_t * clocks)
{
#ifndef MPIDI_CH4_DIRECT_NETMOD
    int rank = MPIR_Process.rank;
    for (int i = 0; i < rank; i++) {
        if (MPIR_Process.node_map[i] == MPIR_Process.node_map[rank] && clocks[i] != clocks[rank]) {
            fprintf(stderr,
                    "tare: ranks %d and %d share memory but not a clock: start them in one time namespace, or "
                    "set MPIR_CVAR_NOLOCAL=1\n", i, rank);
            usleep(200000);     /* the process manager may drop what was said just before an abort */
            MPIR_pmi_abort(1, "tare");
        }
    }
#endif
}

/* Of several clocks: finds how this one is to the job's, and how well that is known. */
static int tare_meet_clocks(uint64_t clock)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    MPIR_Comm *world = MPIR_Process.comm_world;
    tare_offset_t own = { 0, 0 };
    int size = MPIR_Process.size;
    MPIR_CHKLMEM_DECL(3);
    uint64_t *clocks;
    tare_holder_t *holders;
    int *keepers;
    int64_t greatest_ns;

    MPIR_CHKLMEM_MALLOC(clocks, uint64_t *, size * sizeof(*clocks), mpi_errno, "clocks", MPL_MEM_OTHER);
    MPIR_CHKLMEM_MALLOC(holders, tare_holder_t *, size * sizeof(*holders), mpi_errno, "holders", MPL_MEM_OTHER);
    MPIR_CHKLMEM_MALLOC(keepers, int *, size * sizeof(*keepers), mpi_errno, "keepers", MPL_MEM_OTHER);
    mpi_errno = MPIR_Allgather(&clock, 1, MPI_UINT64_T, clocks, 1, MPI_UINT64_T, world, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    tare_check_node(clocks);
    for (int i = 0; i < size; i++) {
        holders[i].clock = clocks[i];
        holders[i].rank = i;
    }
    qsort(holders, size, sizeof(*holders), tare_compare_holders);
    mpi_errno = tare_find_offset(holders, keepers, clock, &own);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIR_Allreduce(&own.error_ns, &greatest_ns, 1, MPI_INT64_T, MPI_MAX, world, &errflag);
    MPIR_ERR_CHECK(mpi_errno);
    tare_clock.to_job_ns = own.to_job_ns;
    tare_clock.error_ns = 2 * greatest_ns;
    tare_clock.measured_ns = tare_core_now_ns();
    tare_clock.network = TARE_EDGE_SYNCED;

  fn_exit:
    MPIR_CHKLMEM_FREEALL();
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Whether all processes of `comm` have this number. Of an intercommunicator each group hears of the other. */
static int tare_is_everybodys(uint64_t number, MPIR_Comm * comm, bool * is_everybodys)
{
    MPIR_Errflag_t errflag = MPIR_ERR_NONE;
    uint64_t own[2] = { number, ~number }, greatest[2] = { 0, 0 };
    int mpi_errno = MPIR_Allreduce_allcomm_auto(own, greatest, 2, MPI_UINT64_T, MPI_MAX, comm, &errflag);
    /* the least is the complement's greatest */
    *is_everybodys = greatest[0] == own[0] && greatest[1] == own[1];
    return mpi_errno;
}

/* Collective over the processes that were started together. */
int MPIR_Tare_compare_clocks(void)
{
    int mpi_errno = MPI_SUCCESS;
    uint64_t own;
    bool is_known, is_one;

    if (!tare_global.carry || MPIR_Process.comm_world == NULL)
        return MPI_SUCCESS;
    own = tare_clock_number(&is_known);
    mpi_errno = tare_is_everybodys(own, MPIR_Process.comm_world, &is_one);
    MPIR_ERR_CHECK(mpi_errno);
    if (is_one) {
        tare_clock.network = TARE_EDGE_SAME_CLOCK;
        tare_job_clock = is_known ? own : 0;
        return MPI_SUCCESS;
    }
    mpi_errno = tare_meet_clocks(own);
    MPIR_ERR_CHECK(mpi_errno);
    if (tare_settings.verbose >= 1 && MPIR_Process.rank == 0)
        fprintf(stderr, "tare: the processes have several clocks, compared to %.1f us\n", 1e-3 * tare_clock.error_ns);

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* Two jobs have met, as the group at either end of `both`. Jobs that have one clock, the same, go on as one does; others are
 * not compared: what comes over a network from then on has no common time. `strangers`: before they met. */
int MPIR_Tare_meet(MPIR_Comm * both, int strangers)
{
    int mpi_errno = MPI_SUCCESS;
    uint64_t own;
    bool is_one;

    if (!tare_global.carry)
        return MPI_SUCCESS;
    /* of those who know that all whom they know have their clock */
    own = strangers == 0 ? tare_job_clock : 0;
    mpi_errno = tare_is_everybodys(own, both, &is_one);
    MPIR_ERR_CHECK(mpi_errno);
    if (own != 0 && is_one) {
        /* but for what another thread has met */
        tare_clock.strangers = tare_job_clock == 0;
    } else if (tare_clock.strangers != 0) {
        tare_job_clock = 0;
        if (tare_settings.verbose >= 1 && both->rank == 0)
            fprintf(stderr, "tare: this job has met one of other clocks, which are not compared with its own\n");
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
