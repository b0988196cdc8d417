// SPDX-License-Identifier: BSD-3-Clause
#include "reader_calls.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tare::trace {
namespace {

// In a child, which may die of it: OTF2 believes what an anchor file says of itself, and asks for any amount of memory,
// or frees what it has not got.
[[noreturn]] void try_to_open(const char *anchor)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    constexpr rlim_t seconds = 2;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__  // which reserve terabytes
    constexpr rlim_t bytes = 1 << 30;
    const rlimit memory{bytes, bytes};
    setrlimit(RLIMIT_AS, &memory);
#endif
    const rlimit no_core{0, 0}, time{seconds, seconds};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &time);
    reader_handle(OTF2_Reader_Open(anchor));
    _exit(0);  // what it says of an error is asked for outside
}

void must_survive(const std::string &anchor, const std::string &tried)
{
    const pid_t child = fork();
    if (child == 0)
        try_to_open(anchor.c_str());
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0)
        throw error(tried + ": the file is damaged");
}

}  // namespace

reader_handle open_reader(const std::string &anchor, whose archive)
{
    const std::string tried = "cannot read " + anchor;
    if (archive == whose::others)
        must_survive(anchor, tried);
    reader_handle reader(must_have(OTF2_Reader_Open(anchor.c_str()), tried));
    must(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()), tried);
    return reader;
}

void read_definitions(OTF2_Reader *reader, const OTF2_GlobalDefReaderCallbacks *callbacks, void *data,
                      const std::string &tried)
{
    OTF2_GlobalDefReader *definitions = must_have(OTF2_Reader_GetGlobalDefReader(reader), tried);
    must(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, data), tried);
    std::uint64_t count = 0;
    must(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count), tried);
}

std::string property(OTF2_Reader *reader, const char *name)
{
    char *value = nullptr;
    if (OTF2_Reader_GetProperty(reader, name, &value) != OTF2_SUCCESS || value == nullptr)
        return "";
    const std::unique_ptr<char, decltype(&std::free)> owned(value, std::free);
    return value;
}

}  // namespace tare::trace
