// SPDX-License-Identifier: BSD-3-Clause
// The algorithms that MPICH has, as its own control variables name them.
#ifndef TARE_TEST_COLL_ALGORITHMS_HPP
#define TARE_TEST_COLL_ALGORITHMS_HPP

#include <string>
#include <vector>

namespace coll {

// algorithms.tab: ends the program if it is not there.
void read_algorithms(const char *path);

// A control variable of the table.
class choice {
  public:
    // Ends the program if it is not in the table, or the library has another.
    explicit choice(const std::string &variable);

    static bool exists(const std::string &variable);

    const std::vector<std::string> &values() const { return values_; }
    void set(const std::string &value) const;

  private:
    int index_;
    std::vector<std::string> values_;
};

}  // namespace coll

#endif
