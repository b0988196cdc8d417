// SPDX-License-Identifier: BSD-3-Clause
// Tables for people: columns as wide as their contents, fitted to the terminal if stdout is one.
#ifndef TARE_TOOL_TABLE_HPP
#define TARE_TOOL_TABLE_HPP

#include <string>
#include <vector>

namespace tare::tool {

// What stdout is.
struct screen {
    bool terminal = false;
    int width = 0;        // columns; 0: no limit
    bool colours = false; // a terminal that knows them, and NO_COLOR is not set
};

screen look_at_stdout();

// Text from files as it may be shown: control characters replaced.
std::string printable(const std::string &text);

// Says which columns a table's print() left out, if it did.
void print_left_out_columns(const std::vector<std::string> &headings);

struct column {
    std::string heading;
    bool right = true;    // numbers
    int weight = 0;       // the heaviest columns are left out first where the terminal is narrow; 0: never
    bool flexible = false;  // names of regions: may be cut
};

class table {
  public:
    explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    // Writes to stdout. Gives back the headings of the columns that found no room.
    std::vector<std::string> print(const screen &where) const;

  private:
    using indices = std::vector<std::size_t>;

    std::vector<std::size_t> widths() const;
    indices fitting(const std::vector<std::size_t> &widths, std::size_t limit) const;
    void shrink(std::vector<std::size_t> &widths, const indices &kept, std::size_t limit) const;
    std::vector<std::string> headings() const;
    void print_row(const std::vector<std::string> &cells, const indices &kept, const std::vector<std::size_t> &widths,
                   bool bold) const;

    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace tare::tool

#endif
