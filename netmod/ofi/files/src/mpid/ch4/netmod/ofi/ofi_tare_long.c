/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* Long sends on a provider that moves their data by RMA reads which the sender's progress answers: the receiver waits
 * until the sender polls, and no message says when that was. So a thread that begins to poll while such sends are under
 * way tells their receivers so, with its delay of that moment; on one connection this arrives before the data. Part of
 * ofi_tare.c. */

/* Readiness that differs by less in time, and not in delay, is not told again. */
#define TARE_NEWS_NS 20000

/* A send whose acknowledgement has not come. */
typedef struct tare_long_send {
    MPIR_Request *sreq;
    MPIR_Comm *comm;            /* held: native sends do not */
    int dest;
    int vni_dst;
    uint32_t context;
    tare_wire_t told;
    struct tare_long_send *next;
} tare_long_send_t;

tare_long_send_t *MPIDI_OFI_Tare_long_sends[MPIDI_OFI_MAX_VNIS];

/* What has been told here: by whom, and of how many messages that have not come. */
typedef struct {
    uint64_t peer;
    tare_wire_t wire;
    int count;
} tare_ready_t;

#define TARE_READY_SLOTS 16
static tare_ready_t tare_ready[MPIDI_OFI_MAX_VNIS][TARE_READY_SLOTS];

static tare_ready_t *tare_ready_slot(int vni, uint64_t peer)
{
    return &tare_ready[vni][(peer ^ peer >> 32) % TARE_READY_SLOTS];
}

static bool tare_is_news(const tare_wire_t * told, const tare_wire_t * now)
{
    int64_t later = tare_wire_extend((now->w1 - told->w1) & TARE_WIRE_FIELD_MASK);
    return (tare_wire_flags(*now) & TARE_WIRE_TIME_VALID) &&
        (now->w0 != told->w0 || later > TARE_NEWS_NS || later < -TARE_NEWS_NS);
}

static int tare_count_long_sends(int vni, const tare_long_send_t * like)
{
    int count = 0;
    for (const tare_long_send_t * send = MPIDI_OFI_Tare_long_sends[vni]; send; send = send->next)
        count += send->dest == like->dest && send->context == like->context;
    return count;
}

static tare_long_send_t *tare_find_untold(int vni, const tare_wire_t * now)
{
    tare_long_send_t *send = MPIDI_OFI_Tare_long_sends[vni];
    while (send && !tare_is_news(&send->told, now))
        send = send->next;
    return send;
}

/* To send a packet may poll, so that afterwards the list is another one. A packet that cannot be sent is missed by its
 * receiver's estimate alone. */
static void tare_tell_ready_of(int vni)
{
    tare_wire_t now = tare_core_freed_stamp();
    tare_long_send_t *send;

    while ((send = tare_find_untold(vni, &now)) != NULL) {
        MPIDI_OFI_Tare_ready_t ready = {
            .type = MPIDI_OFI_TARE_CTRL_READY,
            .source = send->comm->rank,
            .context = send->context,
            .count = tare_count_long_sends(vni, send),
            .wire = now
        };
        tare_to_job_clock(&ready.wire);
        send->told = now;
        MPIDI_NM_am_send_hdr(send->dest, send->comm, MPIDI_OFI_INTERNAL_HANDLER_CONTROL, &ready, sizeof(ready), vni,
                             send->vni_dst);
    }
}

/* Looked at without the lock first: no wait for a short message takes it. A send that another thread begins or ends
 * just now is found, or not, inside. */
static void tare_tell_ready(void)
{
    for (int vni = 0; vni < MPIDI_OFI_global.num_vnis; vni++) {
        if (!MPIDI_OFI_Tare_long_sends[vni])
            continue;
        MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI(vni).lock);
        tare_tell_ready_of(vni);
        MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI(vni).lock);
    }
}

void MPIDI_OFI_Tare_live_ask(MPIR_Request * sreq, MPIR_Comm * comm, int context, int dest, int vni_src, int vni_dst)
{
    tare_long_send_t *send = MPL_malloc(sizeof(*send), MPL_MEM_OTHER);
    MPIR_Assert(send);
    send->sreq = sreq;
    send->comm = comm;
    MPIR_Comm_add_ref(comm);
    send->dest = dest;
    send->vni_dst = vni_dst;
    send->context = context & TARE_CONTEXT_MASK;
    send->told = tare_core_freed_stamp();
    send->next = MPIDI_OFI_Tare_long_sends[vni_src];
    MPIDI_OFI_Tare_long_sends[vni_src] = send;
    MPIR_Tare_tell_ready = tare_tell_ready;     /* and stays: programs that send one long message send others */
}

/* The acknowledgement has come. A send that is not here was begun when nothing was carried. */
static void tare_forget_long_send(int vni, MPIR_Request * sreq)
{
    for (tare_long_send_t ** at = &MPIDI_OFI_Tare_long_sends[vni]; *at; at = &(*at)->next) {
        tare_long_send_t *send = *at;
        if (send->sreq == sreq) {
            *at = send->next;
            MPIR_Comm_release(send->comm);
            MPL_free(send);
            return;
        }
    }
}

void MPIDI_OFI_Tare_ready_arrive(const void *am_hdr, int vni)
{
    const MPIDI_OFI_Tare_ready_t *ready = am_hdr;
    uint64_t peer = tare_peer(ready->context, ready->source);
    tare_ready_t *slot = tare_ready_slot(vni, peer);
    slot->peer = peer;
    slot->wire = ready->wire;
    slot->count = ready->count;
}

/* A long message has come: what its sender told since. */
static bool tare_take_ready(int vni, uint64_t peer, tare_wire_t * wire)
{
    tare_ready_t *slot = tare_ready_slot(vni, peer);
    if (slot->peer != peer || slot->count <= 0)
        return false;
    slot->count--;
    *wire = slot->wire;
    return true;
}
