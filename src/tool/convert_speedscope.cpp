// SPDX-License-Identifier: BSD-3-Clause
// speedscope's file format: each thread of a rank a profile of type "sampled", each call path a sample, its exclusive
// time in ns the weight.
#include "convert.hpp"
#include "convert_layout.hpp"
#include "convert_speedscope.hpp"
#include "json.hpp"

#include <algorithm>
#include <unordered_map>

namespace tare::tool {
namespace {

class frame_table {
  public:
    std::size_t number(const std::string &region) {
        const auto [found, is_new] = numbers_.emplace(region, frames_.size());
        if (is_new)
            frames_.push_back(region);
        return found->second;
    }

    std::string text() const {
        std::string all;
        for (const std::string &region : frames_)
            all += (all.empty() ? "\n{\"name\": " : ",\n{\"name\": ") + text_json(region) + "}";
        return all;
    }

  private:
    std::unordered_map<std::string, std::size_t> numbers_;
    std::vector<std::string> frames_;
};

struct stacks {
    std::string samples;
    std::string weights;
    std::int64_t total_ns = 0;
};

// A node of which nothing is known but the way to others has no sample.
void add_level(const call_nodes &level, const std::string &way, std::int64_t profile::figures::*width,
               frame_table &frames, stacks &to) {
    for (const auto *node : laid_out(level, width)) {
        const call_node &n = node->second;
        const std::string stack = way + (way.empty() ? "" : ",") + std::to_string(frames.number(node->first));
        const std::int64_t ns = std::max<std::int64_t>(n.own.*width, 0);
        if (n.path || n.region) {
            to.samples += (to.samples.empty() ? "[" : ",[") + stack + "]";
            to.weights += (to.weights.empty() ? "" : ",") + std::to_string(ns);
            to.total_ns = plus(to.total_ns, ns);
        }
        add_level(n.children, stack, width, frames, to);
    }
}

std::string profile_text(const profile::thread &t, std::int64_t profile::figures::*width, frame_table &frames) {
    stacks s;
    add_level(call_forest(t), "", width, frames, s);
    return "{\"type\": \"sampled\", \"name\": " +
           text_json(speedscope_thread_prefix + std::to_string(t.rank) + speedscope_thread_middle +
                     std::to_string(t.number)) +
           ", \"unit\": \"nanoseconds\", \"startValue\": 0, \"endValue\": " + std::to_string(s.total_ns) +
           ",\n\"samples\": [" + s.samples + "],\n\"weights\": [" + s.weights + "]}";
}

void put(const std::string &text, std::FILE *to) { std::fwrite(text.data(), 1, text.size(), to); }

}  // namespace

// The frames, which the profiles number, stand behind them.
void write_speedscope(const content &c, const write_wish &wish, std::FILE *to) {
    check_width(c, wish.clock, "speedscope");
    const char *clock = clock_names[static_cast<int>(wish.clock)];
    const std::string name = std::string("Tare profile, ") + clock + speedscope_name_note +
                             c.run.attribute(profile::key::mode) + speedscope_name_rule +
                             c.run.attribute(profile::key::rule);
    put("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\": " +
            text_json(std::string(writer_name) + TARE_VERSION) + ",\n\"name\": " + text_json(name) +
            ",\n\"activeProfileIndex\": 0,\n\"profiles\": [",
        to);
    frame_table frames;
    const char *before = "\n";
    for (const profile::thread &t : c.run.threads) {
        put(before + profile_text(t, width_figure(wish.clock), frames), to);
        before = ",\n";
    }
    put("\n],\n\"shared\": {\"frames\": [" + frames.text() + "\n]}}\n", to);
}

}  // namespace tare::tool
