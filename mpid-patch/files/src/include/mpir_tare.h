/*
 * Copyright (C) Tare developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef MPIR_TARE_H_INCLUDED
#define MPIR_TARE_H_INCLUDED

/* Hooks of the compensation core in the MPI layer: what a request keeps, and the joins where a completion becomes
 * visible to the caller. Included by mpir_request.h, behind struct MPIR_Request. Without HAVE_TARE all of it vanishes.
 *
 * Each is one branch that is not taken until there is something to carry; what it does then is in mpir_tare.c.
 *
 * A wait for one request learns of the event at its end. A wait for several and a poll let the arrival handlers note
 * when each message was first seen ("watching"). */

#ifdef HAVE_TARE

/* Waits inside MPI begin with a send or a receive of theirs, which say when the thread was ready; the user's own tell
 * themselves. */
void MPIR_Tare_live_wait_begin(MPIR_Request * req);
int MPIR_Tare_live_wait(MPIR_Request * req, MPID_Progress_state * state);
void MPIR_Tare_live_complete(MPIR_Request * req);
void MPIR_Tare_live_watch(bool begins);
void MPIR_Tare_live_poll(void);

/* What the hooks call, one instruction as any call: where messages are numbered (tare_origin.h) the caller is told whose
 * it has received, and elsewhere nothing asks. */
typedef struct MPIR_Tare_calls {
    void (*complete) (MPIR_Request * req);
    int (*wait) (MPIR_Request * req, MPID_Progress_state * state);
} MPIR_Tare_calls_t;
extern TARE_HIDDEN MPIR_Tare_calls_t MPIR_Tare_calls;

/* From now on, or no more. */
void MPIR_Tare_number_messages(bool are_numbered);

/* Set by a transport while somebody waits for this process to poll: called when a thread begins to, without locks. */
extern void (*MPIR_Tare_tell_ready) (void);

/* Bits of has_tare_state beside the first: of a receive, state.sender is that of its message, and the send time is on
 * this process's clock. */
#define MPIR_TARE_HAS_SENDER 2
#define MPIR_TARE_SENDER_IS_TIMED 4

/* A request is created: nobody clears `u`. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_request_init(MPIR_Request * req)
{
    req->has_tare_state = 0;
}

/* What a send, a receive or a matched message keeps, begun where it is first asked for. */
MPL_STATIC_INLINE_PREFIX tare_request_t *MPIR_Tare_state(MPIR_Request * req)
{
    if (!req->has_tare_state) {
        req->has_tare_state = 1;
        req->u.tare.state.edge.flags = 0;
    }
    return &req->u.tare.state;
}

/* A call of the user's begins that waits for this request, or finds it complete. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_wait_begin(MPIR_Request * req)
{
    if (tare_is_live())
        MPIR_Tare_live_wait_begin(req);
}

/* A wait for one request, a user's or one inside MPI: the whole of it is another function, so that MPIR_Wait_state, which
 * finds its request complete more often than not, stays as short as it is. */
#define MPIR_TARE_WAIT(req, state) \
    do { \
        if (tare_is_live()) \
            return MPIR_Tare_calls.wait(req, state); \
    } while (0)

/* A wait for several requests, or for a message that fits a probe. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_watch_begin(void)
{
    if (tare_is_live())
        MPIR_Tare_live_watch(true);
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_watch_end(void)
{
    if (tare_is_live())
        MPIR_Tare_live_watch(false);
}

/* A call that completes what it can and does not wait: MPI_Test, MPI_Iprobe and their kin. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_poll_begin(void)
{
    if (tare_is_live())
        MPIR_Tare_live_poll();
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_poll_end(bool failed)
{
    if (tare_is_live())
        tare_core_poll_end(failed);
}

/* The completion of this request becomes visible to the caller. A wait for it alone has joined already. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_complete(MPIR_Request * req)
{
    if (tare_is_live())
        MPIR_Tare_calls.complete(req);
}

/* ---- schedules of nonblocking collectives: mpid/common/sched has one state for all, gentran one a vertex ---- */

void MPIR_Tare_live_step_seen(tare_wire_t * state, MPIR_Request * req);
void MPIR_Tare_live_step_needed(tare_wire_t * state, const tare_wire_t * other);

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_sched_begin(tare_schedule_t * s)
{
    s->begin.w1 = s->state.w1 = 0;
    s->step.kind = TARE_STEP_NONE;
    if (tare_is_live())
        tare_core_schedule_begin(s);
}

