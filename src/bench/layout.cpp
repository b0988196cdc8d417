// SPDX-License-Identifier: BSD-3-Clause
#include "layout.hpp"

#include <numeric>
#include <vector>

#include "numbers.hpp"

namespace tare::bench {
int layout::block_of(int size) const {
    return std::gcd(size, block_bytes);
}

// In an indexed layout every second block stands at the end of its stride, so that the gaps differ.
std::size_t layout::offset_of(int size, std::size_t place) const {
    if (is_plain())
        return place;
    const std::size_t stride = static_cast<std::size_t>(stride_bytes);
    const std::size_t bytes = static_cast<std::size_t>(block_of(size));
    const std::size_t block = place / bytes;
    const std::size_t shift = how == kind::indx && block % 2 == 1 ? stride - bytes : 0;
    return block * stride + shift + place % bytes;
}

std::size_t layout::extent_of(int size) const {
    if (is_plain() || size == 0)
        return static_cast<std::size_t>(size);
    return static_cast<std::size_t>(size / block_of(size)) * static_cast<std::size_t>(stride_bytes);
}

MPI_Datatype layout::make_type(int size) const {
    if (is_plain())
        return MPI_CHAR;
    const int block = block_of(size);
    const int blocks = size / block;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (how == kind::vect) {
        MPI_Type_vector(blocks, block, stride_bytes, MPI_CHAR, &type);
    } else {
        std::vector<int> lengths(static_cast<std::size_t>(blocks), block);
        std::vector<MPI_Aint> places;
        for (int i = 0; i < blocks; ++i)
            places.push_back(static_cast<MPI_Aint>(offset_of(size, static_cast<std::size_t>(i) * block)));
        MPI_Type_create_hindexed(blocks, lengths.data(), places.data(), MPI_CHAR, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

bool parse_layout(const std::string &text, layout &placing) {
    const auto colon = text.find(':');
    const std::string word = text.substr(0, colon);
    if (word != "cont" && word != "vect" && word != "indx")
        return false;
    placing.how = word == "cont" ? layout::kind::cont : word == "vect" ? layout::kind::vect : layout::kind::indx;
    if (colon == std::string::npos)
        return true;
    const auto second = text.find(':', colon + 1);
    if (placing.is_plain() || second == std::string::npos)
        return false;
    const auto stride = parse_int(text.substr(colon + 1, second - colon - 1), 1, most_stride_bytes);
    const auto block = parse_int(text.substr(second + 1), 1, most_stride_bytes);
    if (!stride || !block || *block > *stride)
        return false;
    placing.stride_bytes = *stride;
    placing.block_bytes = *block;
    return true;
}

}  // namespace tare::bench
