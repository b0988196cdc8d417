// SPDX-License-Identifier: BSD-3-Clause
// A target without libFuzzer: runs it over its kept inputs, $CORPUS/TARGET/*, or over the files that are named. One case,
// which fails where the target crashes, takes more than ten seconds for an input, or has no inputs.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <errno.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "input.hpp"

// Of the sanitizers' runtime, where there is one.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_s = 10;

std::string failure;     // what is printed if the input ends the program

void print_failure()
{
    if (write(STDOUT_FILENO, failure.data(), failure.size()) < 0)
        _exit(2);
}

void fail(int)
{
    print_failure();
    _exit(1);
}

std::vector<std::string> files_in(const fs::path &directory)
{
    std::vector<std::string> files;
    std::error_code missing;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory, missing))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::string content_of(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void run(const std::string &path, const std::string &name)
{
    failure = "not ok 1 - " + name + "\n# by the input " + path + "\n";
    const std::string text = content_of(path);
    // An array of its own, so that a sanitizer sees where it ends.
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    alarm(longest_s);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    alarm(0);
}

std::vector<std::string> inputs(int argc, char **argv)
{
    if (argc > 1)
        return {argv + 1, argv + argc};
    const char *corpus = std::getenv("CORPUS");
    return files_in(fs::path(corpus != nullptr ? corpus : "corpus") / program_invocation_short_name);
}

}  // namespace

int main(int argc, char **argv)
{
    const std::string name = std::string(program_invocation_short_name) + "_with_each_kept_input_holds";
    std::printf("1..1\n");
    std::fflush(stdout);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
        if (__sanitizer_set_death_callback == nullptr || signal == SIGALRM || signal == SIGABRT)
            std::signal(signal, fail);
    if (__sanitizer_set_death_callback != nullptr)
        __sanitizer_set_death_callback(print_failure);
    const std::vector<std::string> files = inputs(argc, argv);
    for (const std::string &file : files)
        run(file, name);
    std::printf("%sok 1 - %s\n# %zu inputs\n", files.empty() ? "not " : "", name.c_str(), files.size());
    return files.empty();
}
