# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # bats sets status and output
# Messages whose length has more than 32 bits.
load helper

# assert_large HOW BYTES: they come, they are counted, and so does what rank 0 is late: 20 ms and the tool's own
assert_large() {
    LIMIT_S=400 run --separate-stderr ranks 2 "$PROGRAMS/large" "$1"      # seconds, where nobody else uses the cores
    [[ $status -eq 0 && -z $stderr ]] || { echo "status $status: $output$stderr"; return 1; }
    # What rank 1 takes to begin waiting is none of it.
    [[ $output =~ ^"$2 bytes, 0 wrong, delay "(19[5-9][0-9]{5}|2[0-9]{7})$ ]] || { echo "$output"; return 1; }
    "$TOOL" report --messages --json | tr -d ' ,"' > messages
    [ "$(awk -F: '$1 == "bytes" { print $2 }' messages)" = "$2" ] || { cat messages; return 1; }
}

# The ranks' memory is 64 MiB each; what MPI holds of a message that nobody has asked for may be all of it.
need_memory() {
    local kib
    kib=$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)
    [ "$kib" -gt $((6 << 20)) ] || skip "a message of 4 GiB may need as much memory: $((kib >> 20)) GiB are free"
}

@test "messages_of_4_GiB_are_whole_and_carry_delay_mode_header" {
    need_memory
    TARE_MODE=header assert_large count 4294979641
}

@test "messages_of_4_GiB_are_whole_and_carry_delay_mode_datatype" {
    need_memory
    TARE_MODE=datatype assert_large type 4296015872
}
