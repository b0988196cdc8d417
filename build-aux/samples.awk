# SPDX-License-Identifier: BSD-3-Clause
# What cost.awk and carriers.awk share: samples value[KEY, 1..count[KEY]] in the order of the rounds, and the end of
# both, which print the one form or the other.

# The end of a JSON row.
function print_samples(key,    i) {
    printf ", \"samples_us\": ["
    for (i = 1; i <= count[key]; i++)
        printf "%s%.4f", i == 1 ? "" : ", ", value[key, i]
    printf "]}"
}

# As many samples of a build as of the one that it is compared with.
function need_as_many(key, base, what) {
    if (count[key] == count[base] && count[base] >= 1)
        return
    printf "cost: %s\n", what >"/dev/stderr"
    exit failed = 1
}

function print_result() {
    if (failed)
        exit 1
    if (form == "json")
        print_json()
    else
        print_table()
}
