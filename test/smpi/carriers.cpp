// SPDX-License-Identifier: BSD-3-Clause
// usage: carriers [--overhead] [--skew] [SCENE...]
//        carriers --list
// Plays scenes one after the other, each from a time of the simulation at which every rank begins anew, and prints
// what each rank's clocks say (rank::print). With TARE_MODE=off and without --overhead that is the truth.
#include "gaps.hpp"
#include "scenes.hpp"
#include "tare_transport.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace {

// A scene's meeting begins at a multiple of the one, the scene itself the other later: in the same window of the
// core's table of latencies.
constexpr std::int64_t period_ns = 100 * s;
constexpr std::int64_t meeting_ns = 5 * s;

struct arguments {
    run_kind kind{false, false};
    bool list = false;
    std::vector<std::string> names;

    arguments(int argc, char **argv)
    {
        for (int i = 1; i < argc; i++) {
            const std::string word = argv[i];
            kind.measures |= word == "--overhead";
            kind.skewed |= word == "--skew";
            list |= word == "--list";
            if (word[0] != '-')
                names.push_back(word);
        }
    }

    bool wants(const char *name) const
    {
        for (const std::string &wanted : names)
            if (wanted == name)
                return true;
        return names.empty();
    }
};

void list_scenes()
{
    for (unsigned i = 0; i < scene_count; i++)
        printf("%s\t%s\t%s\n", scenes[i].name, scenes[i].limit == nullptr ? "exact" : scenes[i].limit,
               scenes[i].without_types == nullptr ? "" : scenes[i].without_types);
}

bool is_playable(const scene &what)
{
    return what.without_types == nullptr || tare_core_table.global->mode != TARE_MODE_DATATYPE;
}

void play(rank &self, unsigned i)
{
    const scene &what = scenes[i];
    const std::int64_t time_ns = (i + 1) * period_ns;
    self.begin(what.name, false, time_ns);
    if (what.meet != nullptr)
        what.meet(self);
    self.begin(what.name, what.instruments(self.number, self.size), time_ns + meeting_ns);
    what.run(self);
    self.print(what.name);
}

}  // namespace

int main(int argc, char **argv)
{
    const arguments given(argc, argv);
    int number, size;
    fill_gaps();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (given.list && number == 0)
        list_scenes();
    rank self(given.kind, number, size);
    for (unsigned i = 0; i < scene_count && !given.list; i++)
        if (given.wants(scenes[i].name) && is_playable(scenes[i]))
            play(self, i);
    MPI_Finalize();
    return 0;
}
