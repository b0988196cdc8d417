// SPDX-License-Identifier: BSD-3-Clause
#include "scratch.hpp"

#include "profile.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

static std::string folder;

int make_scratch(void **)
{
    char name[] = "scratch.XXXXXX";
    if (mkdtemp(name) == nullptr)
        return -1;
    folder = fs::absolute(name).string();
    return 0;
}

int remove_scratch(void **)
{
    std::error_code failure;
    fs::remove_all(folder, failure);
    return failure ? -1 : 0;
}

const std::string &scratch() { return folder; }

std::string in_scratch(const std::string &name) { return folder + "/" + name; }

void put_file(const std::string &path, const std::string &text)
{
    std::error_code failure;
    fs::create_directories(fs::path(path).parent_path(), failure);
    std::ofstream(path) << text;
}

std::string get_file(const std::string &path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

bool is_there(const std::string &path)
{
    std::error_code failure;
    return fs::exists(path, failure);
}

std::string sentence_of(void (*call)())
{
    try {
        call();
    } catch (const tare::profile::error &e) {
        return e.what();
    }
    return "";
}
