/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

/* The stamp of native tagged messages: the layout, and the hooks of ofi_tare_hooks.h while there is something to carry.
 * Included by ofi_events.c, so that no Makefile changes. */

#include <stdio.h>
#include <stdlib.h>
#include "tare_env.h"
#include "mpir_tare_port.h"

MPIDI_OFI_Tare_t MPIDI_OFI_Tare = { 30, 0, 0, 0, MPIR_AINT_MAX };

/* ---- the layout ---- */

/* What the name of a layout begins with. */
#define TARE_NATIVE "ofi-native-"

/* The fewer ranks, the more bits for the send time. Four times the ranks fit, for processes that come later. The
 * period of a send time is 268 ms, 34 ms, 4 ms and 2 ms: an older message may be misplaced by a multiple of it. The
 * first is for provider shm, which has no bit of a tag for it. */
static const struct {
    int ranks;
    int src_bits;
    tare_short_layout_t bits;   /* time_bits: with those in the tag */
} tare_layouts[] = {
    {1 << 3, 6, {42, 20, 8}},
    {1 << 6, 8, {42, 18, 10}},
    {1 << 10, 12, {42, 14, 11}},
    {1 << 14, 16, {42, 10, 12}},
    {1 << 18, 20, {40, 8, 13}},
};

static bool tare_is_shm(struct fi_info *prov)
{
    return strcmp(prov->fabric_attr->prov_name, "shm") == 0;
}

/* Above the protocol bits, if the provider takes tags as long as MPIDI_OFI_TARE_TAG_FORMAT. Provider shm loses
 * unexpected messages whose tags differ in ignored bits (libfabric 1.17: the third of a row). */
static int tare_tag_bits(struct fi_info *prov)
{
    int used = MPIDI_OFI_CONTEXT_BITS + MPIDI_OFI_SOURCE_BITS + MPIDI_OFI_TAG_BITS + 1 + MPIDI_OFI_PROTOCOL_BITS;
    if (used > MPIDI_OFI_TARE_TAG_SHIFT || prov->ep_attr->mem_tag_format < MPIDI_OFI_TARE_TAG_FORMAT ||
        tare_is_shm(prov))
        return 0;
    return MPIDI_OFI_TARE_TAG_BITS;
}

/* Providers that complete a long send when it is matched, and above which length. Others complete it when the data are
 * with the receiver's provider, or in a socket: an answer would be a wait that the program did not have. */
static MPI_Aint tare_answer_above(struct fi_info *prov)
{
    const char *name = prov->fabric_attr->prov_name, *set = getenv("FI_OFI_RXM_BUFFER_SIZE");
    if (strcmp(name, "tcp;ofi_rxm") == 0 || strcmp(name, "verbs;ofi_rxm") == 0)
        return set ? atol(set) : 16384;
    if (tare_is_shm(prov))
        return prov->tx_attr->inject_size;
    return MPIR_AINT_MAX;
}

