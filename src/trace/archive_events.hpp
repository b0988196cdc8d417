// SPDX-License-Identifier: BSD-3-Clause
// The events of an archive, of one location after the other and of all in the order of time. What is in memory is a block
// of each location.
#ifndef TARE_TRACE_ARCHIVE_EVENTS_HPP
#define TARE_TRACE_ARCHIVE_EVENTS_HPP

#include "archive_definitions.hpp"

#include <cstddef>
#include <vector>

namespace tare::trace {

// Those of one location, as they come. It stays where it is: OTF2 has its address.
class location_events {
  public:
    // failure: why nothing can be read; "": it can.
    location_events(OTF2_Reader *reader, const archive_definitions &definitions, std::uint32_t location, std::size_t block,
                    const std::string &failure);
    location_events(const location_events &) = delete;
    location_events &operator=(const location_events &) = delete;

    bool is_over() const { return at_ == block_.size(); }
    const tare_archive_event_t &front() const { return block_[at_]; }
    void pop()
    {
        if (++at_ == block_.size())
            fill();
    }

    // What is wrong with it, in a sentence; "": nothing. When it is over.
    std::string problem() const;

  private:
    friend struct event_calls;

    void open();
    void fill();
    tare_archive_event_t &add(std::uint32_t kind, OTF2_TimeStamp time, const OTF2_AttributeList *attributes);
    std::string name() const;

    OTF2_Reader *const reader_;
    const archive_definitions &definitions_;
    const std::uint32_t location_, process_;
    const std::size_t capacity_;
    OTF2_EvtReader *in_ = nullptr;
    std::vector<tare_archive_event_t> block_;
    std::size_t at_ = 0;
    std::uint64_t read_ = 0, latest_ns_ = 0, went_back_ = 0;
    std::string failure_;                // in OTF2's words
};

// Reads the archive with this anchor file. Throws error if nothing of it can be read.
void read_archive(const std::string &anchor, const tare_archive_reading_t &to);

}  // namespace tare::trace

#endif
