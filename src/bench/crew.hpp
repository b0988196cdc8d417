// SPDX-License-Identifier: BSD-3-Clause
// Threads that share the iterations of each batch. They are there for a whole size, so that none is made inside the
// clock.
#ifndef TARE_BENCH_CREW_HPP
#define TARE_BENCH_CREW_HPP

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace tare::bench {

class crew {
  public:
    // `job(count)` in each of so many threads, of which the caller is one.
    crew(int threads, std::function<void(int count)> job) : job_(std::move(job)), size_(threads) {
        for (int i = 1; i < size_; ++i)
            others_.emplace_back([this, i] { follow(i); });
    }

    ~crew() {
        is_over_ = true;
        ++batch_;
        for (std::thread &other : others_)
            other.join();
    }

    crew(const crew &) = delete;
    crew &operator=(const crew &) = delete;

    // `count` iterations by all of them together.
    void run(int count) {
        count_ = count;
        busy_ = size_ - 1;
        ++batch_;
        job_(share(0));
        while (busy_ > 0)
            std::this_thread::yield();
    }

  private:
    std::function<void(int count)> job_;
    int size_;
    int count_ = 0;
    std::atomic<int> batch_{0};
    std::atomic<int> busy_{0};
    std::atomic<bool> is_over_{false};
    std::vector<std::thread> others_;

    int share(int index) const { return count_ / size_ + (index < count_ % size_ ? 1 : 0); }

    // Who waits for a batch gives the core away but does not sleep: waking up would be inside the clock.
    void follow(int index) {
        for (int seen = 0;; ++seen) {
            while (batch_ == seen)
                std::this_thread::yield();
            if (is_over_)
                return;
            job_(share(index));
            --busy_;
        }
    }
};

}  // namespace tare::bench

#endif
