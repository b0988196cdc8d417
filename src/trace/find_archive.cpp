// SPDX-License-Identifier: BSD-3-Clause
#include "find_archive.hpp"

#include "otf2_calls.hpp"

#include <filesystem>
#include <vector>

namespace tare::trace {
namespace fs = std::filesystem;

namespace {

struct contents {
    std::vector<std::string> anchors;    // other tools call them otherwise
    bool has_ranks = false;
};

contents look_into(const std::string &dir)
{
    contents found;
    std::error_code failure;
    for (const fs::directory_entry &entry : fs::directory_iterator(dir, failure)) {
        const std::string name = entry.path().filename().string();
        found.has_ranks |= name.rfind("rank.", 0) == 0;
        if (entry.path().extension() == ".otf2")
            found.anchors.push_back(entry.path().string());
    }
    if (failure)
        throw error("cannot read " + dir + ": " + failure.message());
    return found;
}

}  // namespace

std::string find_archive(const std::string &path)
{
    std::error_code failure;
    if (fs::is_regular_file(path, failure))
        return path;
    std::string own = path + "/" + archive_name + ".otf2";
    if (fs::exists(own, failure))
        return own;
    const contents found = look_into(path);
    if (found.anchors.size() == 1)
        return found.anchors.front();
    if (found.anchors.size() > 1)
        throw error(path + " has more than one archive: give the .otf2 file of one of them");
    if (found.has_ranks)
        throw error("the traces in " + path + " are still one for each rank: 'tare trace join " + path +
                    "' makes one archive of them");
    throw error("there is no archive of a trace in " + path);
}

}  // namespace tare::trace