/* Of libfabric 1.17; in all others a device does operations on windows. */
static bool tare_is_software(struct fi_info *prov)
{
    static const char *const names[] = { "tcp", "net", "udp", "shm", "sockets" };
    for (int i = 0; i < (int) (sizeof(names) / sizeof(names[0])); i++)
        if (strncmp(prov->fabric_attr->prov_name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* With provider shm one bit of the CQ data asks. */
static int tare_src_bits(struct fi_info *prov, int i)
{
    return tare_layouts[i].src_bits - tare_is_shm(prov);
}

/* Of the processes that have spawned this one; 0: of none. */
static int tare_parents_src_bits(void)
{
    char path[MPIR_TARE_PATH];
    int src_bits;
    if (!MPIR_Tare_parents_path(path) || sscanf(path, TARE_NATIVE "%d-", &src_bits) != 1)
        return 0;
    return src_bits;
}

/* Who has been spawned meets its parents, so it takes their layout if all its ranks have room in it. */
static int tare_find_layout(struct fi_info *prov)
{
    int count = sizeof(tare_layouts) / sizeof(tare_layouts[0]), first = tare_is_shm(prov) ? 0 : 1;
    int parents = tare_parents_src_bits();

    if (prov->domain_attr->cq_data_size < sizeof(uint64_t))
        return -1;
    for (int i = first; i < count; i++)
        if (tare_src_bits(prov, i) == parents && MPIR_Process.size <= 1 << parents)
            return i;
    for (int i = first; i < count; i++)
        if (MPIR_Process.size <= tare_layouts[i].ranks)
            return i;
    return -1;
}

static void tare_use_layout(struct fi_info *prov, int i)
{
    char name[64];
    tare_short_layout_t bits = tare_layouts[i].bits;
    int tag_bits = tare_tag_bits(prov), less = MPIDI_OFI_TARE_TAG_BITS - tag_bits;

    if (tare_is_shm(prov))
        MPIDI_OFI_Tare.ask_bit = 1ULL << 62;
    /* The period stays: a message that is older is misplaced by all of it, by half a quantum any early one. */
    bits.time_bits -= less;
    bits.time_shift += less;
    tare_short_layout = bits;
    MPIDI_OFI_Tare.src_bits = tare_src_bits(prov, i);
    MPIDI_OFI_Tare.tag_bits = tag_bits;
    MPIDI_OFI_Tare.tag_mask = ((1ULL << tag_bits) - 1) << MPIDI_OFI_TARE_TAG_SHIFT;
    MPIDI_OFI_Tare.answer_above = tare_answer_above(prov);
    MPIDI_OFI_Tare.sender_moves_data = !tare_is_shm(prov);
    snprintf(name, sizeof(name), TARE_NATIVE "%d-%d-%dx%d", MPIDI_OFI_Tare.src_bits, bits.delay_bits, bits.time_bits,
             1 << bits.time_shift);
    MPIR_Tare_set_path(name);
}

static void tare_refuse(struct fi_info *prov)
{
    char why[256];
    snprintf(why, sizeof(why),
             "TARE_OFI=native: provider %s has %d bytes of CQ data and there are %d ranks, but native "
             "messages carry delay with 8 bytes and up to %d ranks; use TARE_OFI=am or another provider",
             prov->fabric_attr->prov_name, (int) prov->domain_attr->cq_data_size, MPIR_Process.size,
             tare_layouts[sizeof(tare_layouts) / sizeof(tare_layouts[0]) - 1].ranks);
    MPIR_Tare_refuse(why);
}

/* With manual progress, as MPICH asks for, it sends nothing before its process polls again, 8 bytes as little as 16 KiB:
 * what is in the stamp by then is too old. libfabric 1.17; none of the other providers does so. */
static void tare_warn_of(struct fi_info *prov)
{
    if (strcmp(prov->fabric_attr->prov_name, "sockets") != 0 || MPIR_Process.rank != 0 ||
        MPIR_Process.local_size == MPIR_Process.size)
        return;
    fprintf(stderr,
            "tare: libfabric's sockets provider sends a message when its sender polls next: overhead between a "
            "send and that is not seen by the receiver; use FI_PROVIDER=\"tcp;ofi_rxm\"\n");
}

/* Native messages have no room for a number: between nodes active messages carry those that have one (tare_origin.h),
 * unless the user insists. Inside a node the network is for processes that are met later alone, and those MPICH reaches
 * by native messages only. */
static bool tare_wants_active_messages(void)
{
    int ofi = MPIR_Tare_settings()->ofi;
    return ofi == TARE_OFI_AM || (ofi == TARE_OFI_AUTO && tare_global.numbered && MPIR_Process.num_nodes > 1);
}

void MPIDI_OFI_Tare_choose(struct fi_info *prov)
{
    int layout;

    if (!tare_global.carry)
        return;
    tare_warn_of(prov);
    MPIDI_OFI_Tare.operations_by_am = MPIR_Tare_settings()->ofi == TARE_OFI_AM;
    MPIDI_OFI_Tare.operations_need_peer = tare_is_software(prov);
    layout = MPIDI_OFI_ENABLE_TAGGED && !tare_wants_active_messages()? tare_find_layout(prov) : -1;
    if (layout >= 0) {
        tare_use_layout(prov, layout);
        return;
    }
    if (MPIR_Tare_settings()->ofi == TARE_OFI_NATIVE)
        tare_refuse(prov);
    MPIDI_OFI_global.settings.enable_tagged = 0;
    MPIR_Tare_set_path("ofi-am");
}

int MPIDI_OFI_Tare_is_too_large(MPIR_Comm * comm)
{
    if (comm->remote_size <= 1 << MPIDI_OFI_Tare.src_bits && comm->local_size <= 1 << MPIDI_OFI_Tare.src_bits)
        return 0;
    fprintf(stderr,
            "tare: a communicator of %d and %d processes is larger than the stamp of native OFI messages allows "
            "(%d, from the number of ranks at the start); use TARE_OFI=am\n", comm->local_size, comm->remote_size,
            1 << MPIDI_OFI_Tare.src_bits);
    return 1;
}

/* ---- messages ---- */

#define TARE_CONTEXT_MASK ((1 << MPIDI_OFI_CONTEXT_BITS) - 1)

#include "ofi_tare_long.c"

static uint64_t tare_peer_of(const struct fi_cq_tagged_entry *wc)
{
    uint32_t context = wc->tag >> MPIDI_OFI_TAG_BITS & TARE_CONTEXT_MASK;
    uint32_t source = wc->data & ((1ULL << MPIDI_OFI_Tare.src_bits) - 1);
    return tare_peer(context, source);
}

static tare_wire_t tare_wire_in(const struct fi_cq_tagged_entry *wc)
{
    uint64_t upper = (wc->data & ~MPIDI_OFI_Tare.ask_bit) >> MPIDI_OFI_TARE_DATA_SHIFT;
    uint64_t lowest = (wc->tag & MPIDI_OFI_Tare.tag_mask) >> MPIDI_OFI_TARE_TAG_SHIFT;
    return tare_short_unpack(upper << MPIDI_OFI_Tare.tag_bits | lowest, tare_short_layout);
}

void MPIDI_OFI_Tare_live_stamp(const MPIR_Comm * comm, uint64_t * data, uint64_t * tag)
{
    tare_wire_t wire = MPIR_TARE_IS_MUTED(comm) ? tare_wire_muted() : tare_core_stamp();
    tare_to_job_clock(&wire);
    MPIDI_OFI_Tare_put(tare_core_shorten(wire), data, tag);
    if (MPIDI_OFI_Tare.ask_bit && (*tag & MPIDI_OFI_SYNC_SEND)) {
        *tag &= ~MPIDI_OFI_SYNC_SEND;
        *data |= MPIDI_OFI_Tare.ask_bit;
    }
}

int MPIDI_OFI_Tare_send_and_ask(const void *buf, MPI_Aint count, MPI_Datatype datatype, uint64_t cq_data,
                                int dst_rank, int tag, MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr,
                                int vni_src, int vni_dst, MPIR_Request ** request)
{
    int dt_contig;
    size_t data_sz;
    MPI_Aint dt_true_lb;
    MPIR_Datatype *dt_ptr;

    MPIDI_Datatype_get_info(count, datatype, dt_contig, data_sz, dt_ptr, dt_true_lb);
    return MPIDI_OFI_send_normal(buf, count, datatype, cq_data, dst_rank, tag, comm, context_offset, addr, vni_src,
                                 vni_dst, request, dt_contig, data_sz, dt_ptr, dt_true_lb, MPIDI_OFI_SYNC_SEND);
}

void MPIDI_OFI_Tare_live_seen(MPIR_Request * req, const struct fi_cq_tagged_entry *wc, uint32_t size_class)
{
    MPIDI_Tare_network_arrive(req, tare_wire_in(wc), tare_peer_of(wc), size_class, TARE_EDGE_SHORT);
}

void MPIDI_OFI_Tare_live_arrive(int vni, MPIR_Request * req, struct fi_cq_tagged_entry *wc)
{
    tare_wire_t ready;
    uint32_t size_class = tare_size_class(TARE_CLASS_EAGER, wc->len);

    /* What comes behind looks where MPICH has it. */
    if (wc->data & MPIDI_OFI_Tare.ask_bit)
        wc->tag |= MPIDI_OFI_SYNC_SEND;
    if ((MPI_Aint) wc->len > MPIDI_OFI_Tare.answer_above && !(wc->tag & MPIDI_OFI_HUGE_SEND) &&
        tare_take_ready(vni, tare_peer_of(wc), &ready))
        MPIDI_Tare_network_arrive(req, ready, tare_peer_of(wc), size_class, 0);
    else
        MPIDI_OFI_Tare_live_seen(req, wc, size_class);
}

void MPIDI_OFI_Tare_live_answered(int vni, MPIR_Request * sreq, const struct fi_cq_tagged_entry *wc)
{
    tare_forget_long_send(vni, sreq);
    if (MPIDI_OFI_Tare_is_stamped(wc))
        MPIDI_OFI_Tare_live_seen(sreq, wc, TARE_CLASS_CONTROL);
}

void MPIDI_OFI_Tare_live_reply(MPIR_Request * rreq, uint64_t * data, uint64_t * tag)
{
    tare_wire_t wire;
    MPIDI_Tare_network_reply(rreq, &wire);
    MPIDI_OFI_Tare_put(tare_core_shorten(wire), data, tag);
}

void MPIDI_OFI_Tare_live_read_reply(MPIR_Request * rreq, int *source, tare_wire_t * wire)
{
    MPIR_Request *owner = MPIDI_Tare_owner(rreq);
    if (owner) {
        *source = owner->comm->rank;
        MPIDI_Tare_network_reply(owner, wire);
    }
}

void MPIDI_OFI_Tare_live_read_answered(MPIR_Request * sreq, int source, const tare_wire_t * wire)
{
    MPIR_Request *owner = MPIDI_Tare_owner(sreq);
    if (owner)
        MPIDI_Tare_network_arrive(owner, *wire, tare_peer(owner->comm->context_id, source), TARE_CLASS_CONTROL, 0);
}

void MPIDI_OFI_Tare_huge_answered(MPIR_Request * sreq, tare_wire_t * wire)
{
    int dest = MPL_atomic_relaxed_load_int(&MPIDI_OFI_REQUEST(sreq, util_id));
    if (tare_is_active(wire))
        MPIDI_Tare_network_arrive(sreq, *wire, tare_peer(sreq->comm->context_id, dest), TARE_CLASS_CONTROL, 0);
}
