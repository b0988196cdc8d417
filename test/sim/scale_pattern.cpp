// SPDX-License-Identifier: BSD-3-Clause
#include "scale_pattern.hpp"

#include <functional>
#include <stdexcept>

namespace scale {

namespace {

// A token goes round: each receives it from the one before and sends it on. As deep as there are processes.
class ring : public pattern {
  public:
    explicit ring(std::int32_t n) : n_(n) {}

    std::vector<std::int32_t> peers(std::int32_t p) const override { return {(p + n_ - 1) % n_}; }

    void communicate(world &w) override
    {
        message token = w.send(0, 1 % n_);
        for (std::int32_t p = 1; p <= n_; ++p) {
            const incoming in{&token, 0};
            w.receive(p % n_, &in, 1);
            if (p < n_)
                token = w.send(p, (p + 1) % n_);
        }
    }

  private:
    std::int32_t n_;
};

// Binomial trees with root 0: a reduction, then a broadcast. The children of p are p + 1, p + 2, p + 4, ... as far as
// p's lowest bit; its last peer is its parent.
class tree : public pattern {
  public:
    explicit tree(std::int32_t n) : n_(n) {}

    std::vector<std::int32_t> peers(std::int32_t p) const override
    {
        std::vector<std::int32_t> all;
        for (std::int32_t bit = 1; p + bit < n_ && (p & bit) == 0; bit <<= 1)
            all.push_back(p + bit);
        if (p != 0)
            all.push_back(p & (p - 1));
        return all;
    }

    void communicate(world &w) override
    {
        std::int32_t bit = 1;
        std::uint32_t level = 0;
        for (; bit < n_; bit <<= 1, ++level)
            for (std::int32_t p = 0; p + bit < n_; p += 2 * bit)
                say(w, p + bit, p, level);
        for (bit >>= 1; bit > 0; bit >>= 1)
            for (std::int32_t p = 0; p + bit < n_; p += 2 * bit)
                say(w, p, p + bit, static_cast<std::uint32_t>(peers(p + bit).size() - 1));
    }

  private:
    static void say(world &w, std::int32_t from, std::int32_t to, std::uint32_t peer)
    {
        const message m = w.send(from, to);
        const incoming in{&m, peer};
        w.receive(to, &in, 1);
    }

    std::int32_t n_;
};

// The barrier by dissemination: in round k each hears from the one 2^k before it.
class dissemination : public pattern {
  public:
    explicit dissemination(std::int32_t n) : n_(n), sent_(static_cast<std::size_t>(n)) {}

    std::vector<std::int32_t> peers(std::int32_t p) const override
    {
        std::vector<std::int32_t> all;
        for (std::int32_t apart = 1; apart < n_; apart <<= 1)
            all.push_back((p + n_ - apart) % n_);
        return all;
    }

    void communicate(world &w) override
    {
        std::uint32_t round = 0;
        for (std::int32_t apart = 1; apart < n_; apart <<= 1, ++round) {
            for (std::int32_t p = 0; p < n_; ++p)
                sent_[static_cast<std::size_t>(p)] = w.send(p, (p + apart) % n_);
            for (std::int32_t p = 0; p < n_; ++p) {
                const incoming in{&sent_[static_cast<std::size_t>((p + n_ - apart) % n_)], round};
                w.receive(p, &in, 1);
            }
        }
    }

  private:
    std::int32_t n_;
    std::vector<message> sent_;
};

// Halo exchange on a torus whose sides are as equal as powers of two can be: each sends to all of its neighbours,
// then waits for all of them together.
class stencil : public pattern {
  public:
    stencil(std::int32_t n, std::size_t dimensions) : n_(n), sides_(dimensions, 1)
    {
        if ((n & (n - 1)) != 0)
            throw std::runtime_error("a stencil needs a power of two of processes, not " + std::to_string(n));
        for (std::size_t d = 0; n > 1; n /= 2, d = (d + 1) % dimensions)
            sides_[d] *= 2;
    }

    std::vector<std::int32_t> peers(std::int32_t p) const override
    {
        std::vector<std::int32_t> all;
        std::int32_t stride = 1;
        for (const std::int32_t side : sides_) {
            const std::int32_t mine = p / stride % side, rest = p - mine * stride;
            if (side > 1) {
                all.push_back(rest + (mine + 1) % side * stride);
                all.push_back(rest + (mine + side - 1) % side * stride);
            }
            stride *= side;
        }
        return all;
    }

    // What p sends to its neighbour number i, that one gets as its own number i ^ 1.
    void communicate(world &w) override
    {
        const std::size_t width = peers(0).size();
        sent_.resize(static_cast<std::size_t>(n_) * width);
        for (std::int32_t p = 0; p < n_; ++p) {
            const std::vector<std::int32_t> to = peers(p);
            for (std::size_t i = 0; i < width; ++i)
                sent_[static_cast<std::size_t>(p) * width + i] = w.send(p, to[i]);
        }
        for (std::int32_t p = 0; p < n_; ++p)
            receive_all(w, p, width);
    }

  private:
    void receive_all(world &w, std::int32_t p, std::size_t width) const
    {
        const std::vector<std::int32_t> from = peers(p);
        incoming in[most_incoming];
        for (std::size_t i = 0; i < width; ++i)
            in[i] = {&sent_[static_cast<std::size_t>(from[i]) * width + (i ^ 1)], static_cast<std::uint32_t>(i)};
        w.receive(p, in, width);
    }

    std::int32_t n_;
    std::vector<std::int32_t> sides_;
    std::vector<message> sent_;
};

struct named {
    const char *name;
    std::function<std::unique_ptr<pattern>(std::int32_t)> make;
};

const std::vector<named> &all_patterns()
{
    static const std::vector<named> all{
        {"tree", [](std::int32_t n) { return std::make_unique<tree>(n); }},
        {"dissemination", [](std::int32_t n) { return std::make_unique<dissemination>(n); }},
        {"ring", [](std::int32_t n) { return std::make_unique<ring>(n); }},
        {"stencil2", [](std::int32_t n) { return std::make_unique<stencil>(n, 2); }},
        {"stencil3", [](std::int32_t n) { return std::make_unique<stencil>(n, 3); }},
    };
    return all;
}

}  // namespace

std::vector<std::string> pattern_names()
{
    std::vector<std::string> names;
    for (const named &one : all_patterns())
        names.push_back(one.name);
    return names;
}

std::unique_ptr<pattern> make_pattern(const std::string &name, std::int32_t processes)
{
    for (const named &one : all_patterns()) {
        if (name == one.name)
            return one.make(processes);
    }
    throw std::runtime_error("'" + name + "' is no pattern");
}

totals play(const experiment &x)
{
    const auto n = static_cast<std::int32_t>(x.processes);
    const auto what = make_pattern(x.pattern, n);
    std::vector<std::uint32_t> peers(static_cast<std::size_t>(n));
    for (std::int32_t p = 0; p < n; ++p)
        peers[static_cast<std::size_t>(p)] = static_cast<std::uint32_t>(what->peers(p).size());
    world w(x, peers);
    for (std::int32_t p = 0; x.learned == of(lessons::before) && p < n; ++p) {
        std::uint32_t number = 0;
        for (const std::int32_t from : what->peers(p))
            w.teach(p, number++, from);
    }
    for (std::int64_t step = 0; step < x.steps; ++step) {
        for (std::int32_t p = 0; p < n; ++p)
            w.compute(p);
        what->communicate(w);
    }
    return w.result();
}

}  // namespace scale
