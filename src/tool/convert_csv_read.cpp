// SPDX-License-Identifier: BSD-3-Clause
#include "convert.hpp"
#include "convert_csv.hpp"

#include <charconv>
#include <optional>

namespace tare::tool {
namespace {

using fields = std::vector<std::string>;

constexpr std::size_t fields_before_figures = 4;

class csv_reader {
  public:
    csv_reader(const std::string &text, const std::string &where) : text_(text), where_(where) {}

    bool at_end() const { return at_ == text_.size(); }

    [[noreturn]] void fail(const std::string &what) const {
        throw profile::error(where_ + ", line " + std::to_string(line_) + ": " + what);
    }

    // A record, which may be several lines if a field holds line ends.
    fields next() {
        line_ = next_line_;
        fields record;
        do
            record.push_back(next_field());
        while (take(','));
        take('\r');
        if (!take('\n'))
            fail(at_end() ? "the file is cut short here" : "something follows a field in quotes");
        ++next_line_;
        return record;
    }

  private:
    bool take(char c) {
        if (at_end() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }

    std::string next_field() {
        if (take('"'))
            return rest_of_quoted();
        const std::size_t begin = at_;
        at_ = std::min(text_.find_first_of(",\r\n", begin), text_.size());
        return text_.substr(begin, at_ - begin);
    }

    std::string rest_of_quoted() {
        std::string field;
        for (;;) {
            const std::size_t end = text_.find('"', at_);
            if (end == std::string::npos)
                fail("a field in quotes does not end");
            for (; at_ < end; ++at_) {
                field += text_[at_];
                next_line_ += text_[at_] == '\n';
            }
            ++at_;
            if (!take('"'))
                return field;
            field += '"';
        }
    }

    const std::string &text_;
    const std::string &where_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t next_line_ = 1;
};

std::int64_t to_number(const csv_reader &in, const std::string &text, const char *name) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size())
        in.fail(std::string(name) + " is '" + text + "' and not a whole number");
    return value;
}

// What the columns hold; a column that is empty holds nothing in any line.
figure_set figures_in(const fields &record) {
    figure_set known;
    for (std::size_t i = 0; i < figure_count; ++i)
        known[i] = !record[fields_before_figures + i].empty();
    return known;
}

profile::row to_row(const csv_reader &in, const fields &record, const figure_set &known) {
    profile::row r;
    r.region = record.size() > fields_before_figures + figure_count ? record.back() : record[2];
    r.group = record[3];
    for (std::size_t i = 0; i < figure_count; ++i) {
        const std::string &text = record[fields_before_figures + i];
        if (known[i] != !text.empty())
            in.fail(std::string(figure_columns[i].name) + " is empty in some lines only");
        if (known[i])
            r.*figure_columns[i].value = to_number(in, text, figure_columns[i].name);
    }
    return r;
}

}  // namespace

content read_csv(const std::string &text, const std::string &where) {
    csv_reader in(text, where);
    std::string header;
    const fields names = in.at_end() ? fields() : in.next();
    for (const std::string &name : names)
        header += (header.empty() ? "" : ",") + name;
    const bool is_path = header == csv_header(true);
    if (!is_path && header != csv_header(false))
        in.fail("these are not the columns that tare convert writes, which begin with rank,thread,region,group");
    content c;
    run_builder builder(where);
    for (bool is_first = true; !in.at_end(); is_first = false) {
        const fields record = in.next();
        if (record.size() != names.size())
            in.fail("there are " + std::to_string(record.size()) + " fields and not " + std::to_string(names.size()));
        if (is_first)
            c.known = figures_in(record);
        profile::thread &t = builder.thread(to_number(in, record[0], "rank"), to_number(in, record[1], "thread"));
        (is_path ? t.paths : t.rows).push_back(to_row(in, record, c.known));
    }
    c.run = builder.finish({});
    return c;
}

}  // namespace tare::tool
