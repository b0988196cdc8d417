/* SPDX-License-Identifier: BSD-3-Clause */
/* declared: what a program says of its data. Prints what its trace must have of that, as buffers.py does. */
#include "tare.h"

#include <stdio.h>
#include <string.h>

static double field[10], copy[10];

static void says(const char *name, const void *start, size_t bytes, const char *type)
{
    tare_data(name, start, bytes, type);
    printf("Leave tare_data() names %s %p %zu %s\n", name, start, bytes, type == NULL ? "-" : type);
}

int main(void)
{
    tare_region_t *work = tare_region("work");
    says("before any region", copy, sizeof copy, "double");
    tare_enter(work);
    says("field", field, sizeof field, "double");
    memcpy(copy, field, sizeof field);
    tare_copied(copy, field, sizeof field);
    printf("Leave tare_copied() reads %p %zu - writes %p %zu -\n", (void *) field, sizeof field, (void *) copy, sizeof copy);
    tare_copied(copy, field, 0);
    tare_data(NULL, field, 8, "double");
    tare_uses("solver", copy, sizeof copy);
    printf("Leave tare_uses() names solver %p %zu -\n", (void *) copy, sizeof copy);
    tare_uses("solver", copy, 0);
    tare_uses(NULL, copy, sizeof copy);
    says("field", field, 0, NULL);
    tare_leave(work);
    return 0;
}
