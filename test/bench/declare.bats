#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# --declare: a benchmark that plays a tool. libtare comes only with it.
load helper

# with_libtare COMMAND...: the build tree's libtare can be found
with_libtare() {
    LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$top_builddir/src/lib/.libs "$@"
}

# What the dynamic linker of the ranks has initialized.
libraries_of() {
    rm -f "$BATS_TEST_TMPDIR"/ld.*
    LD_DEBUG=files LD_DEBUG_OUTPUT=$BATS_TEST_TMPDIR/ld with_libtare ranks 2 "$@" >/dev/null
    sed -n 's/.*calling init: //p' "$BATS_TEST_TMPDIR"/ld.* | sort -u
}

@test "nothing_declared_loads_no_libtare" {
    run libraries_of tare_latency -m 8:8 -i 1 -x 0
    echo "$output"
    [[ $output == *libmpi.so* && $output != *libtare* ]]
    run libraries_of tare_latency -m 8:8 -i 1 -x 0 --declare event
    [[ $output == *libtare.so* ]]
}

@test "declaring_without_libtare_ends_with_one_sentence" {
    run --separate-stderr ranks 2 tare_latency --declare event
    [[ $status -eq 1 ]]
    assert_sentence "tare_latency: --declare event: libtare is needed to declare anything: libtare.so.0: cannot open \
shared object file: No such file or directory"
}

@test "declared_word_is_in_the_json" {
    for word in none event overhead; do
        with_libtare run ranks 2 tare_latency -m 8:8 -i 5 -x 0 --json --declare $word
        jq -e --arg word $word '.declare == $word' <<<"$output"
    done
}

# A library that says at a rank's end which delay it has.
make_witness() {
    gcc -shared -fPIC -o "$BATS_TEST_TMPDIR/witness.so" -x c - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((destructor)) static void say(void)
{
    void *libtare = dlopen("libtare.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (libtare && getenv("PMI_RANK")) {
        int64_t(*delay_ns) (void) = (int64_t(*)(void)) dlsym(libtare, "tare_delay_ns");
        printf("rank %s %lld\n", getenv("PMI_RANK"), (long long) delay_ns());
    }
}
END
}

# delays MODE WORD COMMAND...: the delays of rank 0 and 1 at the end of 50 iterations
delays() {
    local mode=$1 word=$2
    shift 2
    TARE_MODE=$mode LD_PRELOAD=$BATS_TEST_TMPDIR/witness.so with_libtare ranks 2 "$@" -i 50 -x 0 --declare "$word" |
        sed -n 's/^rank //p' | sort | cut -d ' ' -f 2 | xargs
}

# Alone a rank has what it declared. Delays that travel leave the ranks with one delay, that of the longer path.
@test "cost_is_declared_before_every_call_and_travels_in_header_mode" {
    make_witness
    for word in event overhead; do
        for program in "1000 2000 tare_latency -m 8:8" "500 1000 tare_barrier" "33000 66000 tare_bw -m 8:8 -W 64"; do
            read -r alone0 alone1 command <<<"$program"
            # shellcheck disable=SC2086  # words on purpose
            off=$(delays off $word $command) header=$(delays header $word $command)
            echo "$command, $word: off $off, header $header"
            [[ $off == "$alone0 $alone1" && -n $header && $header != "$off" ]]
        done
    done
}
