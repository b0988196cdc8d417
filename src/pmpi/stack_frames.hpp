// SPDX-License-Identifier: BSD-3-Clause
// Which frame of the calling thread's stack has memory that a call names, for a trace with TARE_TRACE_RECORDS=stack.
#ifndef TARE_PMPI_STACK_FRAMES_HPP
#define TARE_PMPI_STACK_FRAMES_HPP

#include "trace_event.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tare::pmpi {

struct stack_place {
    std::uint32_t frame = TARE_TRACE_NONE;       // a text; NONE: no frame of this thread has it
    std::int64_t offset = 0;                     // from its canonical frame address on: what lies in it is below that
};

// A thread's. Its stack is unwound when it is asked under a chain of calls for the first time. While each return address
// of the chain is still where it was, the frames are those.
class stack_frames {
  public:
    stack_frames();

    // Of the thread's own stack alone.
    stack_place find(std::uint64_t address);

  private:
    struct frame {
        std::uint64_t returns_to;        // its code, where the call that it has made returns to
        std::uint64_t low;               // the stack pointer behind that call; it ends where the next one begins
        std::uint32_t text;              // NONE: nobody has asked for it
    };
    // The innermost frame first, which the key is of: that of the caller of find().
    struct chain {
        frame first{};
        std::vector<frame> frames;
    };
    static constexpr std::size_t most_chains = 16;

    static bool is_still_there(const frame &f);
    static void unwind(const frame &first, std::vector<frame> &to);
    static bool find_in(chain &c, std::uint64_t address, bool is_new, frame *&found);
    std::uint32_t text_of(std::uint64_t returns_to);

    std::uint64_t end_;                  // of the thread's stack; 0: not known
    chain chains_[most_chains];
    std::unordered_map<std::uint64_t, std::uint32_t> texts_;     // by where a call returns to
};

}  // namespace tare::pmpi

#endif
