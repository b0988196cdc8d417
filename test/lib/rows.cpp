// SPDX-License-Identifier: BSD-3-Clause
// Prints a profile for the tests: rows DIRECTORY. One line a row: RANK THREAD NAME=VALUE... GROUP REGION, call paths
// behind the regions of their thread; below a throttled one RANK THREAD counted=CALLS REGION; then one line an attribute
// of the first file.
#include "profile.hpp"

#include <cstdio>

using namespace tare::profile;

static void print(const thread &t, const row &r, const char *kind = "")
{
    std::printf("%d %d calls=%lld subrs=%lld incl=%lld excl=%lld incl_comp=%lld excl_comp=%lld wait=%lld "
                "wait_comp=%lld removed=%lld residue=%lld %s%s %s\n",
                t.rank, t.number, static_cast<long long>(r.calls), static_cast<long long>(r.subrs),
                static_cast<long long>(r.incl_ns), static_cast<long long>(r.excl_ns),
                static_cast<long long>(r.incl_comp_ns), static_cast<long long>(r.excl_comp_ns),
                static_cast<long long>(r.wait_ns), static_cast<long long>(r.wait_comp_ns),
                static_cast<long long>(r.removed_ns), static_cast<long long>(r.residue_ns), kind, r.group.c_str(),
                r.region.c_str());
    if (r.counted_calls != 0)
        std::printf("%d %d counted=%lld %s\n", t.rank, t.number, static_cast<long long>(r.counted_calls),
                    r.region.c_str());
}

int main(int, char **argv)
{
    try {
        const run all = read_directory(argv[1]);
        for (const thread &t : all.threads) {
            for (const row &r : t.rows)
                print(t, r);
            for (const row &r : t.paths)
                print(t, r, "TAU_CALLPATH|");
        }
        for (const auto &[name, value] : all.threads.front().metadata)
            std::printf("%s: %s\n", name.c_str(), value.c_str());
    } catch (const error &e) {
        std::fprintf(stderr, "rows: %s\n", e.what());
        return 1;
    }
}
