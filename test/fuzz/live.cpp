// SPDX-License-Identifier: BSD-3-Clause
// The records that a process has left: what can be read of them is, and nothing outside of them.
#include "holds.hpp"
#include "input.hpp"
#include "live.hpp"
#include "live_calls.hpp"
#include "temporary.hpp"

namespace {

void read_records(const std::string &path)
{
    try {
        for (const tare::profile::thread &t : tare::profile::read_live(path))
            HOLDS(t.number >= 0);
    } catch (const tare::profile::error &e) {
        HOLDS(std::string_view(e.what()).substr(0, path.size()) == path);
    }
}

void read_notes(const std::string &path)
{
    try {
        tare::profile::read_live_calls(path);
        tare::profile::read_live_sent(path);
    } catch (const tare::profile::error &e) {
        HOLDS(std::string_view(e.what()).substr(0, path.size()) == path);
    }
}

void read_trace(const std::string &path)
{
    try {
        const tare::profile::live_trace left = tare::profile::read_live_trace(path);
        for (const auto &piece : left.pieces)
            for (const tare_trace_event_t &e : piece.events)
                HOLDS(e.kind != TARE_TRACE_ENTER || e.of < left.regions.size());
    } catch (const tare::profile::error &e) {
        HOLDS(std::string_view(e.what()).substr(0, path.size()) == path);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const fuzz::temporary file(fuzz::input(data, size).rest());
    read_records(file.path());
    read_notes(file.path());
    read_trace(file.path());
    return 0;
}
