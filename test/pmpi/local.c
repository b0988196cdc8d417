/* SPDX-License-Identifier: BSD-3-Clause */
/* local PLUGIN.so: opens a library that uses MPI, with local symbols, as mpi4py and JNI do. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin == NULL) {
        fprintf(stderr, "local: %s\n", argc == 2 ? dlerror() : "name a library");
        return 2;
    }
    int (*run) (void) = (int (*)(void)) dlsym(plugin, "run_plugin");
    return run == NULL ? 2 : run();
}
