// SPDX-License-Identifier: BSD-3-Clause
// Names in the environment that look like the table's and are not.
#include "tare_env.h"
#include "tare_env_own.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

namespace {

// Names that begin with TARE_ and belong to module systems, to the compiler wrappers, or to Tare itself where it starts
// its own programs.
const char *const ignored[] = {"TARE_ROOT", "TARE_HOME", "TARE_DIR", "TARE_VERSION",
                               "TARE_CC",   "TARE_CXX",  "TARE_FC",  "TARE_EXCLUDE"};

bool is_name(const char *entry, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(entry, name, length) == 0;
}

bool is_known(const char *entry, size_t length)
{
    size_t rows;
    const tare_env_row_t *table = tare_env_table(&rows);
    for (size_t i = 0; i < rows; i++)
        if (is_name(entry, length, table[i].name))
            return true;
    for (const char *name : ignored)
        if (is_name(entry, length, name))
            return true;
    return false;
}

// Levenshtein's distance of two short words.
int distance(const char *a, size_t a_length, const char *b)
{
    constexpr size_t longest = 64;
    const size_t b_length = strlen(b);
    if (a_length > longest || b_length > longest)
        return INT_MAX;
    int row[longest + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = static_cast<int>(j);
    for (size_t i = 1; i <= a_length; i++) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i);
        for (size_t j = 1; j <= b_length; j++) {
            const int substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            const int shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            row[j] = substituted < shorter + 1 ? substituted : shorter + 1;
        }
    }
    return row[b_length];
}

const char *nearest_name(const char *entry, size_t length)
{
    size_t rows;
    const tare_env_row_t *table = tare_env_table(&rows);
    const char *nearest = table[0].name;
    int best = INT_MAX;
    for (size_t i = 0; i < rows; i++) {
        const int d = distance(entry, length, table[i].name);
        if (d < best) {
            best = d;
            nearest = table[i].name;
        }
    }
    return nearest;
}

// A very long name is cut.
constexpr size_t shown = 80;

}  // namespace

void tare_env_make_readable(char *message)
{
    for (; *message != '\0'; message++)
        if (static_cast<unsigned char>(*message) < ' ')
            *message = '?';
}

int tare_env_warning(int n, char *message, size_t size)
{
    if (getauxval(AT_SECURE) != 0)       // what is ignored as a whole is not looked at name by name
        return 0;
    for (char **entry = environ; *entry != nullptr; entry++) {
        const size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "TARE_", 5) != 0 || is_known(*entry, length))
            continue;
        if (n-- > 0)
            continue;
        snprintf(message, size, "%.*s means nothing to Tare and is ignored; the nearest known name is %s",
                 static_cast<int>(length < shown ? length : shown), *entry, nearest_name(*entry, length));
        tare_env_make_readable(message);
        return 1;
    }
    return 0;
}
