// SPDX-License-Identifier: BSD-3-Clause
#include "otf2_calls.hpp"

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tare::trace {
namespace {

std::string kept;

OTF2_ErrorCode keep_error(void *, const char *, std::uint64_t, const char *, OTF2_ErrorCode code, const char *, va_list)
{
    if (kept.empty())
        kept = OTF2_Error_GetDescription(code);
    return code;
}

OTF2_FlushType flush_always(void *, OTF2_FileType, OTF2_LocationRef, void *, bool) { return OTF2_FLUSH; }

const OTF2_FlushCallbacks flush_callbacks = {flush_always, nullptr};

// Each file has one, which goes to the file when it is full. OTF2 would make more of them, a hundred or so, and write all
// together: where it closes a file, which is where it must not fail (see archive_out). So what is left to write there is
// less than a chunk, and goes into what OTF2 has gathered; writing that may fail.
struct one_chunk {
    std::unique_ptr<char[]> memory;
    bool is_given = false;
};

void *give_chunk(void *, OTF2_FileType, OTF2_LocationRef, void **own, std::uint64_t bytes)
{
    if (*own == nullptr)
        *own = new (std::nothrow) one_chunk;
    auto *c = static_cast<one_chunk *>(*own);
    if (c == nullptr || std::exchange(c->is_given, true))
        return nullptr;
    if (!c->memory)
        c->memory.reset(new (std::nothrow) char[bytes]);
    return c->memory.get();
}

void take_chunk(void *, OTF2_FileType, OTF2_LocationRef, void **own, bool is_final)
{
    std::unique_ptr<one_chunk> c(static_cast<one_chunk *>(std::exchange(*own, nullptr)));
    if (!c || is_final)
        return;
    c->is_given = false;
    *own = c.release();
}

const OTF2_MemoryCallbacks memory_callbacks = {give_chunk, take_chunk};

}  // namespace

errors_are_quiet::errors_are_quiet() : before_(OTF2_Error_RegisterCallback(keep_error, nullptr)) { kept.clear(); }

errors_are_quiet::~errors_are_quiet() { OTF2_Error_RegisterCallback(before_, nullptr); }

bool has_error() { return !kept.empty(); }

std::string latest_error(OTF2_ErrorCode code)
{
    std::string what = kept.empty() ? OTF2_Error_GetDescription(code) : kept;
    kept.clear();
    return what;
}

void must(OTF2_ErrorCode code, const std::string &tried)
{
    if (code != OTF2_SUCCESS)
        throw error(tried + ": " + latest_error(code));
}

archive_out::archive_out(const std::string &folder)
    : folder_(folder),
      archive_(must_have(OTF2_Archive_Open(folder.c_str(), archive_name, OTF2_FILEMODE_WRITE, event_chunk,
                                           definition_chunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE),
                         writing()))
{
    kept.clear();
    check(OTF2_Archive_SetMemoryCallbacks(archive_, &memory_callbacks, nullptr));
    check(OTF2_Archive_SetFlushCallbacks(archive_, &flush_callbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "Tare"));
}

archive_out::~archive_out()
{
    if (archive_ != nullptr)
        OTF2_Archive_Close(archive_);
}

void archive_out::set(const std::string &name, const std::string &value)
{
    check(OTF2_Archive_SetProperty(archive_, ("TARE::" + name).c_str(), value.c_str(), true));
}

void archive_out::close()
{
    check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
}

void archive_out::fail(OTF2_ErrorCode code)
{
    static auto &left = *new std::vector<OTF2_Archive *>;  // for tools that look for memory nobody knows of
    if (archive_ != nullptr)
        left.push_back(std::exchange(archive_, nullptr));
    throw error(writing() + ": " + latest_error(code));
}

}  // namespace tare::trace
