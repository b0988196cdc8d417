// SPDX-License-Identifier: BSD-3-Clause
#include "scale_tables.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>

namespace scale {

namespace {

constexpr std::uint32_t most_peers = 64;

// Chosen so that no two share a slot: the n-th number whose slot is still free.
struct places {
    std::vector<std::uint64_t> keys;
    std::vector<std::size_t> bytes;
};

// Where the table keeps what it learns of a peer: a slot begins with the peer.
std::size_t place_of(std::uint64_t key)
{
    static const auto table = std::make_unique<tare::latency_table>();
    auto *memory = reinterpret_cast<unsigned char *>(table.get());
    std::memset(static_cast<void *>(table.get()), 0, sizeof *table);
    table->learn(key, message_class, 1, 1, true);
    for (std::size_t at = 0; at + sizeof key <= sizeof *table; at += sizeof key) {
        if (std::memcmp(memory + at, &key, sizeof key) == 0)
            return at;
    }
    throw std::runtime_error("the latency table keeps a peer where it cannot be found");
}

places find_places()
{
    places found;
    std::set<std::size_t> taken;
    for (std::uint32_t rank = 0; found.keys.size() < most_peers; ++rank) {
        const std::uint64_t key = tare_peer(0x5ca1e, rank);
        const std::size_t at = place_of(key);
        if (taken.insert(at).second) {
            found.keys.push_back(key);
            found.bytes.push_back(at);
        }
    }
    return found;
}

const places &all_places()
{
    static const places found = find_places();
    return found;
}

}  // namespace

std::uint64_t peer_key(std::uint32_t peer) { return all_places().keys[peer]; }

table_layout look_at_table()
{
    std::size_t slot_bytes = 0;
    for (const std::size_t at : all_places().bytes)
        slot_bytes = std::gcd(slot_bytes, at);
    return {slot_bytes, sizeof(tare::latency_table) / slot_bytes};
}

latency_tables::latency_tables(const std::vector<std::uint32_t> &peers)
    : slot_bytes_(look_at_table().slot_bytes), first_(peers.size() + 1)
{
    if (*std::max_element(peers.begin(), peers.end()) > most_peers)
        throw std::runtime_error("a process has more than 64 peers");
    std::partial_sum(peers.begin(), peers.end(), first_.begin() + 1);
    place_ = all_places().bytes;
    kept_.resize(first_.back() * slot_bytes_);
}

unsigned char *latency_tables::kept(std::int32_t process, std::uint32_t peer)
{
    return kept_.data() + (first_[static_cast<std::size_t>(process)] + peer) * slot_bytes_;
}

void latency_tables::load(std::int32_t process, std::uint32_t peer)
{
    auto *memory = reinterpret_cast<unsigned char *>(&tare::latencies);
    std::memcpy(memory + place_[peer], kept(process, peer), slot_bytes_);
}

void latency_tables::save(std::int32_t process, std::uint32_t peer)
{
    const auto *memory = reinterpret_cast<const unsigned char *>(&tare::latencies);
    std::memcpy(kept(process, peer), memory + place_[peer], slot_bytes_);
}

void latency_tables::forget(std::int32_t process, std::uint32_t peer)
{
    std::memset(kept(process, peer), 0, slot_bytes_);
}

}  // namespace scale
