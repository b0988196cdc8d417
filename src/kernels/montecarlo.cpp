// SPDX-License-Identifier: BSD-3-Clause
// Points thrown at a circle, for pi: rank 0 gives pieces of work to who has brought the last one back, itself among
// them, by messages from any source. Who does how much depends on time, so no rule can repair it.
#include <cmath>

#include "kernel.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

constexpr int pieces_per_step = 24;
constexpr int no_piece = -1;
constexpr int work_tag = 1, result_tag = 2;

class montecarlo_kernel : public kernel {
  public:
    montecarlo_kernel(const process &, int points) : points_(points) {}

    void step(process &self, int number) override {
        const int first = number * pieces_per_step;
        if (self.rank == 0)
            lead(self, first, first + pieces_per_step);
        else
            follow(self);
    }

    // The same pieces, dealt out by number.
    verdict check(process &self, int steps) override {
        std::int64_t again = 0, all = 0;
        for (int piece = self.rank; piece < steps * pieces_per_step; piece += self.ranks)
            again += hits_of(piece);
        MPI_Allreduce(&again, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(&hits_, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
        const double thrown = double(points_) * steps * pieces_per_step;
        const double error = 4 * double(hits_) / thrown - 3.14159265358979323846;
        const double six_sigma = 6 * 1.65 / std::sqrt(thrown);
        return {hits_ == all && std::fabs(error) <= six_sigma, std::uint64_t(hits_)};
    }

  private:
    std::int64_t hits_of(int piece) const {
        std::uint64_t state = scrambled(std::uint64_t(piece));
        std::int64_t hits = 0;
        for (int i = 0; i < points_; ++i) {
            state = scrambled(state);
            const double x = double(state >> 32) * 0x1p-32, y = double(state & 0xffffffff) * 0x1p-32;
            hits += x * x + y * y <= 1;
        }
        return hits;
    }

    std::int64_t work(process &self, int piece) const {
        std::int64_t hits = 0;
        self.work([&] { hits = hits_of(piece); });
        return hits;
    }

    void give(process &self, int rank, int piece) const {
        self.call([&] { MPI_Send(&piece, 1, MPI_INT, rank, work_tag, MPI_COMM_WORLD); });
    }

    void lead(process &self, int next, int end) {
        const auto take = [&] { return next < end ? next++ : no_piece; };
        int own = take(), busy = self.ranks;
        for (int rank = 1; rank < self.ranks; ++rank)
            give(self, rank, take());
        std::int64_t own_hits = 0;
        MPI_Request own_result = MPI_REQUEST_NULL;
        while (busy > 0) {
            if (own != no_piece) {
                own_hits = work(self, own);
                self.call([&] {
                    MPI_Isend(&own_hits, 1, MPI_INT64_T, 0, result_tag, MPI_COMM_WORLD, &own_result);
                });
                own = no_piece;
            }
            std::int64_t hits = 0;
            const int from = receive(self, hits);
            hits_ += hits;
            const int piece = take();
            busy -= piece == no_piece;
            if (from != 0) {
                give(self, from, piece);
                continue;
            }
            self.call([&] { MPI_Wait(&own_result, MPI_STATUS_IGNORE); });
            own = piece;
        }
    }

    static int receive(process &self, std::int64_t &hits) {
        MPI_Status status;
        self.call([&] {
            MPI_Recv(&hits, 1, MPI_INT64_T, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status);
        });
        return status.MPI_SOURCE;
    }

    void follow(process &self) const {
        for (;;) {
            int piece = no_piece;
            self.call([&] { MPI_Recv(&piece, 1, MPI_INT, 0, work_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
            if (piece == no_piece)
                return;
            const std::int64_t hits = work(self, piece);
            self.call([&] { MPI_Send(&hits, 1, MPI_INT64_T, 0, result_tag, MPI_COMM_WORLD); });
        }
    }

    int points_;
    std::int64_t hits_ = 0;
};

}  // namespace

extern const kernel_kind montecarlo;
const kernel_kind montecarlo = {"montecarlo", "master and workers, results from any source: not repairable",
                                "points in a piece", 20000, 1, 100000000, 60, false, make_kernel<montecarlo_kernel>};

}  // namespace tare::kernels
