// SPDX-License-Identifier: BSD-3-Clause
#include "installation.hpp"

#include "process.hpp"

#include <filesystem>

namespace tare::tool {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path(TARE_BINDIR) : self.parent_path();
}

// src/ of the build tree if `folder` is src/tool in one (or src/tool/.libs, where libtool may put programs).
fs::path build_tree_above(const fs::path &folder) {
    const fs::path tool = folder.filename() == ".libs" ? folder.parent_path() : folder;
    const bool built = is_file(tool / "Makefile") && is_file(tool.parent_path() / "env" / "libtareenv.la");
    return tool.filename() == "tool" && built ? tool.parent_path() : fs::path();
}

}  // namespace

const std::vector<std::string> &all_families() {
    static const std::vector<std::string> families = {"tare", "mpich", "openmpi"};
    return families;
}

installation::installation() {
    const fs::path folder = own_folder();
    const fs::path sources = build_tree_above(folder);
    bin_dir_ = folder;
    build_tree_ = !sources.empty();
    lib_dir_ = sources;
    if (build_tree_)
        return;
    lib_dir_ = (folder / fs::path(TARE_LIBDIR).lexically_relative(TARE_BINDIR)).lexically_normal();
    if (library().empty())
        lib_dir_ = TARE_LIBDIR;
}

// The name itself, or with its version behind: packages keep the plain name for those who link.
std::string installation::find(const std::string &base, const std::string &folder, const std::string &name) {
    const fs::path place = fs::path(base) / folder;
    if (is_file(place / name))
        return place / name;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(place, error))
        if (entry.path().filename().string().rfind(name + ".", 0) == 0 && entry.is_regular_file(error))
            return entry.path();
    return "";
}

std::string installation::layer_place(const std::string &family) const {
    return lib_dir_ + "/tare/" + family + "/libtare-mpi.so";
}

std::string installation::in_family(const std::string &family, const std::string &name) const {
    return find(lib_dir_, build_tree_ ? "pmpi/" + family + "/.libs" : "tare/" + family, name);
}

std::string installation::layer(const std::string &family) const {
    return in_family(family, "libtare-mpi.so");
}

// As with the layer, the patched MPICH's fits every library with MPICH's ABI.
std::string installation::baseline(const std::string &family) const {
    const std::string own = in_family(family, "libtare-baseline.so");
    return own.empty() && family == "mpich" ? in_family("tare", "libtare-baseline.so") : own;
}

std::string installation::mpi_library() const {
    return find(lib_dir_, build_tree_ ? "../mpich/stage/lib" : "", "libmpi.so");
}

std::string installation::mpichversion() const {
    const fs::path folder = build_tree_ ? fs::path(lib_dir_) / "../mpich/stage/bin" : fs::path(bin_dir_);
    const fs::path program = (folder / "mpichversion").lexically_normal();
    return is_file(program) ? program.string() : "";
}

}  // namespace tare::tool
