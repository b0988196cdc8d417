// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms.hpp"

#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace coll {

namespace {

std::map<std::string, std::vector<std::string>> table;

[[noreturn]] void stop(const std::string &why)
{
    fprintf(stderr, "coll: %s\n", why.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

int index_of(const std::string &variable)
{
    int index;
    return MPI_T_cvar_get_index(variable.c_str(), &index) == MPI_SUCCESS ? index : -1;
}

std::string description_of(int index)
{
    char name[200], text[8192];
    int name_size = sizeof(name), text_size = sizeof(text), verbosity, binding, scope;
    MPI_Datatype type;
    MPI_T_enum names;
    MPI_T_cvar_get_info(index, name, &name_size, &verbosity, &type, &names, text, &text_size, &binding, &scope);
    return text;
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The library lists these values and no others, each as `name - what it does`.
bool lists(const std::string &description, const std::vector<std::string> &values)
{
    std::size_t at = 0;
    for (const std::string &v : values) {
        at = description.find(v + " ", at);
        if (at == std::string::npos)
            return false;
        for (at += v.size(); at < description.size() && is_space(description[at]);)
            at++;
        if (description.compare(at, 2, "- ") != 0)
            return false;
    }
    std::size_t count = 0;
    for (at = 0; (at = description.find(" - ", at)) != std::string::npos; at++)
        count++;
    return count == values.size();
}

}  // namespace

void read_algorithms(const char *path)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string variable;
        words >> variable;
        if (variable.compare(0, 4, "MPIR") != 0)
            continue;
        for (std::string value; words >> value;)
            table[variable].push_back(value);
    }
    if (table.empty())
        stop(std::string(path) + ": no table of algorithms");
}

bool choice::exists(const std::string &variable) { return table.count(variable) != 0; }

choice::choice(const std::string &variable) : index_(index_of(variable)), values_(table[variable])
{
    if (index_ < 0 || !lists(description_of(index_), values_))
        stop("this library has other values of " + variable + " than the table");
}

void choice::set(const std::string &value) const
{
    const auto found = std::find(values_.begin(), values_.end(), value);
    if (found == values_.end())
        stop("no value " + value);
    const int number = static_cast<int>(found - values_.begin());
    MPI_T_cvar_handle handle;
    int count;
    if (MPI_T_cvar_handle_alloc(index_, nullptr, &handle, &count) != MPI_SUCCESS ||
        MPI_T_cvar_write(handle, &number) != MPI_SUCCESS)
        stop("a control variable cannot be written");
    MPI_T_cvar_handle_free(&handle);
}

}  // namespace coll
