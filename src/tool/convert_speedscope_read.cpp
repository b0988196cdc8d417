// SPDX-License-Identifier: BSD-3-Clause
// Reads the exclusive times of call paths and, added up, of regions; a speedscope file holds nothing else.
#include "convert.hpp"
#include "convert_layout.hpp"
#include "convert_speedscope.hpp"
#include "json_in.hpp"

#include <charconv>
#include <map>

namespace tare::tool {
namespace {

struct sampled {
    std::int64_t rank = 0;
    std::int64_t thread = 0;
    const json_value *samples = nullptr;
    const json_value *weights = nullptr;
};

// Takes a number off the beginning of a text.
bool take_number(std::string_view &text, std::int64_t &value) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return failure == std::errc();
}

bool take(std::string_view &text, std::string_view wanted) {
    if (text.substr(0, wanted.size()) != wanted)
        return false;
    text.remove_prefix(wanted.size());
    return true;
}

sampled to_sampled(const json_value &object, const std::string &where) {
    const std::string &name = object.text_at("name", where);
    sampled s;
    std::string_view rest = name;
    if (!take(rest, speedscope_thread_prefix) || !take_number(rest, s.rank) ||
        !take(rest, speedscope_thread_middle) || !take_number(rest, s.thread) || !rest.empty())
        throw profile::error(where + ": its name is '" + name + "' and not 'rank N, thread N'");
    if (object.text_at("type", where) != "sampled" || object.text_at("unit", where) != "nanoseconds")
        throw profile::error(where + " is not of type sampled in nanoseconds");
    s.samples = &object.array_at("samples", where);
    s.weights = &object.array_at("weights", where);
    if (s.samples->members.size() != s.weights->members.size())
        throw profile::error(where + " has " + std::to_string(s.samples->members.size()) + " samples and " +
                             std::to_string(s.weights->members.size()) + " weights");
    return s;
}

using frame_names = std::vector<std::string>;

frame_names names_of(const json_value &head, const std::string &where) {
    frame_names names;
    for (const auto &frame : head.object_at("shared", where).array_at("frames", where).members)
        names.push_back(frame.second.text_at("name", where + ": frame " + std::to_string(names.size())));
    return names;
}

class thread_reader {
  public:
    thread_reader(const frame_names &names, std::int64_t profile::figures::*width, profile::thread &into)
        : names_(names), width_(width), thread_(into) {}

    void take(const json_value &stack, const json_value &weight, const std::string &where) {
        if (weight.is != json_value::kind::integer || weight.integer < 0)
            throw profile::error(where + ": its weight is not a number of ns");
        if (stack.is != json_value::kind::array || stack.members.empty())
            throw profile::error(where + " is not a stack of frames");
        std::string path, region;
        for (const auto &frame : stack.members) {
            region = name_of(frame.second, where);
            path += (path.empty() ? "" : std::string(profile::path_arrow)) + region;
        }
        profile::row &r = row_of(region);
        r.*width_ = plus(r.*width_, weight.integer);
        if (stack.members.size() > 1) {
            thread_.paths.emplace_back();
            thread_.paths.back().region = path;
            thread_.paths.back().*width_ = weight.integer;
        }
    }

  private:
    const std::string &name_of(const json_value &frame, const std::string &where) const {
        if (frame.is != json_value::kind::integer || frame.integer < 0 ||
            static_cast<std::size_t>(frame.integer) >= names_.size())
            throw profile::error(where + " has a frame that is not one of the " + std::to_string(names_.size()));
        return names_[static_cast<std::size_t>(frame.integer)];
    }

    profile::row &row_of(const std::string &region) {
        const auto [found, is_new] = rows_.emplace(region, thread_.rows.size());
        if (is_new) {
            thread_.rows.emplace_back();
            thread_.rows.back().region = region;
        }
        return thread_.rows[found->second];
    }

    const frame_names &names_;
    std::int64_t profile::figures::*width_;
    profile::thread &thread_;
    std::map<std::string, std::size_t> rows_;
};

// What the name of the file says.
struct about {
    layout_clock clock;
    profile::attributes attributes;
};

about about_of(const std::string &name, const std::string &where) {
    for (const layout_clock clock : {layout_clock::compensated, layout_clock::measured}) {
        std::string_view rest = name;
        if (!take(rest, std::string("Tare profile, ") + clock_names[static_cast<int>(clock)] + speedscope_name_note))
            continue;
        const std::size_t rule = std::min(rest.find(speedscope_name_rule), rest.size());
        const std::string mode(rest.substr(0, rule));
        rest.remove_prefix(rule);
        take(rest, speedscope_name_rule);
        return {clock, {{profile::key::mode, mode}, {profile::key::rule, std::string(rest)}}};
    }
    throw profile::error(where + ": its name does not tell which time it holds, as tare convert's do");
}

}  // namespace

content read_speedscope(const std::string &text, const std::string &where) {
    const json_value head = parse_json(text, where, "", nullptr);
    const json_value *exporter = head.find("exporter");
    if (!exporter || exporter->text.compare(0, writer_name.size(), writer_name) != 0)
        throw profile::error(where + " was not written by tare convert");
    const about is = about_of(head.text_at("name", where), where);
    const frame_names names = names_of(head, where);
    const auto width = width_figure(is.clock);
    run_builder builder(where);
    for (const auto &member : head.array_at("profiles", where).members) {
        const sampled s = to_sampled(member.second, where + ": a profile");
        thread_reader reader(names, width, builder.thread(s.rank, s.thread));
        for (std::size_t i = 0; i < s.samples->members.size(); ++i)
            reader.take(s.samples->members[i].second, s.weights->members[i].second,
                        where + ": sample " + std::to_string(i) + " of rank " + std::to_string(s.rank));
    }
    content c;
    c.known.reset();
    c.known.set(figure_index(width));
    c.run = builder.finish(is.attributes);
    return c;
}

}  // namespace tare::tool
