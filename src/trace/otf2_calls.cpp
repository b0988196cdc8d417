// SPDX-License-Identifier: BSD-3-Clause
#include "otf2_calls.hpp"

#include <cstdarg>
#include <cstdint>

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

}  // namespace

errors_are_quiet::errors_are_quiet() : before_(OTF2_Error_RegisterCallback(keep_error, nullptr)) { kept.clear(); }

errors_are_quiet::~errors_are_quiet() { OTF2_Error_RegisterCallback(before_, nullptr); }

std::string latest_error(OTF2_ErrorCode code)
{
    const std::string what = kept.empty() ? OTF2_Error_GetDescription(code) : kept;
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
    try {
        must(OTF2_Archive_SetFlushCallbacks(archive_, &flush_callbacks, nullptr), writing());
        must(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), writing());
        must(OTF2_Archive_SetCreator(archive_, "Tare"), writing());
    } catch (...) {
        OTF2_Archive_Close(archive_);
        throw;
    }
}

archive_out::~archive_out()
{
    if (archive_ != nullptr)
        OTF2_Archive_Close(archive_);
}

void archive_out::set(const std::string &name, const std::string &value)
{
    must(OTF2_Archive_SetProperty(archive_, ("TARE::" + name).c_str(), value.c_str(), true), writing());
}

void archive_out::close()
{
    OTF2_Archive *closing = archive_;
    archive_ = nullptr;
    must(OTF2_Archive_Close(closing), writing());
}

}  // namespace tare::trace
