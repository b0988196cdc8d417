// SPDX-License-Identifier: BSD-3-Clause
// Reads the figures that the bars carry; where the bars are says nothing.
#include "convert.hpp"
#include "json_in.hpp"

#include <optional>

namespace tare::tool {
namespace {

class chrome_reader {
  public:
    explicit chrome_reader(const std::string &where) : where_(where), builder_(where) {}

    void take(const json_value &event) {
        const std::string place = where_ + ": event " + std::to_string(++count_);
        const std::string &phase = event.text_at("ph", place);
        if (phase == "M")
            take_meta(event, place);
        else if (phase == "X")
            take_bar(event, place);
    }

    content finish(const profile::attributes &attributes) {
        content c;
        c.known = known_.value_or(figure_set());
        c.bytes = std::move(bytes_);
        c.run = builder_.finish(attributes);
        return c;
    }

  private:
    void take_meta(const json_value &event, const std::string &place) {
        const std::string &name = event.text_at("name", place);
        if (name == "tare_attributes")
            take_attributes(event, place);
        else if (name == "tare_bytes")
            take_bytes(event, place);
    }

    void take_attributes(const json_value &event, const std::string &place) {
        const json_value &args = event.object_at("args", place);
        profile::thread &t = builder_.thread(event.integer_at("pid", place), args.integer_at("thread", place));
        const json_value &attributes = args.object_at("attributes", place);
        for (const auto &attribute : attributes.members)
            t.metadata.emplace_back(attribute.first, attributes.text_at(attribute.first, place));
    }

    void take_bytes(const json_value &event, const std::string &place) {
        const json_value &args = event.object_at("args", place);
        bytes_.push_back({builder_.rank(event.integer_at("pid", place)), args.text_at("function", place),
                          args.integer_at("sent_bytes", place), args.integer_at("received_bytes", place)});
    }

    void take_bar(const json_value &event, const std::string &place) {
        const json_value &args = event.object_at("args", place);
        const std::string &kind = args.text_at("kind", place);
        if (kind == "way")
            return;
        if (kind != "path" && kind != "region")
            throw profile::error(place + ": its kind is '" + kind + "' and not region, path or way");
        profile::row r;
        r.region = kind == "path" ? args.text_at("path", place) : event.text_at("name", place);
        r.group = event.text_at("cat", place);
        take_figures(args, place, r);
        profile::thread &t = builder_.thread(event.integer_at("pid", place), args.integer_at("thread", place));
        (kind == "path" ? t.paths : t.rows).push_back(std::move(r));
    }

    void take_figures(const json_value &args, const std::string &place, profile::row &r) {
        figure_set found;
        for (std::size_t i = 0; i < figure_count; ++i)
            if (found[i] = args.find(figure_columns[i].name) != nullptr; found[i])
                r.*figure_columns[i].value = args.integer_at(figure_columns[i].name, place);
        if (found != known_.value_or(found))
            throw profile::error(place + " has not the same figures as those before it");
        known_ = found;
    }

    const std::string &where_;
    run_builder builder_;
    std::size_t count_ = 0;
    std::optional<figure_set> known_;
    std::vector<message_bytes> bytes_;
};

}  // namespace

content read_chrome(const std::string &text, const std::string &where) {
    chrome_reader reader(where);
    std::optional<profile::error> wrong;
    // Whether they are tells a member that may stand behind them; a foreign event is not what is wrong with the file.
    const json_value head = parse_json(text, where, "traceEvents", [&](const json_value &event) {
        if (wrong)
            return;
        try {
            reader.take(event);
        } catch (const profile::error &e) {
            wrong = e;
        }
    });
    const json_value *about = head.find("otherData");
    const json_value *writer = about ? about->find("written by") : nullptr;
    if (!writer || writer->text.compare(0, writer_name.size(), writer_name) != 0)
        throw profile::error(where + " was not written by tare convert");
    if (wrong)
        throw profile::error(*wrong);
    return reader.finish({{profile::key::mode, about->text_at("mode", where)},
                          {profile::key::rule, about->text_at("rule", where)}});
}

}  // namespace tare::tool
