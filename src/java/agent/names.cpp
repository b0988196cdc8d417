// SPDX-License-Identifier: BSD-3-Clause
#include "names.hpp"

#include <algorithm>
#include <array>

namespace tare::java {
namespace {

std::string with_dots(std::string name)
{
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

std::string without_java_lang(const std::string &name)
{
    const std::string package = "java.lang.";
    const bool is_in = name.rfind(package, 0) == 0 && name.find('.', package.size()) == std::string::npos;
    return is_in ? name.substr(package.size()) : name;
}

std::string primitive(char letter)
{
    switch (letter) {
    case 'B': return "byte";
    case 'C': return "char";
    case 'D': return "double";
    case 'F': return "float";
    case 'I': return "int";
    case 'J': return "long";
    case 'S': return "short";
    case 'Z': return "boolean";
    default: return "?";
    }
}

// The type that begins at a place, which goes behind it.
std::string next_type(const std::string &descriptor, std::size_t &at)
{
    std::string dimensions;
    for (; descriptor[at] == '['; at++)
        dimensions += "[]";
    if (descriptor[at] != 'L')
        return primitive(descriptor[at++]) + dimensions;
    const std::size_t begin = at + 1;
    const std::size_t end = std::min(descriptor.find(';', begin), descriptor.size() - 1);
    at = end + 1;
    return without_java_lang(with_dots(descriptor.substr(begin, end - begin))) + dimensions;
}

// A character of three bytes, as which a surrogate is written; 0: there is none.
char32_t three_bytes(const std::string &text, std::size_t at)
{
    const auto bits = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    if (at + 3 > text.size() || (bits(0) & 0xf0) != 0xe0)
        return 0;
    return (bits(0) & 0x0fu) << 12 | (bits(1) & 0x3fu) << 6 | (bits(2) & 0x3fu);
}

std::string four_bytes(char32_t character)
{
    const auto byte = [&](unsigned lead, unsigned shift, unsigned mask) {
        return static_cast<char>(lead | (character >> shift & mask));
    };
    return {byte(0xf0, 18, 0x07), byte(0x80, 12, 0x3f), byte(0x80, 6, 0x3f), byte(0x80, 0, 0x3f)};
}

bool is_high(char32_t character) { return character >= 0xd800 && character < 0xdc00; }
bool is_low(char32_t character) { return character >= 0xdc00 && character < 0xe000; }

}  // namespace

std::string from_java(const std::string &text)
{
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t first = three_bytes(text, at), second = three_bytes(text, at + 3);
        if (is_high(first) && is_low(second)) {
            result += four_bytes(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            at += 6;
        } else if (is_high(first) || is_low(first)) {
            result += '?';
            at += 3;
        } else {
            result += text[at++];
        }
    }
    return result;
}

std::string name_of_method(const std::string &class_name, const std::string &method, const std::string &descriptor)
{
    std::string name = with_dots(class_name) + "." + method + "(";
    for (std::size_t at = 1; at < descriptor.size() && descriptor[at] != ')';) {
        if (at > 1)
            name += ", ";
        name += next_type(descriptor, at);
    }
    return name + ")";
}

bool is_platform(const std::string &class_name)
{
    static const std::array packages = {"java/",    "javax/",      "jdk/",             "sun/",
                                        "com/sun/", "tare/agent/", "tare/instrument/", "tare/mpi/"};
    return std::any_of(packages.begin(), packages.end(),
                       [&](const char *package) { return class_name.rfind(package, 0) == 0; });
}

}  // namespace tare::java
