// SPDX-License-Identifier: BSD-3-Clause
// What the transport of header mode says, for a trace, of whose messages a call sends and receives (tare_origin.h).
#ifndef TARE_PMPI_RECEIVED_LOG_HPP
#define TARE_PMPI_RECEIVED_LOG_HPP

#include "layer.hpp"
#include "trace_event.h"

#include <algorithm>
#include <type_traits>

namespace tare::pmpi {

inline std::uint64_t latest_sent() { return state.numbered ? state.core->sent() : 0; }

// The calling thread's log while this is there; in `entries`, the caller's, is room for `capacity` messages. Where
// messages are not numbered nothing comes into it.
class received_log {
  public:
    received_log(tare_received_t *entries, int capacity) : log_{entries, static_cast<std::uint32_t>(capacity), 0, 0}
    {
        if (state.numbered)
            state.core->log_received(&log_);
    }
    ~received_log()
    {
        if (state.numbered)
            state.core->log_received(nullptr);
    }
    received_log(const received_log &) = delete;
    received_log &operator=(const received_log &) = delete;

    // By their requests, for origin_of.
    void sort() const { std::sort(log_.entries, end(), by_request); }

    // Of the only message.
    tare_trace_origin_t origin() const { return log_.count == 1 ? told(log_.entries[0]) : tare_trace_origin_t{}; }

    // By the handle that its request had before the call.
    tare_trace_origin_t origin_of(MPI_Request request) const
    {
        tare_received_t wanted{};
        wanted.request = number_of(request);
        const tare_received_t *found = std::lower_bound(log_.entries, end(), wanted, by_request);
        return found != end() && found->request == wanted.request ? told(*found) : tare_trace_origin_t{};
    }

  private:
    tare_received_t *end() const { return log_.entries + log_.count; }

    static bool by_request(const tare_received_t &a, const tare_received_t &b) { return a.request < b.request; }

    // Handles of MPI libraries whose messages are numbered are numbers, too.
    template <typename Handle> static std::int64_t number_of(Handle request)
    {
        if constexpr (std::is_integral_v<Handle>)
            return request;
        else
            return 0;
    }

    static tare_trace_origin_t told(const tare_received_t &of)
    {
        tare_trace_origin_t origin{};
        origin.known = TARE_TRACE_KNOWS_DELAY | TARE_TRACE_KNOWS_SEQUENCE;
        origin.delay_ns = of.delay_ns;
        origin.sequence = of.sequence;
        if (of.thread != TARE_ORIGIN_THREAD_UNKNOWN) {
            origin.known |= TARE_TRACE_KNOWS_THREAD;
            origin.thread = of.thread;
        }
        if (of.sent_ns != 0) {
            origin.known |= TARE_TRACE_KNOWS_SENT;
            origin.sent_ns = of.sent_ns;
        }
        return origin;
    }

    tare_received_log_t log_;
};

}  // namespace tare::pmpi

#endif
