/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef OFI_TARE_HOOKS_H_INCLUDED
#define OFI_TARE_HOOKS_H_INCLUDED

/* Hooks of native tagged messages. Included by ofi_impl.h. Without HAVE_TARE all of it vanishes. */

#ifdef HAVE_TARE

void MPIDI_OFI_Tare_live_stamp(const MPIR_Comm * comm, uint64_t * data, uint64_t * tag);
void MPIDI_OFI_Tare_live_arrive(int vni, MPIR_Request * req, struct fi_cq_tagged_entry *wc);
void MPIDI_OFI_Tare_live_seen(MPIR_Request * req, const struct fi_cq_tagged_entry *wc, uint32_t size_class);
void MPIDI_OFI_Tare_live_answered(int vni, MPIR_Request * sreq, const struct fi_cq_tagged_entry *wc);
void MPIDI_OFI_Tare_live_reply(MPIR_Request * rreq, uint64_t * data, uint64_t * tag);
void MPIDI_OFI_Tare_huge_answered(MPIR_Request * sreq, tare_wire_t * wire);

/* Bits of other uses in the receive's masks, and whether the CQ data hold more than the source. */
#define MPIDI_OFI_TARE_TAG_MASK (MPIDI_OFI_Tare.tag_mask)
#define MPIDI_OFI_TARE_SHARES_DATA 1
#define MPIDI_OFI_TARE_OPERATIONS_BY_AM (MPIDI_OFI_Tare.operations_by_am)
#define MPIDI_OFI_TARE_OPERATIONS_NEED_PEER (MPIDI_OFI_Tare.operations_need_peer)
/* The short form's place in the CQ data. */
#define MPIDI_OFI_TARE_DATA_SHIFT (MPIDI_OFI_Tare.src_bits + MPIDI_OFI_IDATA_ERROR_BITS)

MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_put(uint64_t bits, uint64_t * data, uint64_t * tag)
{
    *data |= bits >> MPIDI_OFI_Tare.tag_bits << MPIDI_OFI_TARE_DATA_SHIFT;
    *tag |= bits << MPIDI_OFI_TARE_TAG_SHIFT & MPIDI_OFI_Tare.tag_mask;
}

/* A message leaves. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_stamp(const MPIR_Comm * comm, uint64_t * data, uint64_t * tag)
{
    if (tare_is_live())
        MPIDI_OFI_Tare_live_stamp(comm, data, tag);
}

/* Where a provider completes a long send when it is matched, the receiver answers, and its delay comes back. Another
 * function sends it: that a send is synchronous is known when MPIDI_OFI_send is compiled, and stays so. */
#define MPIDI_OFI_TARE_ASK(data_sz, call) \
    do { \
        if (tare_is_live() && (MPI_Aint) (data_sz) > MPIDI_OFI_Tare.answer_above) \
            return call; \
    } while (0)
int MPIDI_OFI_Tare_send_and_ask(const void *buf, MPI_Aint count, MPI_Datatype datatype, uint64_t cq_data,
                                int dst_rank, int tag, MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr,
                                int vni_src, int vni_dst, MPIR_Request ** request);

MPL_STATIC_INLINE_PREFIX int MPIDI_OFI_Tare_is_stamped(const struct fi_cq_tagged_entry *wc)
{
    return unlikely(wc->data >> MPIDI_OFI_TARE_DATA_SHIFT);
}

/* A receive has got its message. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_arrive(int vni, MPIR_Request * rreq, struct fi_cq_tagged_entry *wc)
{
    if (MPIDI_OFI_Tare_is_stamped(wc))
        MPIDI_OFI_Tare_live_arrive(vni, rreq, wc);
}

/* A probe has seen one. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_seen(MPIR_Request * rreq, const struct fi_cq_tagged_entry *wc)
{
    if (MPIDI_OFI_Tare_is_stamped(wc))
        MPIDI_OFI_Tare_live_seen(rreq, wc, tare_size_class(TARE_CLASS_EAGER, wc->len));
}

/* The acknowledgement of a synchronous send leaves. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_reply(MPIR_Request * rreq, uint64_t * data, uint64_t * tag)
{
    if (tare_is_live())
        MPIDI_OFI_Tare_live_reply(rreq, data, tag);
}

/* ---- long sends that ask for an answer (ofi_tare_long.c) ---- */

