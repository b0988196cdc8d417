/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef OFI_TARE_H_INCLUDED
#define OFI_TARE_H_INCLUDED

/* The stamp of native tagged messages. Their 64 bits of remote CQ data hold a source rank and two error bits; above
 * these, in as few bits as the number of ranks leaves, goes the short form (tare_short.h). Its lowest bits may
 * be in the tag, above the protocol bits, where no receive compares them. No byte is added to any message. The highest
 * bit of both stays 0: libfabric 1.17's net provider drops the tag's, and on its shm provider long sends with that of the
 * CQ data hung. There bit 62 of the CQ data asks for an acknowledgement, and the source is a bit shorter: a message that
 * comes before its receive is lost on it if a protocol bit of its tag asks.
 *
 *   CQ data   62             src_bits + 2 | error (2) | source (src_bits) 0
 *             | short form, upper bits    |
 *   tag       62         55 | protocol, context, tag 0
 *             | lowest bits |
 */

#include <rdma/fi_domain.h>
#include <stdbool.h>
#include "tare_transport.h"

typedef struct {
    int src_bits;               /* of the CQ data; MPICH's own 30 while nothing is carried */
    int tag_bits;               /* of the short form, in the tag */
    uint64_t tag_mask;          /* where they are: no receive compares these */
    uint64_t ask_bit;           /* of the CQ data: asks for an acknowledgement instead of a bit of the tag; 0: the tag's does */
    MPI_Aint answer_above;      /* the provider completes longer sends when they are matched: they get an answer */
    bool sender_moves_data;     /* of these, while it polls */
    bool operations_by_am;      /* on windows, that the provider could do by itself */
    bool operations_need_peer;  /* the provider is software: it does them while the other process polls */
} MPIDI_OFI_Tare_t;

extern MPIDI_OFI_Tare_t MPIDI_OFI_Tare;

#define MPIDI_OFI_TARE_TAG_SHIFT 55
#define MPIDI_OFI_TARE_TAG_BITS 8

/* What a provider is asked for beside MPICH's own tag format, if delay is to be carried. */
#define MPIDI_OFI_TARE_TAG_FORMAT \
    (tare_global.carry ? 1ULL << (MPIDI_OFI_TARE_TAG_SHIFT + MPIDI_OFI_TARE_TAG_BITS - 1) : 0)

/* After a provider has been chosen: how the short form is laid out, or that active messages carry all. */
struct fi_info;
void MPIDI_OFI_Tare_choose(struct fi_info *prov);

/* A communicator whose ranks do not fit the layout (processes that were spawned or connected): the sentence has been
 * said. */
int MPIDI_OFI_Tare_is_too_large(struct MPIR_Comm *comm);

#endif /* OFI_TARE_H_INCLUDED */
