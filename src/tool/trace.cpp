// SPDX-License-Identifier: BSD-3-Clause
// `tare trace`: what is done with the traces of a run. OTF2 is loaded for it, so that the tool needs none.
#include "command.hpp"
#include "installation.hpp"
#include "trace_module.h"

#include <cstdio>
#include <dlfcn.h>
#include <getopt.h>

namespace tare::tool {
namespace {

const option long_options[] = {
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

void print_help() {
    std::printf("Usage: tare trace join [OPTION]... [DIR]\n"
                "Make one archive, traces.otf2, of those that the ranks of a run have left in DIR (default:\n"
                "./tare-trace). A run whose ranks have all come to their end has done so itself; this is for one of\n"
                "which some did not, and says which are left out.\n"
                "\n"
                "  -h, --help           print this and exit\n"
                "  -V, --version        print the version and exit\n"
                "\n"
                "TARE_TRACE=1 makes a program write a trace. otf2-print, Vampir and others read it.\n");
}

// Gives back a status where the options end the command, else -1.
int read_options(int argc, char **argv) {
    opterr = 0;
    for (;;) {
        const std::string word = optind < argc ? argv[optind] : "";
        switch (const int result = getopt_long(argc, argv, "+:hV", long_options, nullptr)) {
        case -1: return -1;
        case 'h': return print_help(), exit_good;
        case 'V': return print_version(), exit_good;
        default: return usage_error("trace", option_error(result, word));
        }
    }
}

const tare_trace_module_t *load_module() {
    const installation place;
    const std::string file = place.otf2();
    void *handle = file.empty() ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const void *found = handle == nullptr ? nullptr : dlsym(handle, "tare_trace_module");
    const auto *module = static_cast<const tare_trace_module_t *>(found);
    return module != nullptr && module->size == sizeof *module ? module : nullptr;
}

int join(const char *dir) {
    const tare_trace_module_t *module = load_module();
    if (module == nullptr)
        return fail("trace", exit_failed, "this Tare was built without OTF2 (libotf2-trace-dev)");
    char message[TARE_TRACE_MESSAGE] = "";
    const int status = module->join(dir, 0, 1, message);
    if (status < 0)
        return fail("trace", exit_failed, message);
    if (status > 0)
        return fail("trace", exit_failed, std::string("another process is joining the traces in ") + dir);
    if (message[0] != '\0')
        std::fprintf(stderr, "tare trace: %s\n", message);
    std::printf("%s/traces.otf2\n", dir);
    return exit_good;
}

}  // namespace

int run_trace(int argc, char **argv) {
    const std::string action = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
    if (!action.empty())
        --argc, ++argv;
    const int status = read_options(argc, argv);
    if (status >= 0)
        return status;
    if (action.empty())
        return usage_error("trace", "what is to be done is missing: join");
    if (action != "join")
        return usage_error("trace", action + " is not one of join");
    if (optind + 1 < argc)
        return usage_error("trace", std::string("unexpected argument ") + argv[optind + 1]);
    return join(optind < argc ? argv[optind] : "tare-trace");
}

}  // namespace tare::tool
