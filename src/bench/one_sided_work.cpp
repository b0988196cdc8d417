// SPDX-License-Identifier: BSD-3-Clause
#include "one_sided_work.hpp"

#include <algorithm>
#include <cstring>

#include "payload.hpp"

namespace tare::bench {
namespace {

// A word as fetch-and-op adds it: its sums may wrap around.
unsigned long long word_of(const side &self, int rank) {
    char bytes[sizeof(unsigned long long)];
    for (std::size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = payload_byte(rank, self.batch, i);
    unsigned long long word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

bool holds_word(const char *memory, unsigned long long word) {
    return std::memcmp(memory, &word, sizeof word) == 0;
}

}  // namespace

one_sided_work::one_sided_work(const side &on, operation what, int ways)
    : work(on), does(what), is_origin(self.rank == 0 || ways == 2), is_target(self.rank == 1 || ways == 2),
      shown(self, is_origin, is_target), found(self.bytes), compared(self.bytes) {}

void one_sided_work::run(int count) {
    const int calls = is_origin ? std::max(self.window, 1) : 0;
    for (int i = 0; i < count; ++i) {
        shown.open();
        for (int k = 0; k < calls; ++k) {
            before_call(self.tool);
            call();
        }
        shown.close();
    }
}

void one_sided_work::call() {
    const int target = shown.target();
    const MPI_Aint place = shown.target_place();
    const MPI_Win win = shown.handle();
    char *const local = self.send_buffer;
    const int n = self.size;
    switch (does) {
    case operation::put: MPI_Put(local, n, MPI_CHAR, target, place, n, MPI_CHAR, win); break;
    case operation::get: MPI_Get(local, n, MPI_CHAR, target, place, n, MPI_CHAR, win); break;
    case operation::acc:
        MPI_Accumulate(local, n, MPI_SIGNED_CHAR, target, place, n, MPI_SIGNED_CHAR, MPI_SUM, win);
        break;
    case operation::get_acc:
        MPI_Get_accumulate(local, n, MPI_SIGNED_CHAR, found.data(), n, MPI_SIGNED_CHAR, target, place, n,
                           MPI_SIGNED_CHAR, MPI_SUM, win);
        break;
    case operation::fop: MPI_Fetch_and_op(local, found.data(), MPI_LONG_LONG, target, place, MPI_SUM, win); break;
    case operation::cas:
        MPI_Compare_and_swap(local, compared.data(), found.data(), MPI_LONG_LONG, target, place, win);
        break;
    }
}

// The window's memory has bytes of its own, as of a rank that is not there.
void one_sided_work::fill() {
    const int other = memory_of(shown.target());
    fill_bytes(self, self.send_buffer, self.rank);
    fill_bytes(self, shown.memory(), memory_of(self.rank));
    fill_bytes(self, compared.data(), other);
    fill_complement(self, found.data(), other);
}

bool one_sided_work::is_right(int count) const {
    const int calls = count * std::max(self.window, 1);
    return (!is_origin || is_right_at_origin(calls)) && (!is_target || is_right_at_target(calls));
}

// Bytes of the memory of `target`, with those of `origin` added so many times.
bool one_sided_work::holds_sums(const char *memory, int target, int origin, int calls) const {
    for (std::size_t i = 0; i < self.bytes; ++i) {
        const int added = calls % 256 * payload_byte(origin, self.batch, i);
        if (memory[i] != static_cast<char>(payload_byte(memory_of(target), self.batch, i) + added))
            return false;
    }
    return true;
}

// What the last call found, where it found anything.
bool one_sided_work::is_right_at_origin(int calls) const {
    const int target = shown.target();
    const unsigned long long own = word_of(self, self.rank);
    const unsigned long long before = word_of(self, memory_of(target));
    switch (does) {
    case operation::get: return holds_message(self, self.send_buffer, memory_of(target));
    case operation::get_acc: return holds_sums(found.data(), target, self.rank, calls - 1);
    case operation::fop: return holds_word(found.data(), before + own * static_cast<unsigned>(calls - 1));
    case operation::cas: return holds_word(found.data(), calls == 1 ? before : own);
    default: return true;
    }
}

bool one_sided_work::is_right_at_target(int calls) const {
    const int origin = shown.target();
    const unsigned long long given = word_of(self, origin);
    switch (does) {
    case operation::put: return holds_message(self, shown.memory(), origin);
    case operation::get: return holds_sums(shown.memory(), self.rank, origin, 0);
    case operation::fop:
        return holds_word(shown.memory(), word_of(self, memory_of(self.rank)) + given * static_cast<unsigned>(calls));
    case operation::cas: return holds_word(shown.memory(), given);
    default: return holds_sums(shown.memory(), self.rank, origin, calls);
    }
}

}  // namespace tare::bench
