// SPDX-License-Identifier: BSD-3-Clause
#include "reader_calls.hpp"

#include "definition_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tare::trace {
namespace {

// A sanitizer reserves terabytes.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
constexpr bool is_sanitized = true;
#elif defined __has_feature
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

// In a child, which may die of it: OTF2 believes what an anchor file says of itself, and asks for any amount of memory,
// or frees what it has not got.
[[noreturn]] void try_to_open(const char *anchor)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    constexpr rlim_t seconds = 2, bytes = 1 << 30;
    const rlimit no_core{0, 0}, time{seconds, seconds}, memory{bytes, bytes};
    if (!is_sanitized)
        setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &time);
    reader_handle(OTF2_Reader_Open(anchor)).reset();
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

std::uint64_t definition_chunk_of(OTF2_Reader *reader)
{
    std::uint64_t of_events = 0, of_definitions = 0;
    OTF2_Reader_GetChunkSize(reader, &of_events, &of_definitions);
    return of_definitions;
}

}  // namespace

reader_handle open_reader(const std::string &anchor, whose archive)
{
    const std::string tried = "cannot read " + anchor;
    if (archive == whose::others)
        must_survive(anchor, tried);
    reader_handle reader(must_have(OTF2_Reader_Open(anchor.c_str()), tried));
    must(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()), tried);
    if (archive == whose::others &&
        has_false_counts(definition_file(anchor), definitions_of::all, definition_chunk_of(reader.get())))
        throw error("cannot read " + definition_file(anchor) + ": the file is damaged");
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

std::string read_local_definitions(OTF2_Reader *reader, const std::string &anchor, OTF2_LocationRef location)
{
    if (has_false_counts(definition_file(anchor, location), definitions_of::location, definition_chunk_of(reader)))
        return OTF2_Error_GetDescription(OTF2_ERROR_INVALID_DATA);
    OTF2_DefReader *in = OTF2_Reader_GetDefReader(reader, location);
    if (in == nullptr)
        return latest_error(OTF2_ERROR_INVALID_CALL);
    std::uint64_t count = 0;
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, in, &count);
    const std::string problem = code == OTF2_SUCCESS ? "" : latest_error(code);
    const OTF2_ErrorCode closed = OTF2_Reader_CloseDefReader(reader, in);
    return problem.empty() && closed != OTF2_SUCCESS ? latest_error(closed) : problem;
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