/* One polling thread says when it was ready to move the data; a control packet of the netmod. */
typedef struct {
    int16_t type;               /* MPIDI_OFI_TARE_CTRL_READY, beyond those of MPIDI_OFI_send_control_t */
    int source;
    uint32_t context;
    int count;                  /* of its long sends to this receiver that are under way */
    tare_wire_t wire;
} MPIDI_OFI_Tare_ready_t;
#define MPIDI_OFI_TARE_CTRL_READY 0x7a00

/* For each VNI, whose lock protects them. */
extern struct tare_long_send *MPIDI_OFI_Tare_long_sends[MPIDI_OFI_MAX_VNIS];

void MPIDI_OFI_Tare_live_ask(MPIR_Request * sreq, MPIR_Comm * comm, int context, int dest, int vni_src, int vni_dst);
void MPIDI_OFI_Tare_ready_arrive(const void *am_hdr, int vni);

/* An acknowledgement has been asked for. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_ask(MPIR_Request * sreq, MPIR_Comm * comm, int context, int dest,
                                                 int vni_src, int vni_dst, MPI_Aint data_sz)
{
    if (tare_is_live() && data_sz > MPIDI_OFI_Tare.answer_above && MPIDI_OFI_Tare.sender_moves_data)
        MPIDI_OFI_Tare_live_ask(sreq, comm, context, dest, vni_src, vni_dst);
}

/* A control packet that is none of the netmod's own. */
#define MPIDI_OFI_TARE_CONTROL(am_hdr, control_type, vni) \
    do { \
        if ((control_type) == MPIDI_OFI_TARE_CTRL_READY) { \
            MPIDI_OFI_Tare_ready_arrive(am_hdr, vni); \
            return MPI_SUCCESS; \
        } \
    } while (0)

/* An acknowledgement arrives. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_answered(int vni, MPIR_Request * sreq,
                                                      const struct fi_cq_tagged_entry *wc)
{
    if (MPIDI_OFI_Tare_is_stamped(wc) || MPIDI_OFI_Tare_long_sends[vni])
        MPIDI_OFI_Tare_live_answered(vni, sreq, wc);
}

/* ---- long active messages, which the receiver reads ---- */

void MPIDI_OFI_Tare_live_read_reply(MPIR_Request * rreq, int *source, tare_wire_t * wire);
void MPIDI_OFI_Tare_live_read_answered(MPIR_Request * sreq, int source, const tare_wire_t * wire);

/* All has been read: the sender is told. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_read_reply(MPIR_Request * rreq, int *source, tare_wire_t * wire)
{
    *source = 0;
    wire->w1 = 0;
    if (tare_is_live())
        MPIDI_OFI_Tare_live_read_reply(rreq, source, wire);
}

/* It learns of it. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_read_answered(MPIR_Request * sreq, int source, const tare_wire_t * wire)
{
    if (tare_is_active(wire))
        MPIDI_OFI_Tare_live_read_answered(sreq, source, wire);
}

#else /* !HAVE_TARE */

#define MPIDI_OFI_TARE_TAG_MASK 0ULL
#define MPIDI_OFI_TARE_TAG_FORMAT 0ULL
#define MPIDI_OFI_TARE_SHARES_DATA 0
#define MPIDI_OFI_TARE_OPERATIONS_BY_AM 0
#define MPIDI_OFI_TARE_OPERATIONS_NEED_PEER 0
#define MPIDI_OFI_Tare_stamp(comm, data, tag)
#define MPIDI_OFI_TARE_ASK(data_sz, call)
#define MPIDI_OFI_Tare_arrive(vni, rreq, wc)
#define MPIDI_OFI_Tare_seen(rreq, wc)
#define MPIDI_OFI_Tare_reply(rreq, data, tag)
#define MPIDI_OFI_Tare_answered(vni, sreq, wc)
#define MPIDI_OFI_Tare_ask(sreq, comm, context, dest, vni_src, vni_dst, data_sz)
#define MPIDI_OFI_TARE_CONTROL(am_hdr, control_type, vni)
#define MPIDI_OFI_Tare_read_reply(rreq, source, wire)
#define MPIDI_OFI_Tare_read_answered(sreq, source, wire)
#define MPIDI_OFI_Tare_huge_answered(sreq, wire)
#define MPIDI_OFI_Tare_choose(prov)
#define MPIDI_OFI_Tare_is_too_large(comm) 0

#endif /* HAVE_TARE */

#endif /* OFI_TARE_HOOKS_H_INCLUDED */
