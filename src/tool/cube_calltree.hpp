// SPDX-License-Identifier: BSD-3-Clause
// The call tree of a Cube file: that of all threads together, with what each of them has in it.
#ifndef TARE_TOOL_CUBE_CALLTREE_HPP
#define TARE_TOOL_CUBE_CALLTREE_HPP

#include "convert.hpp"
#include "convert_tree.hpp"
#include "states.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace tare::tool {

// What one thread has at one cnode.
struct cube_cell {
    profile::figures own;                  // adds up over the tree
    const profile::row *path = nullptr;
    const profile::row *region = nullptr;  // at the first cnode of a region
    std::int64_t sent_bytes = 0;
    std::int64_t received_bytes = 0;
    struct waited {
        std::int64_t wait_ns = 0;
        std::int64_t wait_comp_ns = 0;
    } by_order[profile::orders];           // of messages in a wrong order, by enum profile::message_order
    std::int64_t completion_ns = 0;
    std::int64_t completion_comp_ns = 0;
};

struct cube_region {
    std::string name;
    std::string group;
    waits::state state;                    // of its own waits, if it has any
};

struct cube_cnode {
    std::size_t id = 0;                    // depth-first
    std::size_t region = 0;
    std::map<std::size_t, cube_cell> cells;                   // by location
    std::map<std::string, cube_cnode, std::less<>> children;
};

// The threads in the order of locations: ranks of one host together.
struct cube_host {
    std::string name;
    std::vector<const profile::thread *> threads;             // by rank, then number
};

// Points into the content.
class cube_calltree {
  public:
    explicit cube_calltree(const content &c);

    const std::vector<cube_host> &hosts() const { return hosts_; }
    std::size_t locations() const { return locations_.size(); }
    const std::vector<cube_region> &regions() const { return regions_; }       // by name
    const std::map<std::string, cube_cnode, std::less<>> &roots() const { return roots_; }
    const std::vector<cube_cnode *> &cnodes() const { return cnodes_; }        // by id

  private:
    using level = std::map<std::string, cube_cnode, std::less<>>;

    void find_hosts(const profile::run &run);
    void find_regions(const content &c);
    void add_level(const call_nodes &from, level &to, std::size_t location);
    template <typename OfFunction> void make_places(const std::vector<OfFunction> &of_functions);
    void count_cnodes(level &of);
    void number_cnodes(level &of);
    void add_regions_figures(const profile::thread &t, std::size_t location);
    cube_cell *cell_of_function(int rank, const std::string &function);
    template <typename OfFunction> void add_to_cells(const std::vector<OfFunction> &of_functions);

    std::vector<cube_host> hosts_;
    std::vector<const profile::thread *> locations_;
    std::vector<cube_region> regions_;
    std::unordered_map<std::string, std::size_t> region_numbers_;    // by name
    level roots_;
    std::vector<cube_cnode *> cnodes_;
    std::vector<cube_cnode *> first_cnodes_;   // by region
    std::vector<std::size_t> cnode_counts_;    // by region
    std::vector<cube_cnode *> call_cnodes_;    // by region: what is known of a function on a rank
};

}  // namespace tare::tool

#endif