/* A state of its own, which the next activation begins anew. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_step_reset(tare_wire_t * state)
{
    state->w1 = 0;
}

/* What is sent and posted before the end is the schedule's. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_step_begin(tare_schedule_t * s, tare_wire_t * state, bool has_messages)
{
    if (tare_is_live())
        tare_core_step_begin(s, state, has_messages ? TARE_STEP_MESSAGE : TARE_STEP_LOCAL);
}

MPL_STATIC_INLINE_PREFIX void MPIR_Tare_step_end(tare_schedule_t * s, tare_wire_t * state)
{
    if (TARE_UNLIKELY(s->step.kind != TARE_STEP_NONE))
        tare_core_step_end(s, state);
}

/* A message of it is complete: its request is freed next. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_step_seen(tare_wire_t * state, MPIR_Request * req)
{
    if (tare_is_live())
        MPIR_Tare_live_step_seen(state, req);
}

/* One vertex needs another. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_step_needed(tare_wire_t * state, const tare_wire_t * other)
{
    if (tare_is_live())
        MPIR_Tare_live_step_needed(state, other);
}

/* All is done: the request keeps what its waiter joins. Before the request is complete. */
MPL_STATIC_INLINE_PREFIX void MPIR_Tare_sched_end(MPIR_Request * req, const tare_wire_t * state)
{
    if (tare_is_active(state)) {
        req->u.nbc.tare = *state;
        req->has_tare_state = 1;
    }
}

/* The info key tare_mute of a communicator: its messages carry no delay and change none. */
#define MPIR_TARE_MUTE_KEY "tare_mute"

/* How the messages of a communicator differ from most (MPIR_Comm.tare): one look tells that they do not. */
#define MPIR_TARE_MUTED 1
#define MPIR_TARE_NUMBERED 2
#define MPIR_TARE_IS_MUTED(comm) unlikely((comm)->tare & MPIR_TARE_MUTED)
#define MPIR_Tare_comm_init(comm) ((comm)->tare = tare_global.numbered ? MPIR_TARE_NUMBERED : 0)
#define MPIR_Tare_inherit_mute(to, from) ((to)->tare = (from)->tare)
void MPIR_Tare_register_mute(void);

/* MPI_T: somebody has a handle for this event, or nobody any more. */
void MPIR_Tare_listen(int event_index, bool is_heard);
void MPIR_Tare_free_handle(MPI_T_event_registration handle);
void MPIR_Tare_stop_telling(void);

/* In MPI_Init. configure: reads the environment, before the device is initialized. announce and agree: before and
 * after the first PMI barrier; they do not return if the environment or another process's layout is not acceptable.
 * compare_clocks: when messages can be sent; sets tare_clock. */
void MPIR_Tare_configure(void);
void MPIR_Tare_announce(void);
void MPIR_Tare_agree(void);
int MPIR_Tare_compare_clocks(void);

/* For network modules while the device starts, after MPIR_Tare_configure. set_path: how stamps are laid out on the
 * network, one word, which must be the same in all processes. refuse: MPIR_Tare_announce will end with this sentence. */
struct tare_settings;
const struct tare_settings *MPIR_Tare_settings(void);
void MPIR_Tare_set_path(const char *name);
void MPIR_Tare_refuse(const char *why);

#else /* !HAVE_TARE */

#define MPIR_Tare_request_init(req)
#define MPIR_Tare_wait_begin(req)
#define MPIR_TARE_WAIT(req, state)
#define MPIR_Tare_watch_begin()
#define MPIR_Tare_watch_end()
#define MPIR_Tare_poll_begin()
#define MPIR_Tare_poll_end(failed)
#define MPIR_Tare_complete(req)
#define MPIR_Tare_sched_begin(s)
#define MPIR_Tare_step_reset(state)
#define MPIR_Tare_step_begin(s, state, has_messages)
#define MPIR_Tare_step_end(s, state)
#define MPIR_Tare_step_seen(state, req)
#define MPIR_Tare_step_needed(state, other)
#define MPIR_Tare_sched_end(req, state)
#define MPIR_Tare_comm_init(comm)
#define MPIR_Tare_inherit_mute(to, from)
#define MPIR_Tare_register_mute()
#define MPIR_Tare_listen(event_index, is_heard)
#define MPIR_Tare_free_handle(handle) MPL_free(handle)
#define MPIR_Tare_stop_telling()
#define MPIR_Tare_configure()
#define MPIR_Tare_announce()
#define MPIR_Tare_agree()
#define MPIR_Tare_compare_clocks() MPI_SUCCESS

#endif /* HAVE_TARE */

#endif /* MPIR_TARE_H_INCLUDED */
