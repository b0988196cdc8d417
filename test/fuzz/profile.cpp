// SPDX-License-Identifier: BSD-3-Clause
// One file of a TAU profile: it is read, or refused with one sentence.
#include "holds.hpp"
#include "input.hpp"
#include "tau_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text = fuzz::input(data, size).rest();
    try {
        const tare::profile::read_file file = tare::profile::parse(text, "profile.0.0.0");
        for (const tare::profile::read_function &f : file.functions)
            HOLDS(f.calls >= 0 && f.subrs >= 0 && f.excl_ns >= 0 && f.incl_ns >= 0);
        for (const tare::profile::read_sizes &s : file.sizes)
            HOLDS(s.sizes.messages > 0 && s.sizes.bytes >= 0);
    } catch (const tare::profile::error &e) {
        HOLDS(std::string_view(e.what()).substr(0, 13) == "profile.0.0.0");
    }
    return 0;
}
