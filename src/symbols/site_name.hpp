// SPDX-License-Identifier: BSD-3-Clause
// What a place inside a function is called: function+0xOFFSET, or module+0xOFFSET. The same on all ranks.
#ifndef TARE_SYMBOLS_SITE_NAME_HPP
#define TARE_SYMBOLS_SITE_NAME_HPP

#include "loaded_place.hpp"

#include <string>

namespace tare::symbols {

// Of where a call returns to: loaded_place.hpp.
std::string name_of_site(const loaded_place &p);
// "main+0x1c (/usr/bin/program+0x11bc)": the name, and what finds its line.
std::string text_of_site(const loaded_place &p);
// "main (/usr/bin/program+0x11a0)": the function, and its own place; of one without a name the site's.
std::string text_of_caller(const loaded_place &p);

}  // namespace tare::symbols

#endif
