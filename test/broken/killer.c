/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: kills the process inside the so manieth call (KILL_AT) that changes a file below KILL_IN. A file that is
 * written gets half of what it should. Counts from when the program calls killer_arm() on the rank KILL_RANK (0). */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

static int is_armed, left;

void killer_arm(void);
void killer_arm(void)
{
    const char *at = getenv("KILL_AT"), *rank = getenv("PMI_RANK"), *of = getenv("KILL_RANK");
    left = at == NULL ? 0 : atoi(at);
    is_armed = strcmp(rank == NULL ? "0" : rank, of == NULL ? "0" : of) == 0;
}

static int is_below(const char *path)
{
    const char *folder = getenv("KILL_IN");
    return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_open_below(int descriptor)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    return is_below(path);
}

/* As of the calls with a folder's descriptor. */
static int is_below_at(int folder, const char *path)
{
    return path[0] == '/' || folder == AT_FDCWD ? is_below(path) : is_open_below(folder);
}

/* It is this call. */
static int is_last(int counts)
{
    return is_armed && counts && --left == 0;
}

static int open_with(const char *name, const char *path, int flags, va_list more)
{
    const int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;
    if (is_last((flags & O_CREAT) && is_below(path)))
        raise(SIGKILL);
    return ((__typeof__(&open)) dlsym(RTLD_NEXT, name)) (path, flags, mode);
}

#define OPEN(name)                                                                                                 \
    int name(const char *path, int flags, ...)                                                                     \
    {                                                                                                              \
        va_list more;                                                                                              \
        va_start(more, flags);                                                                                     \
        const int descriptor = open_with(#name, path, flags, more);                                                \
        va_end(more);                                                                                              \
        return descriptor;                                                                                         \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                               \
    int name(int folder, const char *path, int flags, ...)                                                         \
    {                                                                                                              \
        va_list more;                                                                                              \
        va_start(more, flags);                                                                                     \
        const int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, int) : 0;                                  \
        va_end(more);                                                                                              \
        if (is_last((flags & O_CREAT) && is_below_at(folder, path)))                                               \
            raise(SIGKILL);                                                                                        \
        return ((__typeof__(&openat)) dlsym(RTLD_NEXT, #name)) (folder, path, flags, mode);                        \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int descriptor, const void *data, size_t bytes)
{
    if (is_last(is_armed && is_open_below(descriptor))) {
        NEXT(write) (descriptor, data, bytes / 2);
        raise(SIGKILL);
    }
    return NEXT(write) (descriptor, data, bytes);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    if (is_last(is_armed && is_open_below(descriptor))) {
        NEXT(writev) (descriptor, parts, count / 2);
        raise(SIGKILL);
    }
    return NEXT(writev) (descriptor, parts, count);
}

int rename(const char *from, const char *to)
{
    if (is_last(is_below(to)))
        raise(SIGKILL);
    return NEXT(rename) (from, to);
}

int unlink(const char *path)
{
    if (is_last(is_below(path)))
        raise(SIGKILL);
    return NEXT(unlink) (path);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    if (is_last(is_below_at(to_folder, to)))
        raise(SIGKILL);
    return NEXT(renameat) (from_folder, from, to_folder, to);
}

int unlinkat(int folder, const char *path, int flags)
{
    if (is_last(is_below_at(folder, path)))
        raise(SIGKILL);
    return NEXT(unlinkat) (folder, path, flags);
}
