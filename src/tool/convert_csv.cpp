// SPDX-License-Identifier: BSD-3-Clause
// CSV as in RFC 4180: a line for each rank, thread and region, or call path.
#include "convert_csv.hpp"

#include "convert.hpp"

namespace tare::tool {
namespace {

std::string field(const std::string &text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

void write_row(const profile::thread &t, const profile::row &r, const content &c, bool is_path, std::FILE *to) {
    std::string line = std::to_string(t.rank) + "," + std::to_string(t.number) + "," +
                       field(is_path ? profile::last_of_path(r.region) : r.region) + "," + field(r.group);
    for (std::size_t i = 0; i < figure_count; ++i)
        line += "," + (c.known[i] ? std::to_string(r.*figure_columns[i].value) : "");
    if (is_path)
        line += "," + field(r.region);
    line += "\r\n";
    std::fwrite(line.data(), 1, line.size(), to);
}

}  // namespace

std::string csv_header(bool is_path) {
    std::string line = "rank,thread,region,group";
    for (const figure_column &column : figure_columns)
        line += std::string(",") + column.name;
    return line + (is_path ? ",path" : "");
}

void write_csv(const content &c, const write_wish &wish, std::FILE *to) {
    std::fprintf(to, "%s\r\n", csv_header(wish.callpath).c_str());
    for (const profile::thread &t : c.run.threads)
        for (const profile::row &r : wish.callpath ? t.paths : t.rows)
            write_row(t, r, c, wish.callpath, to);
}

}  // namespace tare::tool
