// SPDX-License-Identifier: BSD-3-Clause
#include "conversion.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzz::convert(fuzz::input(data, size).rest(), "json");
    return 0;
}
