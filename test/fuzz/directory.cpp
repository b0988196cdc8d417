// SPDX-License-Identifier: BSD-3-Clause
// The profile of a rank as its files, separated by zero bytes: the four metrics, then the table of its MPI calls.
#include "folder.hpp"
#include "holds.hpp"
#include "input.hpp"
#include "mpi_calls.hpp"
#include "profile.hpp"

namespace {

const char *const names[] = {"MULTI__TIME/profile.0.0.0", "MULTI__COMPENSATED_TIME/profile.0.0.0",
                             "MULTI__MPI_WAIT_TIME/profile.0.0.0", "MULTI__COMPENSATED_MPI_WAIT_TIME/profile.0.0.0",
                             "tare-calls.0"};

// A part that is missing is a file that is.
void put_files(fuzz::input in, const fuzz::folder &to)
{
    for (const char *name : names)
        if (in.at_end())
            to.remove(name);
        else
            to.put(name, in.part('\0'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const fuzz::folder directory(names);
    put_files(fuzz::input(data, size), directory);
    try {
        for (const tare::profile::thread &t : tare::profile::read_directory(directory.path()).threads)
            for (const tare::profile::row &r : t.rows)
                HOLDS(r.incl_ns - r.incl_comp_ns == r.removed_ns);
    } catch (const tare::profile::error &e) {
        HOLDS(*e.what() != '\0');
    }
    try {
        for (const tare::profile::rank_calls &r : tare::profile::read_calls(directory.path()))
            HOLDS(r.rank == 0 && r.sizes.size() == tare::profile::size_classes);
    } catch (const tare::profile::error &e) {
        HOLDS(*e.what() != '\0');
    }
    return 0;
}
