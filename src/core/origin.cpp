// SPDX-License-Identifier: BSD-3-Clause
// Numbered messages (tare_origin.h): each thread counts its own, and may keep a log of what it receives.
#include "thread.hpp"

using namespace tare;

static_assert(sizeof(tare_received_t) == 40, "tools read the log: another entry needs another function to register it");

namespace {

// Beside the thread block, which libtare reads: its layout stays.
struct numbering {
    std::uint64_t thread_bits;
    std::uint64_t sequence;
    tare_received_log_t *log;
    bool has_thread;
};

__thread numbering own __attribute__((tls_model("initial-exec")));
std::uint32_t threads_that_sent;

void set_thread(std::uint32_t number) noexcept
{
    const std::uint64_t kept = number < TARE_ORIGIN_THREAD_UNKNOWN ? number : TARE_ORIGIN_THREAD_UNKNOWN;
    own.thread_bits = kept << TARE_ORIGIN_SEQUENCE_BITS;
    own.has_thread = true;
}

std::int64_t sent_ns(const tare_wire_t &wire) noexcept
{
    return tare_wire_flags(wire) & TARE_WIRE_TIME_VALID ? tare_wire_time_near_ns(wire, clock_ns()) : 0;
}

}  // namespace

void tare_core_number_messages(int are_numbered)
{
    tare_global.numbered = are_numbered != 0;
    if (are_numbered)
        set_active();
}

uint64_t tare_core_next_origin(void)
{
    if (__builtin_expect(!own.has_thread, 0))
        set_thread(__atomic_fetch_add(&threads_that_sent, 1, __ATOMIC_RELAXED));
    return own.thread_bits | ++own.sequence;
}

uint64_t tare_core_sent(void) { return own.sequence == 0 ? 0 : own.thread_bits | own.sequence; }

void tare_core_number_thread(uint32_t number) { set_thread(number); }

void tare_core_log_received(tare_received_log_t *log) { own.log = log; }

void tare_core_received(const tare_sender_t *sender, int64_t request, int is_timed)
{
    tare_received_log_t *log = own.log;
    if (log == nullptr)
        return;
    if (log->count >= log->capacity) {
        log->lost++;
        return;
    }
    log->entries[log->count++] = {request,
                                  tare_origin_sequence(sender->origin),
                                  tare_wire_delay_ns(sender->wire),
                                  is_timed ? sent_ns(sender->wire) : 0,
                                  tare_origin_thread(sender->origin),
                                  0};
}
