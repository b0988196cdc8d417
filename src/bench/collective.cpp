// SPDX-License-Identifier: BSD-3-Clause
#include "collective.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "payload.hpp"

namespace tare::bench {
namespace {

bool is_reduction(outcome leaves) {
    return leaves >= outcome::sum && leaves <= outcome::sum_before;
}

bool is_among_neighbours(outcome leaves) {
    return leaves == outcome::neighbours_gathered || leaves == outcome::neighbours_exchanged;
}

MPI_Comm make_line(const side &self) {
    MPI_Comm line = MPI_COMM_NULL;
    if (self.wanted->neighbours == neighbourhood::cart) {
        const int is_periodic = 0;
        MPI_Cart_create(MPI_COMM_WORLD, 1, &self.ranks, &is_periodic, 0, &line);
        return line;
    }
    const std::vector<int> others = neighbours_of(self.rank, self.ranks, neighbourhood::graph);
    const int degree = static_cast<int>(others.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, others.data(), MPI_UNWEIGHTED, degree, others.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &line);
    return line;
}

// As even as it goes, the first ranks have one element more.
std::vector<int> parts_of(int elements, int ranks) {
    std::vector<int> parts(static_cast<std::size_t>(ranks), elements / ranks);
    for (int rank = 0; rank < elements % ranks; ++rank)
        parts[rank]++;
    return parts;
}

bool holds_sums(const side &self, const arguments &given, int elements, int first_place, int ranks) {
    for (int i = 0; i < elements; ++i) {
        float expected = 0;
        for (int rank = 0; rank < ranks; ++rank)
            expected += payload_number(rank, self.batch, static_cast<std::size_t>(first_place) + i);
        float found = 0;
        std::memcpy(&found, given.in + static_cast<std::size_t>(i) * sizeof found, sizeof found);
        if (found != expected)
            return false;
    }
    return true;
}

// Blocks from `others`, of each what it sends to this rank: from the place that `from(other)` says.
template <typename From>
bool holds_blocks(const side &self, const arguments &given, const std::vector<int> &others, const From &from) {
    for (std::size_t i = 0; i < others.size(); ++i) {
        const char *block = given.in + i * static_cast<std::size_t>(self.size);
        if (others[i] != MPI_PROC_NULL &&
            !holds_message(self, block, others[i], static_cast<std::size_t>(from(others[i])) * self.size))
            return false;
    }
    return true;
}

int place_among(const std::vector<int> &ranks, int rank) {
    return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

}  // namespace

std::vector<int> neighbours_of(int rank, int ranks, neighbourhood how) {
    std::vector<int> all;
    if (rank > 0 || how == neighbourhood::cart)
        all.push_back(rank > 0 ? rank - 1 : MPI_PROC_NULL);
    if (rank + 1 < ranks || how == neighbourhood::cart)
        all.push_back(rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL);
    return all;
}

arguments::arguments(const side &self, outcome leaves)
    : out(self.send_buffer), in(self.receive_buffer), count(self.size), type(MPI_CHAR) {
    if (is_reduction(leaves)) {
        count = self.size / static_cast<int>(sizeof(float));
        type = MPI_FLOAT;
        parts = parts_of(count, self.ranks);
    }
    std::size_t blocks = static_cast<std::size_t>(self.ranks);
    if (is_among_neighbours(leaves)) {
        comm = make_line(self);
        blocks = neighbours_of(self.rank, self.ranks, self.wanted->neighbours).size();
    }
    counts.assign(blocks, count);
    types.assign(blocks, type);
    for (std::size_t i = 0; i < blocks; ++i) {
        wide_places.push_back(static_cast<MPI_Aint>(i) * count);
        places.push_back(static_cast<int>(wide_places.back()));
    }
}

arguments::~arguments() {
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
}

bool is_collected(const side &self, const arguments &given, outcome leaves, int count) {
    std::vector<int> everybody(static_cast<std::size_t>(self.ranks));
    std::iota(everybody.begin(), everybody.end(), 0);
    const auto whole = [](int) { return 0; };
    const auto own_part = [&](int) { return self.rank; };
    const bool was_root = self.rank < count;
    const std::vector<int> near = neighbours_of(self.rank, self.ranks, self.wanted->neighbours);
    const auto towards_this = [&](int other) {
        return place_among(neighbours_of(other, self.ranks, self.wanted->neighbours), self.rank);
    };
    switch (leaves) {
    case outcome::nothing: return true;
    case outcome::broadcast: return holds_message(self, given.out, 0);
    case outcome::gathered: return holds_blocks(self, given, everybody, whole);
    case outcome::gathered_at_root: return !was_root || holds_blocks(self, given, everybody, whole);
    case outcome::exchanged: return holds_blocks(self, given, everybody, own_part);
    case outcome::scattered: return holds_blocks(self, given, {(count - 1) % self.ranks}, own_part);
    case outcome::sum: return holds_sums(self, given, given.count, 0, self.ranks);
    case outcome::sum_at_root: return !was_root || holds_sums(self, given, given.count, 0, self.ranks);
    case outcome::sum_of_part:
        return holds_sums(self, given, given.parts[self.rank],
                          std::accumulate(given.parts.begin(), given.parts.begin() + self.rank, 0), self.ranks);
    case outcome::sum_of_block: return holds_sums(self, given, given.count, self.rank * given.count, self.ranks);
    case outcome::sum_before_next: return holds_sums(self, given, given.count, 0, self.rank + 1);
    case outcome::sum_before: return self.rank == 0 || holds_sums(self, given, given.count, 0, self.rank);
    case outcome::neighbours_gathered: return holds_blocks(self, given, near, whole);
    case outcome::neighbours_exchanged: return holds_blocks(self, given, near, towards_this);
    }
    return false;
}

}  // namespace tare::bench
