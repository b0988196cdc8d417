// SPDX-License-Identifier: BSD-3-Clause
// The object of tables that may have millions of rows: each is written when it is known. Same form as in json.hpp.
#ifndef TARE_TOOL_JSON_ROWS_HPP
#define TARE_TOOL_JSON_ROWS_HPP

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace tare::tool {

class json_rows {
  public:
    // Writes what stands before the rows. Whether all could be written is the stream's to say.
    json_rows(const char *command, const std::string &mode, const std::string &rule, std::FILE *to = stdout);

    // Between begin and end: the members of a row. One without a value is null.
    void begin();
    void number(const char *name, std::int64_t value);
    void number(const char *name, const std::optional<std::int64_t> &value);
    void real(const char *name, const std::optional<double> &value);
    void text(const char *name, const std::string &value);
    void null(const char *name);
    void end();

    // Once, behind the last row.
    void finish();

  private:
    void name(const char *name);
    void put(const char *text) { out_ += text; }
    void write_out();

    std::FILE *to_;
    std::string out_;
    bool has_rows_ = false;
    bool has_members_ = false;
};

}  // namespace tare::tool

#endif
