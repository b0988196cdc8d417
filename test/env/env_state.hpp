// SPDX-License-Identifier: BSD-3-Clause
// An environment without Tare's variables, and the settings that are read from it.
#ifndef TARE_TEST_ENV_STATE_HPP
#define TARE_TEST_ENV_STATE_HPP

#include "tare_env.h"
#include "tare_transport.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "cmocka_cpp.hpp"

inline tare_settings_t settings;
inline char message[512];

// Only what is Tare's: CMocka has variables, too.
inline void forget_variables()
{
    for (char **entry = environ; *entry != nullptr;) {
        char name[512];
        snprintf(name, sizeof name, "%.*s", static_cast<int>(strcspn(*entry, "=")), *entry);
        if (strncmp(name, "TARE_", 5) == 0 && unsetenv(name) == 0)
            entry = environ;
        else
            ++entry;
    }
}

inline int empty_environment(void **) { return forget_variables(), 0; }

inline int read_environment()
{
    message[0] = '\0';
    return tare_env_read(&settings, message, sizeof message);
}

inline void read_with(const char *name, const char *value)
{
    forget_variables();
    setenv(name, value, 1);
    if (read_environment() != 0)
        fail_msg("%s", message);
}

#define env_test(function) cmocka_unit_test_setup(function, empty_environment)

#endif
