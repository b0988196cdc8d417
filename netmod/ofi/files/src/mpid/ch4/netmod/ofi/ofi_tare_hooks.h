/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef OFI_TARE_HOOKS_H_INCLUDED
#define OFI_TARE_HOOKS_H_INCLUDED

/* Hooks of native tagged messages. Included by ofi_impl.h. Without HAVE_TARE all of it vanishes. */

#ifdef HAVE_TARE

void MPIDI_OFI_Tare_live_stamp(uint64_t * data, uint64_t * tag);
void MPIDI_OFI_Tare_live_arrive(MPIR_Request * req, const struct fi_cq_tagged_entry *wc, int is_answer);
void MPIDI_OFI_Tare_live_reply(MPIR_Request * rreq, uint64_t * data, uint64_t * tag);
void MPIDI_OFI_Tare_huge_answered(MPIR_Request * sreq, tare_wire_t * wire);

/* Bits of other uses in the receive's masks, and whether the CQ data hold more than the source. */
#define MPIDI_OFI_TARE_TAG_MASK (MPIDI_OFI_Tare.tag_mask)
#define MPIDI_OFI_TARE_SHARES_DATA 1

MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_put(uint64_t bits, uint64_t * data, uint64_t * tag)
{
    *data |= bits >> MPIDI_OFI_Tare.tag_bits << (MPIDI_OFI_Tare.src_bits + MPIDI_OFI_IDATA_ERROR_BITS);
    *tag |= bits << MPIDI_OFI_TARE_TAG_SHIFT & MPIDI_OFI_Tare.tag_mask;
}

/* A message leaves. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_stamp(uint64_t * data, uint64_t * tag)
{
    if (tare_is_live())
        MPIDI_OFI_Tare_live_stamp(data, tag);
}

/* Where a provider completes a long send when it is matched, the receiver answers, and its delay comes back. Another
 * function sends it: that a send is synchronous is known when MPIDI_OFI_send is compiled, and stays so. */
#define MPIDI_OFI_TARE_ASK(data_sz, call) \
    do { \
        if (tare_is_live() && (MPI_Aint) (data_sz) > MPIDI_OFI_Tare.answer_above) \
            return call; \
    } while (0)
int MPIDI_OFI_Tare_send_and_ask(const void *buf, MPI_Aint count, MPI_Datatype datatype, uint64_t cq_data, int dst_rank,
                                int tag, MPIR_Comm * comm, int context_offset, MPIDI_av_entry_t * addr, int vni_src,
                                int vni_dst, MPIR_Request ** request);

MPL_STATIC_INLINE_PREFIX int MPIDI_OFI_Tare_is_stamped(const struct fi_cq_tagged_entry *wc)
{
    return unlikely(wc->data >> (MPIDI_OFI_Tare.src_bits + MPIDI_OFI_IDATA_ERROR_BITS));
}

/* A receive has got its message, or a probe has seen it. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_arrive(MPIR_Request * rreq, const struct fi_cq_tagged_entry *wc)
{
    if (MPIDI_OFI_Tare_is_stamped(wc))
        MPIDI_OFI_Tare_live_arrive(rreq, wc, 0);
}

/* The acknowledgement of a synchronous send leaves. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_reply(MPIR_Request * rreq, uint64_t * data, uint64_t * tag)
{
    if (tare_is_live())
        MPIDI_OFI_Tare_live_reply(rreq, data, tag);
}

/* It arrives. */
MPL_STATIC_INLINE_PREFIX void MPIDI_OFI_Tare_answered(MPIR_Request * sreq, const struct fi_cq_tagged_entry *wc)
{
    if (MPIDI_OFI_Tare_is_stamped(wc))
        MPIDI_OFI_Tare_live_arrive(sreq, wc, 1);
}

#else /* !HAVE_TARE */

#define MPIDI_OFI_TARE_TAG_MASK 0ULL
#define MPIDI_OFI_TARE_TAG_FORMAT 0ULL
#define MPIDI_OFI_TARE_SHARES_DATA 0
#define MPIDI_OFI_Tare_stamp(data, tag)
#define MPIDI_OFI_TARE_ASK(data_sz, call)
#define MPIDI_OFI_Tare_arrive(rreq, wc)
#define MPIDI_OFI_Tare_reply(rreq, data, tag)
#define MPIDI_OFI_Tare_answered(sreq, wc)
#define MPIDI_OFI_Tare_huge_answered(sreq, wire)
#define MPIDI_OFI_Tare_choose(prov)
#define MPIDI_OFI_Tare_is_too_large(comm) 0

#endif /* HAVE_TARE */

#endif /* OFI_TARE_HOOKS_H_INCLUDED */
