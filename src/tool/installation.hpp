// SPDX-License-Identifier: BSD-3-Clause
// Where the other parts of Tare lie, seen from the running tool.
#ifndef TARE_TOOL_INSTALLATION_HPP
#define TARE_TOOL_INSTALLATION_HPP

#include <string>
#include <vector>

namespace tare::tool {

// The MPI libraries for which a PMPI layer can be built: the patched MPICH, other MPICHs, Open MPI.
const std::vector<std::string> &all_families();

// Found in this order: the build tree that the tool stands in; the library folder at the same place relative to the
// tool as configure said, so that an installation may be moved; the library folder that configure named.
class installation {
  public:
    installation();

    bool is_build_tree() const { return build_tree_; }
    const std::string &bin_dir() const { return bin_dir_; }
    const std::string &lib_dir() const { return lib_dir_; }

    // Full paths, or empty if this installation does not have the file.
    std::string library() const { return find(lib_dir_, build_tree_ ? "lib/.libs" : "", "libtare.so"); }
    std::string probe() const { return find(lib_dir_, build_tree_ ? "probe/.libs" : "", "libtare-probe.so"); }
    std::string threads() const { return find(lib_dir_, build_tree_ ? "threads/.libs" : "", "libtare-threads.so"); }
    std::string heap() const { return find(lib_dir_, build_tree_ ? "heap/.libs" : "", "libtare-heap.so"); }
    std::string java_agent() const { return find(lib_dir_, build_tree_ ? "java/.libs" : "tare", "libtare-jvmti.so"); }
    std::string otf2() const { return find(lib_dir_, build_tree_ ? "trace/.libs" : "tare", "libtare-otf2.so"); }
    std::string layer(const std::string &family) const;
    std::string baseline(const std::string &family) const;
    std::string mpi_library() const;  // the patched MPICH's libmpi.so
    std::string mpichversion() const;

    // Where layer() looks first, for messages.
    std::string layer_place(const std::string &family) const;

  private:
    std::string in_family(const std::string &family, const std::string &name) const;
    static std::string find(const std::string &base, const std::string &folder, const std::string &name);

    bool build_tree_ = false;
    std::string bin_dir_;
    std::string lib_dir_;  // in the build tree: src/
};

}  // namespace tare::tool

#endif
