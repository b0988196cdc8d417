// SPDX-License-Identifier: BSD-3-Clause
// An environment of any names and values, separated by zero bytes: it is read, or refused with one sentence.
#include <unistd.h>
#include <vector>

#include "holds.hpp"
#include "input.hpp"
#include "tare_env.h"
#include "tare_env_own.h"
#include "tare_transport.h"

namespace {

// In place of the process's own as long as it is there.
class environment {
  public:
    explicit environment(fuzz::input in) : before_(environ)
    {
        while (!in.at_end())
            texts_.push_back(in.part('\0'));
        for (std::string &text : texts_)
            entries_.push_back(text.data());
        entries_.push_back(nullptr);
        environ = entries_.data();
    }
    ~environment() { environ = before_; }
    environment(const environment &) = delete;
    environment &operator=(const environment &) = delete;

  private:
    char **before_;
    std::vector<std::string> texts_;
    std::vector<char *> entries_;
};

bool is_sentence(const char *message) { return *message != '\0' && std::strchr(message, '\n') == nullptr; }

void check_settings(const tare_settings_t &s)
{
    HOLDS(s.mode >= TARE_MODE_OFF && s.mode <= TARE_MODE_COPY);
    HOLDS(s.rule >= TARE_RULE_EXACT && s.rule <= TARE_RULE_LOCAL);
    HOLDS(s.throttle_calls >= 0 && s.throttle_ns >= 0 && s.callpath_depth >= 0 && s.callpath_depth <= 1000);
    HOLDS(s.profile_formats > 0 && s.profile_formats < 16);
    HOLDS(s.signal_name != nullptr && s.profile_dir != nullptr);
}

// Where the whole text is allowed, every rule is taken off it.
void check_rules(const char *text)
{
    tare_inject_rule_t rule;
    while (tare_env_inject_next(&text, &rule) != 0)
        HOLDS(rule.region_length > 0 && rule.ns >= 0 && rule.rank >= -1);
    HOLDS(text == nullptr || *text == '\0');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const environment now(fuzz::input(data, size));
    tare_settings_t settings;
    char message[400] = "";
    if (tare_env_read(&settings, message, sizeof message) == 0) {
        check_settings(settings);
        check_rules(settings.inject);
    } else {
        HOLDS(is_sentence(message));
    }
    HOLDS(tare_env_repeat_probes() >= 0 && tare_env_repeat_probes() <= 9);
    for (int n = 0; tare_env_warning(n, message, sizeof message) != 0; n++)
        HOLDS(is_sentence(message));
    return 0;
}
