// SPDX-License-Identifier: BSD-3-Clause
// The archive of one rank, from its first events to its definitions.
#ifndef TARE_TRACE_RANK_TRACE_HPP
#define TARE_TRACE_RANK_TRACE_HPP

#include "call_records.hpp"
#include "trace_module.h"

#include <memory>

namespace tare::trace {

// Where the archive of a rank is, and the file that says that it is closed.
std::string folder_of_rank(const std::string &dir, int rank);
std::string mark_of_rank(const std::string &dir, int rank);

class rank_trace {
  public:
    explicit rank_trace(const tare_trace_run_t &run);

    void write(std::uint32_t thread, const tare_trace_event_t *events, std::size_t count, std::uint32_t left_out);
    void define(const tare_trace_definition_t *definitions, std::size_t count);
    void name_thread(std::uint32_t thread, const std::string &name) { names_[thread] = name; }
    void end(const tare_trace_region_t *regions, std::size_t count);

  private:
    // A thread: what is open, and its latest time stamp.
    struct thread_out {
        OTF2_EvtWriter *out = nullptr;
        std::vector<std::uint32_t> open;
        std::uint64_t latest_ns = 0;
        std::uint64_t events = 0;
        std::uint32_t left_out = 0;      // regions that are left out and open: all in one another
        call_records records;
    };
    struct free_list {
        void operator()(OTF2_AttributeList *list) const { OTF2_AttributeList_Delete(list); }
    };

    thread_out &thread_of(std::uint32_t thread);
    void write(thread_out &to, const tare_trace_event_t *event, std::uint32_t left_out);
    void enter(thread_out &to, const tare_trace_event_t &event);
    void leave(thread_out &to, const tare_trace_event_t &event);
    void write_in_mpi(thread_out &to, const tare_trace_event_t *event);
    OTF2_ErrorCode write_message(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes);
    OTF2_ErrorCode write_collective(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes);
    OTF2_ErrorCode write_on_window(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes);
    OTF2_ErrorCode write_between_threads(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes);
    OTF2_ErrorCode write_rest(thread_out &to, const tare_trace_record_t &r, OTF2_AttributeList *attributes);
    void stamp(thread_out &to, const tare_trace_event_t &event);
    OTF2_AttributeList *removed(const thread_out &at, const tare_trace_event_t &event);
    void add_origin(const tare_trace_origin_t &origin);
    void define_comm(const tare_trace_definition_t &d);
    void define_group(const tare_trace_definition_t &d);
    void define_what_is_lost();
    void end_location(std::uint64_t number);
    void check(OTF2_ErrorCode code) { archive_.check(code); }
    void end_locations();
    std::string location_name(std::uint32_t thread) const;
    rank_part part() const;
    void add_others();

    const std::string dir_;
    const int rank_, ranks_;
    const std::string host_;
    const bool measured_clock_;
    archive_out archive_;
    std::unique_ptr<OTF2_AttributeList, free_list> attributes_;
    std::map<std::uint32_t, thread_out> threads_;
    std::map<std::uint32_t, std::string> names_;
    definitions found_;
    std::uint32_t groups_used_ = 0, comms_used_ = 0, windows_used_ = 0, texts_used_ = 0;         // that events name
};

}  // namespace tare::trace

#endif
