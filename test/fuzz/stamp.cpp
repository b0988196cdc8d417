// SPDX-License-Identifier: BSD-3-Clause
// A stamp of any bits, in both forms: what is taken out of it is in its range and goes back.
#include "holds.hpp"
#include "input.hpp"
#include "tare_transport.h"

namespace {

void check_bounds(tare_wire_t wire)
{
    const std::int64_t delay = tare_wire_delay_ns(wire);
    HOLDS(delay >= TARE_WIRE_DELAY_MIN_NS && delay <= TARE_WIRE_DELAY_MAX_NS);
    HOLDS(tare_wire_width_lo_ns(wire) >= 0 && tare_wire_width_hi_ns(wire) >= 0);
    HOLDS(tare_wire_delay_lo_ns(wire) <= delay && delay <= tare_wire_delay_hi_ns(wire));
    HOLDS(tare_wire_delay_lo_ns(wire) >= -2 * TARE_WIRE_FAR_NS && tare_wire_delay_hi_ns(wire) <= 2 * TARE_WIRE_FAR_NS);
    if (tare_wire_is_sharp(wire))
        HOLDS(tare_wire_delay_hi_ns(wire) - delay <= 0);
}

void check_time(tare_wire_t wire, std::int64_t near_ns)
{
    const std::int64_t time = tare_wire_time_near_ns(wire, near_ns);
    HOLDS(time - near_ns <= TARE_WIRE_DELAY_MAX_NS && time - near_ns >= TARE_WIRE_DELAY_MIN_NS);
    HOLDS((static_cast<std::uint64_t>(time) ^ wire.w1) << 16 == 0);
}

// Rounded up by less than one part in 256.
void check_width(std::int64_t width_ns)
{
    const std::int64_t rounded = tare_wire_width_ns(tare_wire_width_code(width_ns));
    HOLDS(rounded >= width_ns);
    HOLDS(rounded == INT64_MAX || width_ns <= 0 || rounded - width_ns <= width_ns / 256);
}

void check_clocks(tare_wire_t wire, std::int64_t to_job_ns)
{
    tare_clock.to_job_ns = to_job_ns;
    tare_wire_t shifted = wire;
    tare_to_job_clock(&shifted);
    tare_from_job_clock(&shifted);
    HOLDS(shifted.w0 == wire.w0 && shifted.w1 == wire.w1);
}

// Any that a transport may choose.
tare_short_layout_t any_layout(fuzz::input &in)
{
    tare_short_layout_t l{};
    l.delay_bits = static_cast<std::uint8_t>(3 + in.byte() % 46);
    l.time_bits = static_cast<std::uint8_t>(in.byte() % (63 - l.delay_bits) % 49);
    l.time_shift = static_cast<std::uint8_t>(in.byte() % (49 - l.time_bits));
    return l;
}

void check_short(std::uint64_t any, tare_short_layout_t l)
{
    const std::uint64_t bits = any & ((UINT64_C(1) << (1 + l.delay_bits + l.time_bits)) - 1);
    const tare_wire_t wire = tare_short_unpack(bits, l);
    const std::uint64_t raw = bits >> (1 + l.time_bits);
    check_bounds(wire);
    if (raw > TARE_SHORT_MUTED)
        HOLDS(tare_short_pack(wire, l) == bits);
    else
        HOLDS(tare_short_pack(wire, l) >> (1 + l.time_bits) == raw);
}

void check_shortened(tare_wire_t wire, tare_short_layout_t l)
{
    tare_short_layout = l;
    const std::uint64_t saturated = tare_core_thread()->saturated;
    const tare_wire_t back = tare_short_unpack(tare_core_shorten(wire), l);
    const unsigned flags = tare_wire_flags(wire);
    const bool is_the_programs = (flags & (TARE_WIRE_ACTIVE | TARE_WIRE_MUTED)) == TARE_WIRE_ACTIVE;
    const bool is_cut = is_the_programs && !tare_short_fits(wire, l);
    HOLDS(tare_core_thread()->saturated == saturated + is_cut);
    HOLDS(!tare_is_active(&wire) == !tare_is_active(&back));
    if (is_the_programs && !is_cut)
        HOLDS(tare_wire_delay_ns(back) == tare_wire_delay_ns(wire));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzz::input in(data, size);
    const tare_wire_t wire{in.number<std::uint64_t>(), in.number<std::uint64_t>()};
    const auto number = in.number<std::int64_t>();
    check_bounds(wire);
    check_time(wire, number / 4);
    check_width(number);
    check_clocks(wire, number / 4);
    const tare_short_layout_t l = any_layout(in);
    check_short(in.number<std::uint64_t>(), l);
    check_shortened(wire, l);
    return 0;
}
