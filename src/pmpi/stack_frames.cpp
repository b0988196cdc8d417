// SPDX-License-Identifier: BSD-3-Clause
#include "stack_frames.hpp"

#include "site_name.hpp"
#include "tare_measure.h"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <unwind.h>

namespace tare::pmpi {
namespace {

constexpr std::size_t most_frames = 1000;

std::uint64_t end_of_stack()
{
    pthread_attr_t attributes;
    void *begin = nullptr;
    std::size_t bytes = 0;
    const int saved_errno = errno;
    const bool is_known = pthread_getattr_np(pthread_self(), &attributes) == 0;
    if (is_known) {
        pthread_attr_getstack(&attributes, &begin, &bytes);
        pthread_attr_destroy(&attributes);
    }
    errno = saved_errno;
    return is_known ? reinterpret_cast<std::uint64_t>(begin) + bytes : 0;
}

template <typename Frame> struct unwinding {
    const Frame &first;
    std::vector<Frame> &to;
};

}  // namespace

stack_frames::stack_frames() : end_(end_of_stack()) {}

// On x86-64 a call leaves its return address just below the frame that it returns to. Elsewhere nothing is believed.
bool stack_frames::is_still_there(const frame &f)
{
#ifdef __x86_64__
    std::uint64_t there;
    std::memcpy(&there, reinterpret_cast<const void *>(f.low - sizeof there), sizeof there);
    return there == f.returns_to;
#else
    return f.low == 0;
#endif
}

// While it visits a function, "the CFA" of gcc's unwinder is that of the function called by it: its own stack pointer.
void stack_frames::unwind(const frame &first, std::vector<frame> &to)
{
    to.clear();
    unwinding<frame> u{first, to};
    _Unwind_Backtrace(
        [](_Unwind_Context *context, void *data) {
            const auto &all = *static_cast<unwinding<frame> *>(data);
            const frame f = {_Unwind_GetIP(context), _Unwind_GetCFA(context), TARE_TRACE_NONE};
            const bool is_first = f.low == all.first.low && f.returns_to == all.first.returns_to;
            if (is_first || !all.to.empty())
                all.to.push_back(f);
            return all.to.size() < most_frames ? _URC_NO_REASON : _URC_END_OF_STACK;
        },
        &u);
}

// False: the chain is another one by now. Of its last frame nobody knows where it ends: nothing is found in that.
bool stack_frames::find_in(chain &c, std::uint64_t address, bool is_new, frame *&found)
{
    for (std::size_t i = 0; i + 1 < c.frames.size(); i++) {
        if (!is_new && !is_still_there(c.frames[i + 1]))
            return false;
        if (address >= c.frames[i + 1].low)
            continue;
        found = &c.frames[i];
        return true;
    }
    return true;
}

std::uint32_t stack_frames::text_of(std::uint64_t returns_to)
{
    const auto [at, is_new] = texts_.try_emplace(returns_to, TARE_TRACE_NONE);
    if (is_new) {
        const auto *code = reinterpret_cast<const void *>(returns_to);
        at->second = tare_measure_trace_text(symbols::text_of_caller(symbols::place_of_return(code)).c_str());
    }
    return at->second;
}

__attribute__((noinline)) stack_place stack_frames::find(std::uint64_t address)
{
    const frame first = {reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),
                         reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa()), TARE_TRACE_NONE};
    if (address < first.low || address >= end_)
        return {};
    chain &c = chains_[(first.low >> 4 ^ first.returns_to) % most_chains];
    frame *found = nullptr;
    const bool is_known = c.first.low == first.low && c.first.returns_to == first.returns_to;
    if (!is_known || !find_in(c, address, false, found)) {
        c.first = first;
        unwind(first, c.frames);
        find_in(c, address, true, found);
    }
    if (found == nullptr)
        return {};
    if (found->text == TARE_TRACE_NONE)
        found->text = text_of(found->returns_to);
    return {found->text, static_cast<std::int64_t>(address - found[1].low)};
}

}  // namespace tare::pmpi
