// SPDX-License-Identifier: BSD-3-Clause
// What a process's memory is called, and by which transfer it was brought. What the program itself writes into it is not in a
// trace: it says of whose data what is there was made.
#ifndef TARE_COMMS_MEMORY_HPP
#define TARE_COMMS_MEMORY_HPP

#include "transfer.hpp"

#include <set>
#include <tuple>
#include <vector>

namespace tare::comms {

// By which transfer.
using brought_map = interval_map<transfer_pointer>;

// Of what is there in these pieces.
origin origin_of(const std::vector<interval> &pieces, const brought_map &brought);

class memory {
  public:
    // Another name, or another place for it: what was brought there is gone with what it was.
    void name(const interval &i, std::uint32_t text);
    void forget_name(std::uint64_t address);
    std::uint32_t name_at(std::uint64_t address) const;

    // A part of the program uses it.
    void use(const interval &i, std::uint32_t text) { uses_.insert({i.begin, i.end, text}); }
    void add_users(const interval &i, std::set<std::uint32_t> &to) const;

    // Data of a module, and what of them has been found to be a variable: found(text, bytes from its beginning on) gives its
    // name and where it is. It stays so whatever is brought there.
    void name_module(const interval &i, std::uint32_t text) { modules_.assign(i, text); }
    template <typename Find> std::uint32_t variable_at(std::uint64_t address, const Find &found)
    {
        if (const std::uint32_t *known = variables_.find(address))
            return *known;
        interval where;
        const std::uint32_t *module = modules_.find(address, &where);
        if (module == nullptr)
            return unknown;
        const auto [text, i] = found(*module, where, address);
        variables_.assign(i, text);
        return text;
    }

    // A variable on a stack, as long as a call names it so. Where another one has been, what was brought is gone with it.
    void name_local(const interval &i, std::uint32_t text);

    void bring(const std::vector<interval> &pieces, const transfer_pointer &t);
    void copy(const std::vector<interval> &to, const std::vector<interval> &from);
    const brought_map &brought() const { return brought_; }
    brought_map brought_in(const std::vector<interval> &pieces) const;

  private:
    void copy_piece(std::uint64_t to, const interval &from);

    interval_map<std::uint32_t> names_, modules_, variables_, locals_;
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> uses_;
    brought_map brought_;
};

}  // namespace tare::comms

#endif
