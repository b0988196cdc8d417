// SPDX-License-Identifier: BSD-3-Clause
// Points thrown at a circle, for pi: rank 0 gives pieces of work to whoever brings one back, by messages from any
// source. With two workers or more who does how much depends on time, so no rule can repair it.
//
// `contest` is the same for three ranks on two cores: its master sleeps between its looks for a result.
#include <chrono>
#include <cmath>
#include <thread>

#include "kernel.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

constexpr int pieces_per_step = 16;
constexpr int no_piece = -1;
constexpr int work_tag = 1, result_tag = 2;

class montecarlo_kernel : public kernel {
  public:
    montecarlo_kernel(const process &, int points, bool sleeps = false) : points_(points), sleeps_(sleeps) {}

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
        int busy = self.ranks - 1;
        for (int rank = 1; rank < self.ranks; ++rank) {
            const int piece = take();
            give(self, rank, piece);
            busy -= piece == no_piece;
        }
        while (busy > 0) {
            const int piece = take();
            give(self, receive(self), piece);
            busy -= piece == no_piece;
        }
    }

    // Who has brought a result.
    int receive(process &self) {
        std::int64_t hits = 0;
        MPI_Status status;
        if (sleeps_)
            sleep_until_there_is_one(self);
        self.call([&] {
            MPI_Recv(&hits, 1, MPI_INT64_T, MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &status);
        });
        hits_ += hits;
        return status.MPI_SOURCE;
    }

    static void sleep_until_there_is_one(process &self) {
        constexpr std::chrono::microseconds pause(20);
        for (int is_there = 0; !is_there;) {
            self.call([&] {
                MPI_Iprobe(MPI_ANY_SOURCE, result_tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
            });
            if (!is_there)
                std::this_thread::sleep_for(pause);
        }
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
    bool sleeps_;
    std::int64_t hits_ = 0;
};

std::unique_ptr<kernel> make_contest(const process &self, int points) {
    return std::make_unique<montecarlo_kernel>(self, points, true);
}

}  // namespace

extern const kernel_kind montecarlo, contest;
const kernel_kind montecarlo = {
    "montecarlo", "master and worker, results from any source", "points in a piece",
    20000, 1, 100000000, 100, 2, 1, 2, make_kernel<montecarlo_kernel>};
const kernel_kind contest = {
    "contest", "the same with two workers: the first result is not always the same one", "points in a piece",
    100000, 1, 100000000, 25, 3, 1, 0, make_contest};

}  // namespace tare::kernels
