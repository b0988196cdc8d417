// SPDX-License-Identifier: BSD-3-Clause
#include "bench_machine.hpp"

#include "process.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace tare::tool {
namespace {

// More than that, and figures of single per cents say something of the others.
constexpr double quiet_pct = 2;

double seconds_of(int who) {
    rusage use = {};
    getrusage(who, &use);
    const auto seconds = [](const timeval &t) { return static_cast<double>(t.tv_sec) + 1e-6 * t.tv_usec; };
    return seconds(use.ru_utime) + seconds(use.ru_stime);
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
            return line.substr(line.find(": ") + 2);
    return "unknown processor";
}

}  // namespace

bool machine_use::was_quiet() const { return others_pct + stolen_pct <= quiet_pct; }

std::string machine_use::sentence() const {
    char text[160];
    std::snprintf(text, sizeof text,
                  "Other programs took %.1f %% of the cores' time, the host of a virtual machine %.1f %%.", others_pct,
                  stolen_pct);
    return text;
}

// The first line of /proc/stat: user nice system idle iowait irq softirq steal, in clock ticks of all cores.
machine_watch::ticks machine_watch::read() {
    std::ifstream file("/proc/stat");
    std::string word;
    std::array<double, 8> t = {};
    file >> word;
    for (double &value : t)
        file >> value;
    const double hz = static_cast<double>(sysconf(_SC_CLK_TCK));
    const double busy = t[0] + t[1] + t[2] + t[5] + t[6];
    return {busy, t[7], busy + t[3] + t[4] + t[7], hz * (seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN))};
}

machine_watch::machine_watch() : start_(read()) {}

machine_use machine_watch::so_far() const {
    const ticks now = read();
    const double total = now.total - start_.total;
    if (total <= 0)
        return {};
    const double others = (now.busy - start_.busy) - (now.own - start_.own);
    return {std::max(0.0, 100 * others / total), 100 * (now.stolen - start_.stolen) / total};
}

int usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::string machine_name() {
    utsname system = {};
    uname(&system);
    return processor_name() + ", " + std::to_string(usable_cores()) + " cores, Linux " + system.release;
}

}  // namespace tare::tool
