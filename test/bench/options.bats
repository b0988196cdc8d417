#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
load helper

sizes_of() { grep -v '^#' <<<"$output" | awk '{ print $1 }' | xargs; }

# refused SENTENCE PROGRAM ARGUMENT...
refused() {
    local sentence=$1
    shift
    run --separate-stderr ranks 2 "$@"
    [[ $status -eq 2 ]]
    assert_sentence "$sentence (see --help)"
}

@test "help_without_mpiexec_goes_to_stdout" {
    for program in $(programs); do
        run --separate-stderr alone "$program" --help
        [[ $status -eq 0 && -z $stderr && ${lines[0]} == "Usage: mpiexec -n 2 $program [OPTION]..." ]]
    done
}

@test "help_of_bw_alone_has_the_window" {
    run alone tare_bw -h
    [[ $output == *"--window-size SIZE"*"(default 64)"* ]]
    run alone tare_latency -h
    [[ $status -eq 0 && $output != *window* ]]
}

@test "help_of_barrier_has_no_sizes" {
    run alone tare_barrier -h
    [[ $status -eq 0 && $output != *message-size* && $output == *"timed iterations (default 1000)"* ]]
}

# The short and the long options in a help, one a line.
options_in() {
    sed -nE 's/^ {2,6}((-[a-zA-Z]), )?(--[a-z-]+).*/\2\n\3/p' | grep . | sort -u
}

@test "manual_has_the_options_of_the_benchmarks_and_no_others" {
    page=$(awk '/^\.SH / { on = $2 == "OPTIONS"; next } on && entry; { entry = /^\.TP/ }' \
        "$top_srcdir/doc/man/tare_latency.1" | sed -E 's/\\-/-/g; s/\\f[A-Z]/ /g' |
        grep -oE '(^|[ "])--?[a-zA-Z][a-z-]*' | tr -d ' "' | sort -u)
    options=$(for program in $(programs); do alone "$program" --help | options_in; done | sort -u)
    [[ $(wc -w <<<"$options") -ge 30 ]]
    diff <(echo "$options") <(echo "$page")
}

@test "completion_offers_the_options_of_each_benchmark_and_no_others" {
    # shellcheck source=/dev/null
    source "$top_srcdir/src/tool/completion/tare"
    for program in $(programs); do
        COMP_WORDS=("$top_builddir/src/bench/$program" -) COMP_CWORD=1
        _tare_benchmark
        diff <(alone "$program" --help | options_in) <(printf '%s\n' "${COMPREPLY[@]}" | sort)
        [[ $(complete -p "$program") == *_tare_benchmark* ]]
    done
}

