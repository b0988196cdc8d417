/* SPDX-License-Identifier: BSD-3-Clause */
/* opener LIBRARY.so [die]: opens it with local symbols, and runs what it has. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(int) = library == NULL ? NULL : (int (*)(int)) dlsym(library, "run_opened");
    if (run != NULL)
        return run(argc > 2);
    fprintf(stderr, "opener: %s\n", argc > 1 ? dlerror() : "name a library");
    return 2;
}
