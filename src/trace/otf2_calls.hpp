// SPDX-License-Identifier: BSD-3-Clause
// OTF2's calls as they are used here: what they say of an error is part of a sentence, and not printed.
#ifndef TARE_TRACE_OTF2_CALLS_HPP
#define TARE_TRACE_OTF2_CALLS_HPP

#include <otf2/otf2.h>

#include <stdexcept>
#include <string>

namespace tare::trace {

// what(): a sentence that names the file or folder.
class error : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// OTF2 prints its errors, from several places for each: while this lives they are kept.
class errors_are_quiet {
  public:
    errors_are_quiet();
    ~errors_are_quiet();
    errors_are_quiet(const errors_are_quiet &) = delete;
    errors_are_quiet &operator=(const errors_are_quiet &) = delete;

  private:
    OTF2_ErrorCallback before_;
};

// Whether something went wrong, which OTF2 does not return of all calls; what that was first, in its words, forgotten then.
bool has_error();
std::string latest_error(OTF2_ErrorCode code);

// Throws error, which begins with what was tried: "cannot write DIR/rank.0/traces".
void must(OTF2_ErrorCode code, const std::string &tried);

// What OTF2 has made, if it has.
template <typename Made> Made *must_have(Made *made, const std::string &tried)
{
    must(made == nullptr ? OTF2_ERROR_INVALID_CALL : OTF2_SUCCESS, tried);
    return made;
}

constexpr const char *archive_name = "traces";
// Parts of 4 MiB, which is what OTF2 gathers of a file before it writes: see one_chunk.
constexpr std::uint64_t event_chunk = 1 << 20, definition_chunk = 1 << 18;

// An archive that is being written by one process. It is closed in any case but one: when something could not be written,
// OTF2 has freed it, and closing the file would write it again.
class archive_out {
  public:
    explicit archive_out(const std::string &folder);
    ~archive_out();
    archive_out(const archive_out &) = delete;
    archive_out &operator=(const archive_out &) = delete;

    OTF2_Archive *get() const { return archive_; }
    // A sentence for what is tried with it.
    std::string writing() const { return "cannot write the trace in " + folder_; }
    // Of a call that writes. Throws error, also for what OTF2 has said before and not returned: that it could not write
    // what it had kept of a file until it was closed. No call may follow.
    void check(OTF2_ErrorCode code)
    {
        if (code != OTF2_SUCCESS || has_error())
            fail(code);
    }
    template <typename Made> Made *check(Made *made)
    {
        check(made == nullptr ? OTF2_ERROR_INVALID_CALL : OTF2_SUCCESS);
        return made;
    }
    void set(const std::string &name, const std::string &value);
    void close();

  private:
    [[noreturn]] void fail(OTF2_ErrorCode code);

    const std::string folder_;
    OTF2_Archive *archive_;
};

}  // namespace tare::trace

#endif
