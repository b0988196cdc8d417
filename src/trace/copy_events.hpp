// SPDX-License-Identifier: BSD-3-Clause
// The events of a location, from one archive into another; those on windows are kept by their times.
#ifndef TARE_TRACE_COPY_EVENTS_HPP
#define TARE_TRACE_COPY_EVENTS_HPP

#include "reader_calls.hpp"
#include "trace_module.h"

#include <cstdint>
#include <vector>

namespace tare::trace {

// What the numbers of an archive are in the new one.
struct copied_numbers {
    std::vector<std::uint32_t> regions, comms, windows, texts;
    std::uint32_t first_group = 0;           // what its first group is
};

// What is copied of a location.
struct copied_range {
    std::uint64_t from_ns, to_ns;        // stamps; both are in it
    const std::uint64_t *left_out;       // in order; see tare_trace_kept
    std::size_t left_out_count;
};

// What regions are open where the range begins is entered there, and what is open where it ends is left there. They have
// the removed time of what came before.
class location_copy {
  public:
    location_copy(const copied_numbers &numbers, const copied_range &range, archive_out &to, OTF2_EvtWriter *out);

    // All events; `tried` begins what is said of an error in reading.
    void run(OTF2_Reader *reader, OTF2_LocationRef location, std::uint64_t events, const std::string &tried);

    std::uint64_t written() const { return written_; }
    std::uint64_t first_ns() const { return first_ns_; }     // of what was written
    std::uint64_t last_ns() const { return last_ns_; }

  private:
    friend struct copy_calls;

    struct free_list {
        void operator()(OTF2_AttributeList *list) const { OTF2_AttributeList_Delete(list); }
    };

    bool takes(std::uint64_t time_ns, OTF2_AttributeList *attributes);
    bool takes_in_mpi(std::uint64_t time_ns, OTF2_AttributeList *attributes, bool is_counted);
    void begin();
    void end();
    void write_boundary(bool is_enter, std::uint64_t time_ns, std::uint32_t region);
    OTF2_AttributeList *copied(OTF2_AttributeList *attributes);
    void note(OTF2_ErrorCode code, std::uint64_t time_ns);
    std::uint32_t region(OTF2_RegionRef number) const;
    std::uint32_t comm(OTF2_CommRef number) const;
    std::uint32_t window(OTF2_RmaWinRef number) const;
    OTF2_StringRef text(OTF2_StringRef number) const;
    OTF2_GroupRef moved_group(OTF2_GroupRef number) const;

    const copied_numbers &numbers_;
    const copied_range &range_;
    archive_out &to_;
    OTF2_EvtWriter *const out_;
    std::unique_ptr<OTF2_AttributeList, free_list> list_;
    std::vector<std::uint32_t> open_;                        // regions, as the new archive numbers them
    std::int64_t removed_ns_ = 0;                            // of the latest event
    std::uint64_t latest_ns_ = 0, counted_ = 0, written_ = 0, first_ns_ = UINT64_MAX, last_ns_ = 0;
    std::size_t at_left_out_ = 0;
    bool has_begun_ = false, is_over_ = false;
    OTF2_ErrorCode failure_ = OTF2_SUCCESS;                  // of writing, behind which nothing is written
};

}  // namespace tare::trace

#endif
