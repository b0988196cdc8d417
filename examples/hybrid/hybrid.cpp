// SPDX-License-Identifier: BSD-3-Clause
// Heat on a ring: each thread of each process has a strip of it, and sends and receives the ends of that for itself.
//
//     mpicxx -O2 -fopenmp hybrid.cpp -o hybrid
//     mpiexec -n 2 ./hybrid [THREADS [CELLS [STEPS]]]       of a process, of a strip, in all; 4, 1000 and 100
//
// Rank 0 computes the ring alone, too, and compares: both are the same to the last bit.
#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct size {
    int threads = 4, cells = 1000, steps = 100;
};

double first_heat(int cell) { return cell % 97 == 0 ? 100.0 : cell % 7; }

// Cells, and one on either side that belongs to the neighbour.
class strip {
  public:
    strip(int first_cell, int cells) : now_(cells + 2), next_(cells + 2) {
        for (int i = 1; i <= cells; i++)
            now_[i] = first_heat(first_cell + i - 1);
    }

    double &left_of_it() { return now_.front(); }
    double &right_of_it() { return now_.back(); }
    const double &first() const { return now_[1]; }
    const double &last() const { return now_[now_.size() - 2]; }
    std::vector<double> cells() const { return {now_.begin() + 1, now_.end() - 1}; }

    void step() {
        for (std::size_t i = 1; i + 1 < now_.size(); i++)
            next_[i] = now_[i] + 0.25 * (now_[i - 1] - 2 * now_[i] + now_[i + 1]);
        now_.swap(next_);
    }

  private:
    std::vector<double> now_, next_;
};

enum side { from_left, from_right };

// A tag says which strip of the receiver's process the message is for, and on which side it lies. Which strip has sent
// it no message of MPI says.
int tag_for(int strip, side where) { return 2 * strip + where; }

void exchange(strip &mine, int number, int strips, int threads) {
    const int left = (number + strips - 1) % strips, right = (number + 1) % strips;
    MPI_Request requests[4];
    MPI_Irecv(&mine.left_of_it(), 1, MPI_DOUBLE, left / threads, tag_for(number, from_left), MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(&mine.right_of_it(), 1, MPI_DOUBLE, right / threads, tag_for(number, from_right), MPI_COMM_WORLD,
              &requests[1]);
    MPI_Isend(&mine.first(), 1, MPI_DOUBLE, left / threads, tag_for(left, from_right), MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&mine.last(), 1, MPI_DOUBLE, right / threads, tag_for(right, from_left), MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// What the threads of this process have in the end.
std::vector<double> play(const size &s, int rank, int ranks) {
    std::vector<double> result(std::size_t(s.threads) * s.cells);
#pragma omp parallel num_threads(s.threads)
    {
        const int thread = omp_get_thread_num(), number = rank * s.threads + thread;
        strip mine(number * s.cells, s.cells);
        for (int i = 0; i < s.steps; i++) {
            exchange(mine, number, ranks * s.threads, s.threads);
            mine.step();
        }
        const std::vector<double> cells = mine.cells();
        std::copy(cells.begin(), cells.end(), result.begin() + std::size_t(thread) * s.cells);
    }
    return result;
}

std::vector<double> play_alone(const size &s, int ranks) {
    strip all(0, ranks * s.threads * s.cells);
    for (int i = 0; i < s.steps; i++) {
        all.left_of_it() = all.last();
        all.right_of_it() = all.first();
        all.step();
    }
    return all.cells();
}

int compare(const size &s, const std::vector<double> &mine, int rank, int ranks) {
    std::vector<double> all(rank == 0 ? mine.size() * ranks : 0);
    MPI_Gather(mine.data(), int(mine.size()), MPI_DOUBLE, all.data(), int(mine.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return EXIT_SUCCESS;
    const bool is_right = all == play_alone(s, ranks);
    std::printf("%d threads in %d processes, %d cells each, %d steps: %s\n", ranks * s.threads, ranks, s.cells, s.steps,
                is_right ? "as played alone" : "not what one thread finds");
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Whether it is a number, and of those that are allowed.
bool read(const char *text, int *number) {
    char *end;
    const long value = std::strtol(text, &end, 10);
    *number = int(value);
    return end != text && *end == '\0' && value >= 1 && value <= 10000;
}

int run(int argc, char **argv, int level, int rank, int ranks) {
    size s;
    int *const numbers[] = {&s.threads, &s.cells, &s.steps};
    for (int i = 1; i < argc; i++)
        if (i > 3 || !read(argv[i], numbers[i - 1])) {
            if (rank == 0)
                std::fprintf(stderr, "hybrid: %s: allowed are THREADS, CELLS and STEPS, each from 1 to 10000\n",
                             argv[i]);
            return 2;
        }
    if (level != MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            std::fprintf(stderr, "hybrid: this MPI lets only one thread call it at a time\n");
        return EXIT_FAILURE;
    }
    return compare(s, play(s, rank, ranks), rank, ranks);
}

}  // namespace

int main(int argc, char **argv) {
    int level, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int status = run(argc, argv, level, rank, ranks);
    MPI_Finalize();
    return status;
}
