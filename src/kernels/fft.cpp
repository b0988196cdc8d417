// SPDX-License-Identifier: BSD-3-Clause
// A two-dimensional Fourier transform: rows, transpose (MPI_Alltoallv), rows again; even steps forth, odd ones back.
//
// What is transformed is a sum of plane waves, so the transform is known: as many points, and zero elsewhere.
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "kernel.hpp"
#include "pages.hpp"
#include "part.hpp"

namespace tare::kernels {
namespace {

using number = std::complex<double>;

constexpr double pi = 3.14159265358979323846;

struct plane_wave {
    int row, column;  // of the transform, modulo its size
    double amplitude;
};
constexpr plane_wave waves[] = {{1, 2, 1.0}, {3, 5, 0.5}, {-1, 7, 0.25}};

class fft_kernel : public kernel {
  public:
    // The size is rounded down to a power of two.
    fft_kernel(const process &self, int size)
        : bits_(static_cast<int>(std::log2(size))), size_(1 << bits_), place_(part_of(size_, self.rank, self.ranks)),
          rows_(cells()), packed_(cells()), roots_(size_ / 2), sent_(self.ranks), received_(self.ranks),
          sent_at_(self.ranks), received_at_(self.ranks) {
        for (int k = 0; k < size_ / 2; ++k)
            roots_[k] = std::polar(1.0, -2 * pi * k / size_);
        for (int rank = 0; rank < self.ranks; ++rank) {
            const part theirs = part_of(size_, rank, self.ranks);
            sent_[rank] = received_[rank] = 2 * place_.size() * theirs.size();
            sent_at_[rank] = received_at_[rank] = 2 * place_.size() * theirs.begin;
        }
        for (int i = 0; i < place_.size(); ++i)
            for (int j = 0; j < size_; ++j)
                rows_[at(i, j)] = wave_sum(place_.begin + i, j);
    }

    void step(process &self, int step_number) override {
        const bool is_inverse = step_number % 2 == 1;
        self.work([&] { transform_rows(is_inverse); });
        self.work([&] { pack(self.ranks); });
        self.call([&] {
            MPI_Alltoallv(packed_.data(), sent_.data(), sent_at_.data(), MPI_DOUBLE, rows_.data(), received_.data(),
                          received_at_.data(), MPI_DOUBLE, MPI_COMM_WORLD);
        });
        self.work([&] { unpack(self.ranks); });
        self.work([&] { transform_rows(is_inverse); });
    }

    verdict check(process &, int steps) override {
        verdict result = {true, 0};
        for (int i = 0; i < place_.size(); ++i)
            for (int j = 0; j < size_; ++j) {
                const int row = place_.begin + i;
                const number expected = steps % 2 == 0 ? wave_sum(row, j) : transformed(j, row);
                result.is_right &= std::abs(rows_[at(i, j)] - expected) <= 1e-12 * size_ * size_;
                std::uint64_t bits[2];
                std::memcpy(bits, &rows_[at(i, j)], sizeof bits);
                result.hash = joined(joined(result.hash, bits[0]), bits[1]);
            }
        return result;
    }

  private:
    std::size_t cells() const { return std::size_t(place_.size()) * size_; }
    std::size_t at(int i, int j) const { return std::size_t(i) * size_ + j; }

    number wave_sum(int row, int column) const {
        number sum = 0;
        for (const plane_wave &w : waves)
            sum += std::polar(w.amplitude, 2 * pi * (double(w.row) * row + double(w.column) * column) / size_);
        return sum;
    }

    number transformed(int row, int column) const {
        number sum = 0;
        for (const plane_wave &w : waves)
            if ((w.row - row) % size_ == 0 && (w.column - column) % size_ == 0)
                sum += w.amplitude * size_ * size_;
        return sum;
    }

    void transform_rows(bool is_inverse) {
        for (int i = 0; i < place_.size(); ++i)
            transform(&rows_[at(i, 0)], is_inverse);
    }

    void transform(number *row, bool is_inverse) const {
        reorder(row);
        for (int half = 1; half < size_; half *= 2)
            for (int begin = 0; begin < size_; begin += 2 * half)
                for (int k = 0; k < half; ++k) {
                    const number root = roots_[k * (size_ / 2 / half)];
                    number &a = row[begin + k], &b = row[begin + k + half];
                    const double re = root.real(), im = is_inverse ? -root.imag() : root.imag();
                    const number turned(b.real() * re - b.imag() * im, b.real() * im + b.imag() * re);
                    b = a - turned;
                    a += turned;
                }
        for (int j = 0; is_inverse && j < size_; ++j)
            row[j] /= size_;
    }

    // Bits of the place the other way round.
    void reorder(number *row) const {
        for (int j = 0, k = 0; j < size_; ++j) {
            if (j < k)
                std::swap(row[j], row[k]);
            int bit = size_ / 2;
            for (; k & bit; bit /= 2)
                k ^= bit;
            k |= bit;
        }
    }

    // For each rank its columns, as rows.
    void pack(int ranks) {
        std::size_t next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const part theirs = part_of(size_, rank, ranks);
            for (int j = theirs.begin; j < theirs.end; ++j)
                for (int i = 0; i < place_.size(); ++i)
                    packed_[next++] = rows_[at(i, j)];
        }
    }

    // From each rank a part of each row.
    void unpack(int ranks) {
        packed_.swap(rows_);
        std::size_t next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const part theirs = part_of(size_, rank, ranks);
            for (int i = 0; i < place_.size(); ++i)
                for (int j = theirs.begin; j < theirs.end; ++j)
                    rows_[at(i, j)] = packed_[next++];
        }
    }

    int bits_, size_;
    part place_;
    paged<number> rows_, packed_, roots_;
    std::vector<int> sent_, received_, sent_at_, received_at_;  // in doubles
};

}  // namespace

extern const kernel_kind fft;
const kernel_kind fft = {
    "fft", "two-dimensional Fourier transform, transposed by MPI_Alltoallv", "points a side",
    128, 8, 8192, 600, 2, 0, any_ranks, make_kernel<fft_kernel>};

}  // namespace tare::kernels
