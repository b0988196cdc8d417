// SPDX-License-Identifier: BSD-3-Clause
// Stands in for a patched libmpi: a core of its own behind the table's name.
#include "tare_transport.h"

#ifdef TARE_TEST_OTHER_VERSION
static constexpr tare_transport_v1_table_t changed()
{
    tare_transport_v1_table_t table = TARE_TRANSPORT_TABLE(1);
    table.version++;
    return table;
}
#define TABLE changed()
#else
#define TABLE TARE_TRANSPORT_TABLE(1)
#endif

extern "C" {
extern const tare_transport_v1_table_t tare_transport_v1 __attribute__((visibility("default")));
const tare_transport_v1_table_t tare_transport_v1 = TABLE;
}
