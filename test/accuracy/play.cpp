// SPDX-License-Identifier: BSD-3-Clause
// Plays one scene with two ranks and prints what each found: a line a rank, times in ns,
//
//     RANK TOTAL WAIT STOLEN OVERHEAD COMPENSATED_TOTAL COMPENSATED_WAIT LEAST_TOTAL GREATEST_TOTAL
//
// of the loop. `run` plays all of them and makes the table.
#include "scenes.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct options {
    const scene *which = nullptr;
    clocks clock = clocks::own;
    int percent = 100;  // of the steps
    std::string wrong;  // one sentence
};

const scene *find(const char *name)
{
    for (int i = 0; i < scene_count; i++)
        if (strcmp(scenes[i].name, name) == 0)
            return &scenes[i];
    return nullptr;
}

int parse_percent(const char *text)
{
    char *end;
    const long value = strtol(text, &end, 10);
    return *text != '\0' && *end == '\0' && value >= 1 && value <= 1000 ? static_cast<int>(value) : 0;
}

options parse(int argc, char **argv)
{
    options o;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--plain")
            o.clock = clocks::plain;
        else if (word == "--stamps")
            o.clock = clocks::stamps;
        else if (word == "--percent" && i + 1 < argc && parse_percent(argv[i + 1]) > 0)
            o.percent = parse_percent(argv[++i]);
        else if (o.which == nullptr && find(argv[i]) != nullptr)
            o.which = find(argv[i]);
        else if (o.wrong.empty())
            o.wrong = "cannot use '" + word + "': give one SCENE of --list, --plain or --stamps, --percent 1 to 1000";
    }
    if (o.wrong.empty() && o.which == nullptr)
        o.wrong = "no scene: give one of --list";
    return o;
}

void list()
{
    for (int i = 0; i < scene_count; i++)
        printf("%s %s\n", scenes[i].name, scenes[i].title);
}

outcome play(const options &o, int number)
{
    const int wanted = o.which->steps * o.percent / 100, steps = wanted > 0 ? wanted : 1;
    rank self(number, steps, o.which->mean[number], o.clock);
    self.meet();
    self.begin();
    for (int i = 0; i < steps; i++)
        o.which->step(self, i);
    const outcome result = self.end();
    self.leave();
    return result;
}

void print(int number, const outcome &r)
{
    printf("%d %lld %lld %lld %lld %lld %lld %lld %lld\n", number, (long long) r.total, (long long) r.wait,
           (long long) r.stolen, (long long) r.overhead, (long long) r.compensated_total,
           (long long) r.compensated_wait, (long long) r.least_total, (long long) r.greatest_total);
}

}  // namespace

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    options o = parse(argc, argv);
    int number, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (o.wrong.empty() && ranks != 2)
        o.wrong = "needs exactly 2 ranks: start it by mpiexec -n 2";
    if (o.wrong.empty()) {
        outcome all[2], mine = play(o, number);
        MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int i = 0; number == 0 && i < 2; i++)
            print(i, all[i]);
    } else if (number == 0) {
        fprintf(stderr, "play: %s\n", o.wrong.c_str());
    }
    MPI_Finalize();
    return o.wrong.empty() ? 0 : 2;
}