@test "completion_offers_values_that_are_taken" {
    # shellcheck source=/dev/null
    source "$top_srcdir/src/tool/completion/tare"
    for pair in "tare_latency --declare" "tare_latency --by-hand" "tare_bw -D" "tare_bw --ddt" "tare_bw -b" "tare_mbw_mr --print-rate" "tare_put_latency -s" \
        "tare_put_bw --sync-option" "tare_get_bw -w" "tare_cas_latency --win-option" "tare_neighbor_alltoall -N" \
        "tare_ineighbor_alltoall --neighborhood"; do
        read -r program option <<<"$pair"
        COMP_WORDS=("$program" "$option" '') COMP_CWORD=2
        _tare_benchmark
        [[ ${#COMPREPLY[@]} -ge 2 ]]
        for value in "${COMPREPLY[@]}"; do
            run alone "$program" "$option" "$value" --help
            [[ $status -eq 0 ]]
        done
    done
    run alone tare_latency --by-hand nonsense --help
    [[ $status -ne 0 ]]
}

@test "version_without_mpiexec_is_one_line" {
    for option in --version -v; do
        run --separate-stderr alone tare_latency $option
        [[ $status -eq 0 && -z $stderr && $output == "tare_latency (Tare) $VERSION" ]]
    done
}

@test "version_on_two_ranks_is_printed_once" {
    run --separate-stderr ranks 2 tare_bw --version
    [[ $status -eq 0 && $output == "tare_bw (Tare) $VERSION" ]]
}

@test "sizes_by_default_are_osus" {
    run ranks 2 tare_latency -i 1 -x 0
    [[ $status -eq 0 ]]
    powers=$(for ((size = 1; size <= 4194304; size *= 2)); do echo $size; done | xargs)
    [[ $(sizes_of) == "0 $powers" ]]
    run ranks 2 tare_bw -i 1 -x 0 -W 2
    [[ $status -eq 0 && $(sizes_of) == "$powers" ]]
}

@test "sizes_with_both_ends_double_from_the_first" {
    run ranks 2 tare_latency -i 2 -x 1 -m 3:20
    [[ $status -eq 0 && $(sizes_of) == "3 6 12" ]]
}

@test "sizes_can_grow_faster" {
    run ranks 2 tare_latency -i 2 -x 1 -m 3:100 --growth 5
    [[ $status -eq 0 && $(sizes_of) == "3 15 75" ]]
    run ranks 2 tare_bw -i 1 -x 0 -W 2 --growth 1024
    [[ $status -eq 0 && $(sizes_of) == "1 1024 1048576" ]]
    refused "tare_latency: --growth 1: give a whole number from 2 to 1024" tare_latency --growth 1
    refused "tare_barrier: unknown option --growth: this benchmark has no sizes" tare_barrier --growth 4
}

@test "iterations_of_large_messages_are_their_own" {
    run --separate-stderr ranks 2 tare_latency -i 7:3 -x 2:1 -m 8192:16384 --json
    [[ $status -eq 0 && $output == *'"size": 8192, "iterations": 7,'*'"size": 16384, "iterations": 3,'* ]]
    refused "tare_latency: -i 5:0: give a whole number from 1 to 1000000000, and one for messages above 8192 bytes" \
        tare_latency -i 5:0
    refused "tare_latency: -x :4: give a whole number from 0 to 1000000000, and one for messages above 8192 bytes" \
        tare_latency -x :4
}

@test "sizes_end_where_buffers_would_take_more_than_the_limit" {
    run ranks 2 tare_latency -i 2 -x 1 -M 100
    [[ $status -eq 0 && $(sizes_of) == "0 1 2 4 8 16 32" ]]
    run ranks 2 tare_alltoall -i 2 -x 1 --mem-limit 100
    [[ $status -eq 0 && $(sizes_of) == "1 2 4 8 16" ]]
    run ranks 2 tare_bw -i 1 -x 0 -W 4 -b multiple -M 64
    [[ $status -eq 0 && $(sizes_of) == "1 2 4 8" ]]
    run --separate-stderr ranks 2 tare_latency -m 64:128 -M 100
    [[ $status -eq 2 ]]
    assert_sentence "tare_latency: -M 100: the two buffers for 64 bytes take 128"
    refused "tare_latency: -M 0: give a whole number from 1 to 2147483647" tare_latency -M 0
    refused "tare_barrier: unknown option -M: this benchmark has no sizes" tare_barrier -M 5
}

@test "tails_are_percentiles_of_single_iterations" {
    run ranks 2 tare_latency -i 251 -x 1 -m 8:8 -z
    [[ $status -eq 0 && $output == *"P50 Tail Lat(us)  P90 Tail Lat(us)  P99 Tail Lat(us)"* ]]
    awk '/^8 / { exit !(NF == 5 && $3 == $2 && $4 >= $3 && $5 >= $4) }' <<<"$output"
    run ranks 2 tare_latency -i 251 -x 1 -m 8:8 -z --json
    [[ $(grep -o 'samples_us": \[[^]]*' <<<"$output" | tr -cd , | wc -c) -eq 250 ]]
    run ranks 2 tare_barrier -i 20 -x 1 --tail-lat
    [[ $status -eq 0 && $output == *"P99 Tail Lat(us)"* ]]
    refused "tare_bw: unknown option -z: this benchmark prints no latencies" tare_bw -z
}

@test "rate_of_messages_can_be_left_out" {
    run ranks 2 tare_mbw_mr -i 2 -x 1 -m 8:8 -R 0
    [[ $status -eq 0 && $output == *MB/s* && $output != *Messages/s* && $(awk '/^8 / { print NF }' <<<"$output") -eq 2 ]]
    run ranks 2 tare_mbw_mr -i 2 -x 1 -m 8:8 --print-rate 1
    [[ $status -eq 0 && $output == *Messages/s* ]]
    refused "tare_mbw_mr: -R 2: give a whole number from 0 to 1" tare_mbw_mr -R 2
    refused "tare_bw: unknown option -R: only tare_mbw_mr prints a rate" tare_bw -R 0
}

@test "buffers_are_one_or_many" {
    refused "tare_bw: -b two: give single or multiple" tare_bw -b two
    refused "tare_latency: unknown option -b: this benchmark has no window of messages" tare_latency -b single
    refused "tare_put_bw: unknown option -b: this benchmark has no window of messages" tare_put_bw -b single
}

@test "sizes_with_one_end_keep_the_other_default" {
    run ranks 2 tare_latency -i 1 -x 0 -m 4
    [[ $(sizes_of) == "0 1 2 4" ]]
    run ranks 2 tare_latency -i 1 -x 0 --message-size :2
    [[ $(sizes_of) == "0 1 2" ]]
    run ranks 2 tare_bw -i 1 -x 0 -m 1048576:
    [[ $(sizes_of) == "1048576 2097152 4194304" ]]
}

@test "iterations_by_default_are_fewer_above_8192_bytes" {
    run ranks 2 tare_latency -m 8192:16384 -f
    [[ $(awk '/^[0-9]/ { print $1 ":" $5 }' <<<"$output" | xargs) == "8192:10000 16384:1000" ]]
    run ranks 2 tare_bw -m 8192:16384 -f -W 4
    [[ $(awk '/^[0-9]/ { print $1 ":" $5 }' <<<"$output" | xargs) == "8192:100 16384:20" ]]
}

@test "iterations_given_hold_for_every_size" {
    run ranks 2 tare_latency -m 8192:16384 --iterations 30 --warmup 0 --full
    [[ $(awk '/^[0-9]/ { print $5 }' <<<"$output" | xargs) == "30 30" ]]
}

@test "sizes_out_of_range_are_refused" {
    allowed="give MAX, MIN:MAX or MIN: in bytes, 0 <= MIN <= MAX <= 2147483647"
    for sizes in 8:4 1:2:3 x -1 1:y 2147483648 99999999999999999999; do
        refused "tare_latency: -m $sizes: $allowed" tare_latency -m "$sizes"
    done
    refused "tare_bw: -m 0:4: ${allowed/0 /1 }" tare_bw -m 0:4
}

# A library that says how many calls of MPI_Send a rank has made, and of how many bytes.
make_counter() {
    "$MPICC" -shared -fPIC -o "$BATS_TEST_TMPDIR/counter.so" -x c - <<'END'
#include <mpi.h>
#include <stdio.h>
static int calls, bytes;
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    int size;
    PMPI_Type_size(type, &size);
    calls++;
    bytes += count * size;
    return PMPI_Send(buffer, count, type, dest, tag, comm);
}
int MPI_Finalize(void)
{
    fprintf(stderr, "%d %d\n", calls, bytes);
    return PMPI_Finalize();
}
END
}

@test "stamps_by_hand_are_sent_by_their_scheme" {
    make_counter
    declare -A sent=([nothing]="10 80" [datatype]="10 240" [message]="20 320" [copy]="10 240")
    for scheme in "${!sent[@]}"; do
        LD_PRELOAD=$BATS_TEST_TMPDIR/counter.so run --separate-stderr ranks 2 tare_latency -m 8:8 -i 10 -x 0 \
            --by-hand "$scheme"
        echo "$scheme: $stderr"
        [[ $status -eq 0 && $stderr == "${sent[$scheme]}"$'\n'"${sent[$scheme]}" ]]
    done
}

@test "stamps_by_hand_go_with_every_message" {
    for scheme in nothing datatype message copy; do
        run --separate-stderr ranks 2 tare_latency -i 20 -x 2 -m 0:70000 --json --by-hand $scheme
        [[ $status -eq 0 && -z $stderr ]]
        jq -e --arg scheme $scheme '.by_hand == $scheme and (.rows | length) == 18 and all(.rows[]; .median_us > 0)' \
            <<<"$output"
    done
}

@test "counts_out_of_range_are_refused" {
    refused "tare_latency: -i 0: give a whole number from 1 to 1000000000" tare_latency -i 0
    refused "tare_latency: -i 1e3: give a whole number from 1 to 1000000000" tare_latency --iterations 1e3
    refused "tare_bw: -x -1: give a whole number from 0 to 1000000000" tare_bw -x -1
    refused "tare_bw: -W 0: give a whole number from 1 to 100000" tare_bw -W 0
}

@test "options_unknown_are_refused" {
    refused "tare_latency: unknown option -q" tare_latency -fq
    refused "tare_latency: unknown option --bogus" tare_latency --bogus
    refused "tare_latency: unknown option -W: this benchmark has no window" tare_latency -W 8
    refused "tare_bw: -i needs a value" tare_bw -i
    refused "tare_bw: unexpected argument 8" tare_bw -f 8
    refused "tare_barrier: unknown option -m: this benchmark has no sizes" tare_barrier -m 8
    refused "tare_latency: --declare events: give none, event or overhead" tare_latency --declare events
    refused "tare_latency: --by-hand two: give nothing, datatype, message or copy" tare_latency --by-hand two
    refused "tare_bw: unknown option --by-hand: only tare_latency has it" tare_bw --by-hand copy
}

@test "options_of_other_benchmarks_are_refused" {
    refused "tare_bw: unknown option -p: only tare_mbw_mr has pairs to choose" tare_bw -p 1
    refused "tare_latency: unknown option -t" tare_latency -t 2
    refused "tare_iallreduce: unknown option --threads: only tare_latency_mt has it" tare_iallreduce --threads 2
    refused "tare_latency_mt: unknown option --test-calls: only nonblocking collectives have it" tare_latency_mt \
        --test-calls 2
    refused "tare_ibarrier: unknown option -c: this benchmark has no data" tare_ibarrier -c
    refused "tare_bw: unknown option -s: only one-sided benchmarks have it" tare_bw -s flush
    refused "tare_bw: unknown option -w: only one-sided benchmarks have it" tare_bw -w create
    refused "tare_bcast: unknown option -D: this benchmark has contiguous data" tare_bcast -D vect
    refused "tare_bcast: unknown option -N: only neighborhood collectives have it" tare_bcast -N cart
    refused "tare_bw: unknown option --nonblocking: this benchmark has no blocking sends" tare_bw --nonblocking
    refused "tare_put_bw: unknown option --ssend: this benchmark has no send that could be synchronous" tare_put_bw \
        --ssend
    refused "tare_put_bw: unknown option --any-source: this benchmark has no receive that could take any source" \
        tare_put_bw --any-source
    refused "tare_bw: unknown option --partitions: only tare_partitioned_latency has it" tare_bw --partitions 2
    refused "tare_fop_latency: unknown option -m: this benchmark has one size" tare_fop_latency -m 8
}

@test "values_out_of_range_are_refused" {
    refused "tare_put_latency: -s locks: give lock, flush, flush_local, lock_all, fence or pscw" tare_put_latency \
        -s locks
    refused "tare_put_latency: -w shared: give create, allocate or dynamic" tare_put_latency -w shared
    refused "tare_neighbor_alltoall: -N ring: give cart or graph" tare_neighbor_alltoall -N ring
    for value in 0 129 2: :2 1:2:3 x; do
        refused "tare_latency_mt: -t $value: give RECEIVERS or SENDERS:RECEIVERS, each a whole number from 1 to 128" \
            tare_latency_mt -t "$value"
    done
    for value in vector vect:8 vect:4:8 vect:8:0 indx:1:1:1 cont:8:4; do
        refused "tare_bw: -D $value: give cont, vect[:STRIDE:BLOCK] or indx[:STRIDE:BLOCK] in bytes, \
1 <= BLOCK <= STRIDE <= 1000000" tare_bw -D "$value"
    done
    refused "tare_partitioned_latency: --partitions 0: give a whole number from 1 to 1024" tare_partitioned_latency \
        --partitions 0
    refused "tare_iscan: -t x: give a whole number from 0 to 1000000000" tare_iscan -t x
}

@test "options_that_do_not_go_together_are_refused" {
    refused "tare_latency: --by-hand copy goes with none of -c, -D, --ssend, --nonblocking and --any-source" \
        tare_latency --by-hand copy -c
    for sync in lock flush flush_local lock_all; do
        run --separate-stderr ranks 2 tare_put_bibw -s $sync
        [[ $status -eq 2 ]]
        assert_sentence "tare_put_bibw: -s $sync: tare_put_bibw has two targets, so give fence or pscw"
    done
    run --separate-stderr ranks 4 tare_mbw_mr -p 3
    [[ $status -eq 2 ]]
    assert_sentence "tare_mbw_mr: -p 3: so many pairs need 6 ranks, not 4"
}

@test "name_that_no_benchmark_has_is_refused" {
    ln -s "$top_builddir/src/bench/tare_latency" "$BATS_TEST_TMPDIR/tare_nonsense"
    run --separate-stderr "$BATS_TEST_TMPDIR/tare_nonsense" --help
    [[ $status -eq 2 && -z $output && ${#stderr_lines[@]} -eq 1 ]]
    [[ $stderr == "tare_nonsense: no benchmark has this name: call the program by one of tare_latency, "* ]]
    diff <(xargs -n 1 <<<"${stderr##* one of }" | tr -d , | sort) <(programs | sort)
}

@test "ranks_other_than_two_are_refused" {
    for count in 1 3; do
        run --separate-stderr ranks $count tare_latency
        [[ $status -eq 2 ]]
        assert_sentence "tare_latency: needs exactly 2 ranks, not $count: start it by mpiexec -n 2"
    done
}

@test "ranks_of_every_program_are_checked" {
    for program in $(programs); do
        run --separate-stderr ranks 1 "$program"
        echo "$program: status $status: $stderr"
        [[ $status -eq 2 && -z $output && $stderr == "$program: needs "*" 2 ranks, not 1: start it by mpiexec -n 2" ||
            $stderr == "$program: needs an even number of ranks, not 1: start it by mpiexec -n 2" ]]
    done
    for program in tare_mbw_mr tare_multi_lat; do
        run --separate-stderr ranks 3 $program
        [[ $status -eq 2 ]]
        assert_sentence "$program: needs an even number of ranks, not 3: start it by mpiexec -n 2"
    done
}

@test "ranks_of_barrier_are_two_or_more" {
    run --separate-stderr ranks 1 tare_barrier
    [[ $status -eq 2 ]]
    assert_sentence "tare_barrier: needs at least 2 ranks, not 1: start it by mpiexec -n 2"
    run --separate-stderr ranks 3 tare_barrier -i 3 -x 0
    [[ $status -eq 0 && -z $stderr && ${#lines[@]} -eq 3 ]]
}
