// SPDX-License-Identifier: BSD-3-Clause
// TARE_PROFILE_FORMAT: what else a profile is written as. It is always written as tau first; of that the `tare convert`
// of this installation makes the others, in a process of its own. So libtare knows no other format, and what is
// measured lies on the disk whatever happens to them.
//
// Errors: profile::error.
#ifndef TARE_LIB_FORMATS_HPP
#define TARE_LIB_FORMATS_HPP

#include "process.hpp"

namespace tare {

// Finds `tare convert`, before the program may change its folder.
void find_converter(process &p);

// On rank 0, before anything is measured: whether the others can be made, and put where they belong.
void check_formats(const process &p);

// The profile in the directory is whole and nobody writes to it. Without tau among what is asked for, its files go
// when all others are there; whether they have gone.
bool make_formats(const process &p);

}  // namespace tare

#endif
