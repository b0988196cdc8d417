// SPDX-License-Identifier: BSD-3-Clause
// An input as numbers, or as a text: what every target takes off it. At its end numbers are 0.
#ifndef TARE_TEST_FUZZ_INPUT_HPP
#define TARE_TEST_FUZZ_INPUT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace fuzz {

class input {
  public:
    input(const std::uint8_t *data, std::size_t size) : rest_(reinterpret_cast<const char *>(data), size) {}

    bool at_end() const { return rest_.empty(); }

    template <typename Number> Number number()
    {
        Number value{};
        const std::size_t size = std::min(sizeof value, rest_.size());
        std::memcpy(&value, rest_.data(), size);
        rest_.remove_prefix(size);
        return value;
    }

    std::uint8_t byte() { return number<std::uint8_t>(); }

    // So many, or what there is.
    std::string bytes(std::size_t most)
    {
        const std::string text(rest_.substr(0, most));
        rest_.remove_prefix(text.size());
        return text;
    }

    // Up to the next `end`, which is taken, too.
    std::string part(char end)
    {
        const std::size_t length = std::min(rest_.find(end), rest_.size());
        const std::string text(rest_.substr(0, length));
        rest_.remove_prefix(std::min(length + 1, rest_.size()));
        return text;
    }

    std::string rest() const { return std::string(rest_); }

  private:
    std::string_view rest_;
};

}  // namespace fuzz

#endif
