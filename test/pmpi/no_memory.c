/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: a kernel that makes no memory for several processes. */
#include <errno.h>

int memfd_create(const char *name, unsigned flags);
int memfd_create(const char *name, unsigned flags)
{
    (void) name;
    (void) flags;
    errno = ENOSYS;
    return -1;
}
