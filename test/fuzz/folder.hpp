// SPDX-License-Identifier: BSD-3-Clause
// A folder of the process's own, for readers that want files with names; gone with its object.
#ifndef TARE_TEST_FUZZ_FOLDER_HPP
#define TARE_TEST_FUZZ_FOLDER_HPP

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "holds.hpp"

namespace fuzz {

class folder {
  public:
    folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "tare-fuzz-XXXXXX").string();
        HOLDS(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    // With the folders around files of these names.
    template <typename Names> explicit folder(const Names &names) : folder()
    {
        for (const char *name : names)
            std::filesystem::create_directories((path_ / name).parent_path());
    }
    ~folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    folder(const folder &) = delete;
    folder &operator=(const folder &) = delete;

    std::string path() const { return path_; }

    void put(const std::string &name, const std::string &content) const
    {
        std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << content;
    }

    std::string content(const std::string &name) const
    {
        std::ifstream in(path_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }

    void remove(const std::string &name) const
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_ / name, ignored);
    }

  private:
    std::filesystem::path path_;
};

}  // namespace fuzz

#endif
